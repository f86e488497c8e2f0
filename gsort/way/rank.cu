// Few elements, in one launch (kernel/rank.cuh).
#include "gsort/kernel/rank.cuh"
#include "gsort/way/launch.cuh"

// Kernels for up to `most` elements.
typedef struct RankShape {
  unsigned int own, most;
  void (*keys)(Elements, Elements, unsigned int), (*pairs)(Elements, Elements, unsigned int);
  void (*codes)(CodesOf, Elements, unsigned int);
} RankShape;

#define RANK_SHAPE(rows, own)                                                                 \
  {                                                                                           \
    own, rows *RANK_THREADS, rank_elements<rows, own, false>, rank_elements<rows, own, true>, \
        rank_codes<rows, own>                                                                 \
  }

// A block for each multiprocessor of a large GPU, as far as possible.
static const RankShape rank_shapes[] = {RANK_SHAPE(1, 32), RANK_SHAPE(2, 32), RANK_SHAPE(4, 32),
                                        RANK_SHAPE(8, 64), RANK_SHAPE(16, 128)};
enum { RANKED_MOST = 16 * RANK_THREADS };

static size_t rank_bytes(const Call *call, const KeyRange *) {
  return call->n <= RANKED_MOST && call->n_on_device == NULL ? 1 : 0;
}

static Finding rank_run(Call *call, Known *) {
  const unsigned int n = (unsigned int)call->n;
  const RankShape *shape = rank_shapes;
  while (n > shape->most) shape++;
  const unsigned int blocks = parts_of(n, shape->own);
  const bool made = call->output.values != NULL && call->input.values == NULL;
  if (!is_plain(call->code) || call->bits < 32 || made) {
    launch_first(call, shape->codes, blocks, RANK_THREADS, 0,
                 CodesOf{call->input, bits_that_count(call)}, call->output, n);
  } else {
    launch_first(call, call->output.values == NULL ? shape->keys : shape->pairs, blocks,
                 RANK_THREADS, 0, call->input, call->output, n);
  }
  return SORTED;
}

extern "C" const Way way_rank = {"rank", rank_bytes, rank_run};
