// Few elements, in one launch (kernel/rank.cuh).
#include "gsort/kernel/rank.cuh"
#include "gsort/way/launch.cuh"

template <class Key, class NumberOf, class Value>
using CodesKernel = void(CodesOf<Key, NumberOf>, PlacesByIndex<Key, Value>, unsigned int);

// Kernels for up to `most` elements.
typedef struct RankShape {
  unsigned int own, most;
  void (*keys)(Elements, Elements, unsigned int), (*pairs)(Elements, Elements, unsigned int);
  CodesKernel<unsigned int, BitsThatCount, unsigned int> *codes;
  CodesKernel<Wide, WideBits, unsigned int> *wide;
  CodesKernel<Wide, WideBits, Wide> *wide_pairs;  // values of 8 bytes
} RankShape;

#define NARROW(rows, own)                                                                   \
  own, rows *RANK_THREADS, rank_elements<rows, own, false>, rank_elements<rows, own, true>, \
      rank_codes<rows, own>
#define BOTH_WIDTHS(rows, own) NARROW(rows, own), rank_codes<rows, own>, rank_codes<rows, own>

// A block for each multiprocessor of a large GPU, as far as possible. More wide elements go between
// splitters, which is faster.
static const RankShape rank_shapes[] = {{BOTH_WIDTHS(1, 32)},
                                        {BOTH_WIDTHS(2, 32)},
                                        {BOTH_WIDTHS(4, 32)},
                                        {BOTH_WIDTHS(8, 64)},
                                        {NARROW(16, 128), NULL, NULL}};
enum { WIDE_MOST = 8 * RANK_THREADS, NARROW_MOST = 16 * RANK_THREADS };

static size_t rank_bytes(const Call *call, const KeyRange *) {
  const size_t most = call->key_bytes == 8 ? WIDE_MOST : NARROW_MOST;
  return call->n <= most && call->n_on_device == NULL ? 1 : 0;
}

template <class Key, class Value, class NumberOf>
static void rank_by_codes(Call *call, CodesKernel<Key, NumberOf, Value> *kernel,
                          unsigned int blocks, NumberOf number_of) {
  const auto places = PlacesByIndex<Key, Value>::of(call->input, call->output);
  launch_first(call, kernel, blocks, RANK_THREADS, 0,
               CodesOf<Key, NumberOf>{places.keys, number_of}, places, (unsigned int)call->n);
}

static Finding rank_run(Call *call, Known *) {
  const unsigned int n = (unsigned int)call->n;
  const RankShape *shape = rank_shapes;
  while (n > shape->most) shape++;
  const unsigned int blocks = parts_of(n, shape->own);
  const bool made = call->output.values != NULL && call->input.values == NULL;
  if (call->key_bytes == 8) {
    const WideBits number_of = wide_bits_that_count(call);
    if (call->value_bytes == 8)
      rank_by_codes<Wide, Wide>(call, shape->wide_pairs, blocks, number_of);
    else
      rank_by_codes<Wide, unsigned int>(call, shape->wide, blocks, number_of);
  } else if (!is_plain(call->code) || call->bits < 32 || made) {
    rank_by_codes<unsigned int, unsigned int>(call, shape->codes, blocks, bits_that_count(call));
  } else {
    launch_first(call, call->output.values == NULL ? shape->keys : shape->pairs, blocks,
                 RANK_THREADS, 0, call->input, call->output, n);
  }
  return SORTED;
}

extern "C" const Way way_rank = {"rank", rank_bytes, rank_run};
