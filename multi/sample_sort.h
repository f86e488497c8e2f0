// The baseline "Thrust and NCCL": a sample sort as a user of both libraries would write it, with
// one sort, one all-to-all and merges.
#ifndef MULTI_SAMPLE_SORT_H
#define MULTI_SAMPLE_SORT_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SAMPLES = 1024 };  // of a shard, which has 64 times as many elements or more

// Device arrays; positions are NULL for bare keys.
typedef struct SampleSort {
  unsigned int *keys[2], *positions[2];  // [0]: the shard, then the result
  size_t count;                          // elements in them
  size_t capacity;                       // the same on all ranks
} SampleSort;

// Collective: sorts the ranks' shards; `communicator` is NCCL's. False on all ranks, and nothing is
// in order, if one of them would get more elements than the arrays hold, as equal keys all go to
// one rank; and in a program that was built without NCCL.
bool sample_sort(void *communicator, SampleSort *sort);

#ifdef __cplusplus
}
#endif
#endif
