// Buckets of pairs that are too large for a block, but few: each is sorted as an array, by way of
// the input.
#ifndef GSORT_WAY_LARGE_PAIRS_CUH
#define GSORT_WAY_LARGE_PAIRS_CUH

#include "gsort/kernel/unpack.cuh"
#include "gsort/way/sweeps.cuh"

// A call to sort large bucket i of the call's verdict: the buckets lie one behind the other in the
// input, whole sectors apart. Indices have no values there.
static inline Call call_of_large(const Call *call, unsigned int i) {
  volatile const LargeBucket *const bucket = call->host->bucket;
  size_t at = 0;
  for (unsigned int b = 0; b < i; b++)
    at += (bucket[b].count + WARP_SIZE - 1u) / WARP_SIZE * WARP_SIZE;
  const size_t to = bucket[i].begin;
  Call part = *call;
  part.n = bucket[i].count;
  part.input = {call->input.keys + at, call->input.values + at};
  part.output = {call->output.keys + to, call->output.values + to};
  return part;
}

// Sorts the large buckets, once they are unpacked to the input.
static inline void sort_large_pairs(Call *call) {
  for (unsigned int i = 0; i < call->host->large; i++) {
    Call part = call_of_large(call, i);
    if (way_rank.bytes(&part, &WHOLE_RANGE) > 0)
      way_rank.run(&part, NULL);
    else
      sort_by_all_digits(&part, call->workspace);
    succeeds(call, part.error);
  }
}

// Both, for buckets that lie side by side in `packed`.
static inline void sort_large_packed(Call *call, const uint2 *packed) {
  for (unsigned int i = 0; i < call->host->large; i++) {
    const Call part = call_of_large(call, i);
    const unsigned int n = (unsigned int)part.n;
    launch_first(call, unpack_pairs, parts_of(n, UNPACK_THREADS), UNPACK_THREADS, 0,
                 packed + call->host->bucket[i].begin, call->code, part.input, n);
  }
  sort_large_pairs(call);
}

#endif
