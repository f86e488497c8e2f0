// Large buckets of packed pairs, key and value side by side, back into two arrays, which are then
// sorted by themselves. Moves 16 bytes a pair.
#ifndef GSORT_KERNEL_UNPACK_CUH
#define GSORT_KERNEL_UNPACK_CUH

#include "gsort/block/index.cuh"
#include "gsort/block/key_code.cuh"

enum { UNPACK_THREADS = 256 };

static __global__ void __launch_bounds__(UNPACK_THREADS)
    unpack_pairs(const uint2 *packed, KeyCode code, Elements out, unsigned int n) {
  const size_t i = global_index();
  if (i >= n) return;
  const uint2 pair = packed[i];
  out.keys[i] = decode(code, pair.x);
  out.values[i] = pair.y;
}

#endif
