// The baseline "Thrust and NCCL" (sample_sort.h).
#include "multi/sample_sort.h"

#if HAVE_NCCL

#include <nccl.h>
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/merge.h>
#include <thrust/sort.h>

#include <utility>
#include <vector>

#include "common/check.h"
#include "common/scratch.h"

// Thrust takes temporary memory from the pool, too: cudaMalloc() in each call would take longer.
struct ScratchAllocator {
  typedef char value_type;
  char *allocate(ptrdiff_t bytes) { return (char *)scratch_alloc((size_t)bytes); }
  void deallocate(char *block, size_t) { scratch_free(block); }
};

static void check(ncclResult_t result, const char *what) {
  if (result != ncclSuccess)
    check_fail("multi_sort: %s: NCCL reports: %s", what, ncclGetErrorString(result));
}

// Takes each step-th value.
static void take(unsigned int *to, const unsigned int *from, size_t step, size_t count) {
  CUDA_CHECK(cudaMemcpy2DAsync(to, sizeof *to, from, step * sizeof *to, sizeof *to, count,
                               cudaMemcpyDeviceToDevice, 0));
}

// cuts[r * ranks + d]: how many of rank r's sorted elements go to ranks up to d. Regular samples of
// all shards, sorted together, give the keys between the ranks.
template <class Policy>
static std::vector<size_t> find_cuts(const Policy &policy, ncclComm_t comm, int rank, int ranks,
                                     const unsigned int *keys, size_t count) {
  unsigned int *const samples = (unsigned int *)scratch_alloc(ranks * SAMPLES * sizeof *samples),
                      *const splitters = (unsigned int *)scratch_alloc(ranks * sizeof *splitters);
  size_t *const device = (size_t *)scratch_alloc(ranks * ranks * sizeof *device), *const own =
                                                                                      device +
                                                                                      rank * ranks;
  take(samples + rank * SAMPLES, keys + count / SAMPLES / 2, count / SAMPLES, SAMPLES);
  check(ncclAllGather(samples + rank * SAMPLES, samples, SAMPLES, ncclUint32, comm, 0), "samples");
  thrust::sort(policy, samples, samples + ranks * SAMPLES);
  take(splitters, samples + SAMPLES, SAMPLES, ranks - 1);
  thrust::lower_bound(policy, keys, keys + count, splitters, splitters + ranks - 1, own);
  CUDA_CHECK(cudaMemcpyAsync(own + ranks - 1, &count, sizeof count, cudaMemcpyHostToDevice, 0));
  check(ncclAllGather(own, device, ranks, ncclUint64, comm, 0), "cuts");
  std::vector<size_t> cuts(ranks * ranks);
  CUDA_CHECK(cudaMemcpy(cuts.data(), device, cuts.size() * sizeof *device, cudaMemcpyDeviceToHost));
  scratch_free(device);
  scratch_free(splitters);
  scratch_free(samples);
  return cuts;
}

bool sample_sort(void *communicator, SampleSort *sort) {
  const ncclComm_t comm = (ncclComm_t)communicator;
  unsigned int *const *const keys = sort->keys, *const *const positions = sort->positions;
  const bool pairs = positions[0] != NULL;
  int rank = 0, ranks = 0;
  check(ncclCommUserRank(comm, &rank), "ncclCommUserRank");
  check(ncclCommCount(comm, &ranks), "ncclCommCount");
  ScratchAllocator memory;
  const auto policy = thrust::device(memory);

  unsigned int *const end_of_shard = keys[0] + sort->count;
  if (pairs)
    thrust::stable_sort_by_key(policy, keys[0], end_of_shard, positions[0]);
  else
    thrust::sort(policy, keys[0], end_of_shard);

  const std::vector<size_t> cuts = find_cuts(policy, comm, rank, ranks, keys[0], sort->count);
  const auto sent_before = [&](int from, int to) {
    return to == 0 ? 0 : cuts[from * ranks + to - 1];
  };
  std::vector<size_t> start(ranks + 1);  // of each rank's run of what arrives
  for (int to = 0; to < ranks; to++) {
    size_t sum = 0;
    for (int from = 0; from < ranks; from++) {
      if (to == rank) start[from] = sum;
      sum += sent_before(from, to + 1) - sent_before(from, to);
    }
    if (sum > sort->capacity) return false;
    if (to == rank) start[ranks] = sort->count = sum;
  }

  check(ncclGroupStart(), "ncclGroupStart");
  for (int r = 0; r < ranks; r++)
    for (unsigned int *const *array : {keys, positions}) {
      const size_t first = sent_before(rank, r), count = sent_before(rank, r + 1) - first,
                   arriving = start[r + 1] - start[r];
      if (array[0] == NULL) continue;
      if (count > 0) check(ncclSend(array[0] + first, count, ncclUint32, r, comm, 0), "ncclSend");
      if (arriving > 0)
        check(ncclRecv(array[1] + start[r], arriving, ncclUint32, r, comm, 0), "ncclRecv");
    }
  check(ncclGroupEnd(), "ncclGroupEnd");

  // Neighbouring runs are merged, until one is left.
  int in = 1;
  for (int runs = ranks; runs > 1; runs = (runs + 1) / 2, in ^= 1) {
    const unsigned int *const k = keys[in], *const p = positions[in];
    for (int i = 0; i < runs; i += 2) {
      const size_t begin = start[i], middle = start[i + 1],
                   end = start[i + 2 < runs ? i + 2 : runs];
      if (pairs)
        thrust::merge_by_key(policy, k + begin, k + middle, k + middle, k + end, p + begin,
                             p + middle, keys[in ^ 1] + begin, positions[in ^ 1] + begin);
      else
        thrust::merge(policy, k + begin, k + middle, k + middle, k + end, keys[in ^ 1] + begin);
      start[i / 2] = begin;
    }
    start[(runs + 1) / 2] = sort->count;
  }
  if (in == 1) {
    std::swap(sort->keys[0], sort->keys[1]);
    std::swap(sort->positions[0], sort->positions[1]);
  }
  return true;
}

#else

bool sample_sort(void *, SampleSort *) { return false; }

#endif
