// Counts of the upper or lower halves of keys, on this rank and on all. On one machine the ranks
// add them up in host memory that all of them see: each a part of the values, so that the time does
// not grow with the number of ranks. Elsewhere the transport adds them up.
#include <string.h>

#include "common/check.h"
#include "multi/shard_work.h"

static uint64_t *sums_of(const struct ShardWork *work, int rank) {
  return (uint64_t *)work->shared.of[rank] + (size_t)SHARED_SUMS * HALF_VALUES;
}

static int first_value(const World *world, int rank) {
  return (int)share_begin(HALF_VALUES, rank, world->ranks);
}

// The own counts of all ranks are in shared memory.
static void add_up(const World *world, const struct ShardWork *work, HalfCounts counts) {
  const ptrdiff_t kind = counts.own - (uint64_t *)work->shared.of[world->rank];
  const int first = first_value(world, world->rank), behind = first_value(world, world->rank + 1);
  uint64_t *const sums = sums_of(work, world->rank);
  memset(sums + first, 0, (size_t)(behind - first) * sizeof *sums);
  for (int r = 0; r < world->ranks; r++) {
    const uint64_t *const own = (const uint64_t *)work->shared.of[r] + kind;
    for (int v = first; v < behind; v++) sums[v] += own[v];
  }
}

void shard_count(ShardSort *sort, int prefix, HalfCounts counts) {
  struct ShardWork *const work = sort->work;
  const World *const world = sort->world;
  const size_t bytes = HALF_VALUES * sizeof *counts.own;
  count_halves(sort->input.keys, sort->shard, prefix, work->device_counts);
  if (work->shared.of == NULL) {
    CUDA_CHECK(cudaMemcpy(counts.own, work->device_counts, bytes, cudaMemcpyDeviceToHost));
    sort->exchange->transport->sum(sort->exchange, work->device_counts, HALF_VALUES);
    CUDA_CHECK(cudaMemcpy(counts.all, work->device_counts, bytes, cudaMemcpyDeviceToHost));
    return;
  }
  CUDA_CHECK(cudaMemcpy(counts.own, work->device_counts, bytes, cudaMemcpyDeviceToHost));
  world_barrier(world);
  add_up(world, work, counts);
  // Behind this barrier no rank reads the others' own counts, so that they may change. Sums change
  // behind the next count's first barrier.
  world_barrier(world);
  for (int r = 0; r < world->ranks; r++) {
    const int first = first_value(world, r), values = first_value(world, r + 1) - first;
    memcpy(counts.all + first, sums_of(work, r) + first, (size_t)values * sizeof *counts.all);
  }
}
