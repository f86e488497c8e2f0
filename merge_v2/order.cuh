// The order of merge_v2. A comparison sort uses its keys through this function only.
#ifndef MERGE_V2_ORDER_CUH
#define MERGE_V2_ORDER_CUH

typedef unsigned int Key;

// Does `a` come before `b`? Any strict weak order for keys with positions. Bare keys of which none
// comes before the other have to be identical: they may change places. The handout shows descending
// order and a key of two 32-bit values.
static __device__ __forceinline__ bool less(Key a, Key b) { return a < b; }

#endif
