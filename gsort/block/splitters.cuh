// Splitters from a sample, for keys that may be spread in any way, such as the scores of an image:
// every bucket gets about as many pairs, whatever the keys are. Else as runs.cuh: the digit of a
// tile's sort is the number of splitters <= key.
//
// Source: W. D. Frazer and A. C. McKellar, "Samplesort", Journal of the ACM 17(3), 1970.
#ifndef GSORT_BLOCK_SPLITTERS_CUH
#define GSORT_BLOCK_SPLITTERS_CUH

// Sampled keys of a bucket. One bucket in some 10^4 then has more than 2.3 times its share.
enum { SAMPLES_EACH = 16 };

// Device memory: the sorted sample, and every SAMPLES_EACH-th key of it once more, side by side, as
// many blocks read them all.
typedef struct Splitters {
  const unsigned int *key;     // [buckets]
  const unsigned int *sorted;  // [SAMPLES_EACH * buckets]
  unsigned int buckets;

  // The least key of bucket j; 0 for j == buckets stands for 2^32. Of equal splitters s, s the
  // second is s + 1: between them lies a bucket of keys s alone, and those behind are empty.
  __device__ __forceinline__ unsigned int edge(unsigned int j) const {
    if (j == 0 || j == buckets) return 0;
    return key[j] + (j >= 2 && key[j] != ~0u && key[j - 1] == key[j]);
  }
} Splitters;

#endif
