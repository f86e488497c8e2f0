// Large buckets of pairs, too large for a block, but few: each is sorted as an array of its own, by
// sweeps over the digits that vary in it.
#ifndef RADIX_V7_LARGE_PAIRS_CUH
#define RADIX_V7_LARGE_PAIRS_CUH

#include "radix_v7/packed_sweeps.cuh"
#include "radix_v7/ranked.cuh"

enum { UNPACK_THREADS = 256 };

static __global__ void __launch_bounds__(UNPACK_THREADS)
    unpack_pairs(const uint2 *packed, Pairs out, unsigned int n) {
  const size_t i = global_index();
  if (i >= n) return;
  const uint2 pair = packed[i];
  out.keys[i] = pair.x;
  out.positions[i] = pair.y;
}

// Where large bucket i is in the arrays of unpacked pairs: one behind the other, whole sectors
// apart.
static size_t unpacked_at(volatile const HostVerdict *host, unsigned int i) {
  size_t at = 0;
  while (i-- > 0) at += (host->bucket[i].count + WARP_SIZE - 1u) / WARP_SIZE * WARP_SIZE;
  return at;
}

// Unpacks the large buckets of the packed pairs `bucketed` to `spare`, which has room for all.
static inline void unpack_large_pairs(volatile const HostVerdict *host, const uint2 *bucketed,
                                      Pairs spare) {
  if (host->large == 0) return;
  stage_start("sweep");
  for (unsigned int i = 0; i < host->large; i++) {
    const size_t at = unpacked_at(host, i);
    const unsigned int count = host->bucket[i].count;
    const Pairs to = {spare.keys + at, spare.positions + at};
    unpack_pairs<<<blocks_for(count, UNPACK_THREADS), UNPACK_THREADS>>>(
        bucketed + host->bucket[i].begin, to, count);
    LAUNCH_CHECK();
  }
  stage_stop();
}

// Sorts what unpack_large_pairs() has left in `spare`, which is overwritten, to its places in
// `output`. `memory` has room for the sweeps of all n pairs, of which a large bucket has a quarter
// at most.
static void sort_large_pairs(volatile const HostVerdict *host, Pairs spare, Pairs output,
                             void *memory) {
  for (unsigned int i = 0; i < host->large; i++) {
    const size_t at = unpacked_at(host, i), begin = host->bucket[i].begin;
    const Pairs from = {spare.keys + at, spare.positions + at},
                to = {output.keys + begin, output.positions + begin};
    const unsigned int count = host->bucket[i].count;
    if (count <= RANKED_MAX)
      sort_by_rank(from, to, count);
    else
      sort_pairs_by_all_digits(from, to, count, memory);
  }
}

#endif
