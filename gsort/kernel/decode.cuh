// Codes of keys (block/key_code.cuh) back to keys, in place.
//
//   signed keys   80000003 7fffffff   ->   3 -1
//
// Moves 8 bytes a key.
#ifndef GSORT_KERNEL_DECODE_CUH
#define GSORT_KERNEL_DECODE_CUH

#include "gsort/block/count.cuh"
#include "gsort/block/key_code.cuh"
#include "gsort/block/overlap.cuh"

enum { DECODE_THREADS = 256 };

static __global__ void __launch_bounds__(DECODE_THREADS)
    decode_keys(unsigned int *keys, unsigned int n, KeyCode code) {
  wait_for_previous_kernel();
  const size_t i = global_index();
  if (i < n) keys[i] = decode(code, keys[i]);
}

#endif
