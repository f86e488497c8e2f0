#include "multi/baseline.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/scratch.h"
#include "common/your_sort.h"
#include "harness/measure/clock.h"
#include "multi/split/splitters.h"
#include "multi/world/step.h"

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double median_of(double *times, int count) {
  qsort(times, (size_t)count, sizeof *times, ascending);
  return times[count / 2];
}

// Whether the version's scratch memory fits, too, if it states how much that is.
static bool scratch_fits(size_t count, bool pairs) {
  size_t free_bytes = 0, total = 0;
  CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
  const double each = pairs ? sort_version.scratch_per_pair : sort_version.scratch_per_key;
  return each >= 0.0 && each * (double)count < (double)free_bytes;
}

// One sort of `count` elements of the input, in milliseconds.
static double sort_once(const ShardInput *input, Elements in, Elements out, size_t count) {
  if (count == 0) return 0.0;
  shard_input_write(input, 0, count, in);
  CUDA_CHECK(cudaDeviceSynchronize());
  const double start = seconds_now();
  your_sort(in.keys, in.positions, out.keys, out.positions, count);
  CUDA_CHECK(cudaDeviceSynchronize());
  return 1e3 * (seconds_now() - start);
}

// Collective: the median time of the slowest rank; ranks with count 0 only wait. 0 if the elements
// do not fit into the device of some rank.
static double time_alone(const Job *job, const ShardInput *input, size_t count) {
  const int repetitions = job->request->repetitions;
  Elements in = {NULL, NULL}, out = {NULL, NULL};
  scratch_trim();
  const bool fits = count <= sort_version.max_n && elements_alloc(&in, count, job->pairs) &&
                    elements_alloc(&out, count, job->pairs) && scratch_fits(count, job->pairs);
  double median = 0.0;
  if (world_max(job->world, !fits) == 0) {
    double *const times = MEMORY_CHECK(calloc((size_t)repetitions, sizeof *times));
    for (int i = -1; i < repetitions; i++) {
      const double time = sort_once(input, in, out, count);
      step_enter("baseline");
      const double slowest = world_max_real(job->world, time);
      if (i >= 0) times[i] = slowest;
    }
    median = median_of(times, repetitions);
    free(times);
  }
  elements_free(&out);
  elements_free(&in);
  return median;
}

// Collective: bytes per second, in plus out and added up over the ranks, of copies in both
// directions at once between page-locked host memory and the device. device_memory: bytes that the
// arrays on the device may take; 0: any.
static double copy_rate(const World *world, uint64_t device_memory) {
  enum { REPETITIONS = 9 };
#ifdef CUDA_CPU
  size_t bytes = (size_t)1 << 22;
#else
  size_t bytes = (size_t)1 << 30;
#endif
  while (device_memory > 0 && bytes > 4096 && 2 * bytes > device_memory) bytes /= 2;
  void *host[2] = {NULL, NULL}, *device[2] = {NULL, NULL};
  cudaStream_t stream[2];
  for (int i = 0; i < 2; i++) {
    CUDA_CHECK(cudaMallocHost(&host[i], bytes));
    CUDA_CHECK(cudaMalloc(&device[i], bytes));
    CUDA_CHECK(cudaMemset(device[i], 1, bytes));
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
  }
  double times[REPETITIONS] = {0.0};
  for (int run = -1; run < REPETITIONS; run++) {
    CUDA_CHECK(cudaDeviceSynchronize());
    world_barrier(world);
    const double start = seconds_now();
    CUDA_CHECK(cudaMemcpyAsync(device[0], host[0], bytes, cudaMemcpyHostToDevice, stream[0]));
    CUDA_CHECK(cudaMemcpyAsync(host[1], device[1], bytes, cudaMemcpyDeviceToHost, stream[1]));
    CUDA_CHECK(cudaDeviceSynchronize());
    const double slowest = world_max_real(world, seconds_now() - start);
    if (run >= 0) times[run] = slowest;
  }
  for (int i = 0; i < 2; i++) {
    CUDA_CHECK(cudaStreamDestroy(stream[i]));
    CUDA_CHECK(cudaFree(device[i]));
    CUDA_CHECK(cudaFreeHost(host[i]));
  }
  return 2.0 * (double)bytes * world->ranks / median_of(times, REPETITIONS);
}

Baselines baselines_measure(const Job *job) {
  const World *const world = job->world;
  Baselines found = {0.0, 0.0, 0.0};
  step_enter("baseline");
  if (job->request->host) {
    found.copy_bytes_per_second = copy_rate(world, job->request->device_memory);
    return found;
  }
  if (world->ranks == 1) return found;
  // The ranks' shards may be unequal, and a file's are in host memory: so a generated input of the
  // share's size, or as much of the file's shard as there is.
  ShardInput input = job->input;
  const uint64_t begin = share_begin(input.n, world->rank, world->ranks);
  size_t count = share_begin(input.n, world->rank + 1, world->ranks) - begin;
  if (input.file_keys != NULL && count > input.count) count = input.count;
  if (input.file_keys == NULL) input.begin = begin;
  found.share_ms = time_alone(job, &input, count);
  if (input.file_keys != NULL) return found;
  input.begin = 0;
  found.all_ms = time_alone(job, &input, world->rank == 0 ? input.n : 0);
  return found;
}
