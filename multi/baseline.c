#include "multi/baseline.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/scratch.h"
#include "common/your_sort.h"
#include "harness/measure/clock.h"
#include "multi/host_copy.h"
#include "multi/splitters.h"
#include "multi/step.h"

enum { IN_KEYS, IN_POSITIONS, OUT_KEYS, OUT_POSITIONS, ARRAYS };

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Four arrays of count elements, or two for bare keys; false if the device has too little memory.
static bool arrays_alloc(unsigned int *array[ARRAYS], size_t count, bool pairs) {
  bool good = true;
  for (int a = 0; a < ARRAYS; a++) {
    array[a] = NULL;
    if (!good || (!pairs && a % 2 == 1)) continue;
    good = cudaMalloc((void **)&array[a], (count + 1) * sizeof *array[a]) == cudaSuccess;
  }
  (void)cudaGetLastError();
  return good;
}

static void arrays_free(unsigned int *array[ARRAYS]) {
  for (int a = 0; a < ARRAYS; a++)
    if (array[a] != NULL) CUDA_CHECK(cudaFree(array[a]));
}

// Whether the version's scratch memory fits, too, if it states how much that is.
static bool scratch_fits(size_t count, bool pairs) {
  size_t free_bytes = 0, total = 0;
  CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
  const double each = pairs ? sort_version.scratch_per_pair : sort_version.scratch_per_key;
  return each >= 0.0 && each * (double)count < (double)free_bytes;
}

// One sort of `count` elements of the input from `first` on, in milliseconds.
static double sort_once(const ShardInput *input, unsigned int *array[ARRAYS], size_t count) {
  shard_input_write(input, 0, count, array[IN_KEYS], array[IN_POSITIONS]);
  CUDA_CHECK(cudaDeviceSynchronize());
  const double start = seconds_now();
  your_sort(array[IN_KEYS], array[IN_POSITIONS], array[OUT_KEYS], array[OUT_POSITIONS], count);
  CUDA_CHECK(cudaDeviceSynchronize());
  return 1e3 * (seconds_now() - start);
}

// Collective: the median time of the slowest rank; ranks with count 0 only wait. 0 if the elements
// do not fit into the device of some rank.
static double time_alone(const World *world, ShardInput input, size_t count, bool pairs,
                         int repetitions) {
  unsigned int *array[ARRAYS];
  scratch_trim();
  const bool fits = count <= sort_version.max_n && arrays_alloc(array, count, pairs) &&
                    scratch_fits(count, pairs);
  if (count > sort_version.max_n) array[0] = array[1] = array[2] = array[3] = NULL;
  double median = 0.0;
  if (world_max(world, !fits) == 0) {
    double *const times = MEMORY_CHECK(calloc((size_t)repetitions, sizeof *times));
    for (int i = -1; i < repetitions; i++) {
      const double time = count > 0 ? sort_once(&input, array, count) : 0.0;
      step_enter("baseline");
      const double slowest = world_max_real(world, time);
      if (i >= 0) times[i] = slowest;
    }
    qsort(times, (size_t)repetitions, sizeof *times, ascending);
    median = times[repetitions / 2];
    free(times);
  }
  arrays_free(array);
  return median;
}

void baseline_measure(Row *row, const Job *job, int repetitions) {
  const World *const world = job->world;
  step_enter("baseline");
  if (row->way == &host_way) {
    row->copy_bytes_per_second = host_copy_rate(world, job->device_memory);
    return;
  }
  if (world->ranks == 1) return;
  // The ranks' own shards may be unequal, those of a file are in host memory: so a generated input
  // of the share's size, or as much of the file's shard as there is.
  ShardInput input = job->input;
  const uint64_t begin = share_begin(row->n, world->rank, world->ranks);
  size_t count = share_begin(row->n, world->rank + 1, world->ranks) - begin;
  if (input.file_keys != NULL && count > input.count) count = input.count;
  if (input.file_keys == NULL) input.begin = begin;
  row->share_ms = time_alone(world, input, count, row->pairs, repetitions);
  if (input.file_keys != NULL) return;
  input.begin = 0;
  row->all_ms = time_alone(world, input, world->rank == 0 ? row->n : 0, row->pairs, repetitions);
}
