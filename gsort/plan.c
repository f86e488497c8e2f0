// Which way an input takes: one table. The rows are tried from the top, and the first whose kind,
// size and finding fit, and whose way says that it suits, is taken. A way that finds the keys to be
// other than it needs leaves them as they were, and the table is asked again with what it found.
#include "gsort/call.h"

enum {
  KEYS = 1,
  PAIRS = 2,
  BOTH = KEYS | PAIRS,
  WIDE_KEYS = 4,
  WIDE_PAIRS = 8,
  WIDE = WIDE_KEYS | WIDE_PAIRS
};
enum { LARGEST = (1 << 30) - 1 };

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): the order of the columns
typedef struct Row {
  int kinds;
  size_t least, most;    // n
  unsigned int finding;  // a bit for each Finding that the row is for
  const Way *way;
} Row;

#define IF(finding) (1u << (finding))
#define ALWAYS (~0u)

static const Row rows[] = {
    {BOTH | WIDE, 0, SIZE_MAX, ALWAYS, &way_rank},
    {BOTH, 0, 500000, IF(UNKNOWN), &way_splitters},
    {PAIRS, 500001, LARGEST, IF(UNKNOWN) | IF(IN_RANGE), &way_runs},
    {PAIRS, 500001, LARGEST, IF(UNKNOWN) | IF(IN_RANGE), &way_pair_regions},
    {KEYS, 16385, SIZE_MAX, IF(FEW_VALUES), &way_values},
    {PAIRS, 16385, LARGEST, IF(FEW_VALUES), &way_values},
    {KEYS, 500001, SIZE_MAX, IF(UNKNOWN), &way_regions},
    {BOTH, 0, SIZE_MAX, ALWAYS, &way_sweeps},
    {WIDE_KEYS, 0, 450000, IF(UNKNOWN), &way_splitters},
    {WIDE_PAIRS, 0, 1050000, IF(UNKNOWN), &way_splitters},
    {WIDE, 0, 1050000, IF(UNEVEN) | IF(HEAVY) | IF(SPARSE), &way_splitters},
    {WIDE_KEYS, 0, SIZE_MAX, IF(UNKNOWN), &way_wide_buckets},
    {WIDE_PAIRS, 0, SIZE_MAX, IF(UNKNOWN), &way_wide_pairs},
    {WIDE, 0, SIZE_MAX, IF(UNEVEN), &way_wide_splitters},
    {WIDE, 0, SIZE_MAX, ALWAYS, &way_wide_sweeps},
};

static int kind_of(const Call *call) {
  const bool bare = call->value_bytes == 0;
  return call->key_bytes == 8 ? bare ? WIDE_KEYS : WIDE_PAIRS : bare ? KEYS : PAIRS;
}

const Way *plan_way(const Call *call, const Known *known) {
  const int kind = kind_of(call);
  const Row *row = rows;
  for (;; row++) {  // the last row of a kind suits any input
    if ((row->kinds & kind) != 0 && row->least <= call->n && call->n <= row->most &&
        (row->finding & IF(known->finding)) != 0 && row->way->bytes(call, &known->range) > 0)
      return row->way;
  }
}

size_t plan_bytes(const Call *call) {
  const int kind = kind_of(call);
  unsigned int open =
      call->overwrite ? IF(IN_PLACE) : ALWAYS;  // findings that do not yet have a row that suits
  size_t most = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const Row *const row = &rows[i];
    if ((row->kinds & kind) == 0 || call->n < row->least || call->n > row->most ||
        (row->finding & open) == 0)
      continue;
    const size_t bytes = row->way->bytes(call, &WHOLE_RANGE);
    // Of a range it depends which row suits.
    if (bytes > 0) open &= ~row->finding | IF(IN_RANGE);
    if (bytes > most) most = bytes;
    if (row->finding == ALWAYS && bytes > 0) break;
  }
  return most;
}
