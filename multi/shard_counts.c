// Counts of the upper or lower halves of keys, on this rank and on all. On one machine the ranks
// add them up in host memory that all of them see. Elsewhere the transport adds them up.
#include <string.h>

#include "common/check.h"
#include "multi/shard_work.h"

// Up to here each rank adds up all values; more ranks divide the values, so that the time does not
// grow with their number.
enum { FEW_RANKS = 4 };

static SharedCounts *shared_of(const struct ShardWork *work, int rank) {
  return (SharedCounts *)work->shared.of[rank];
}

// sums[v] = the counts of all ranks, for v = first .. behind - 1.
static void add_up(const World *world, const struct ShardWork *work, HalfKind kind, int first,
                   int behind, uint64_t *sums) {
  const uint32_t *const own = shared_of(work, 0)->own[kind];
  for (int v = first; v < behind; v++) sums[v] = own[v];
  for (int r = 1; r < world->ranks; r++) {
    const uint32_t *const other = shared_of(work, r)->own[kind];
    for (int v = first; v < behind; v++) sums[v] += other[v];
  }
}

static int first_value(const World *world, int rank) {
  return (int)share_begin(HALF_VALUES, rank, world->ranks);
}

static void add_up_together(const World *world, const struct ShardWork *work, HalfKind kind,
                            uint64_t *all) {
  add_up(world, work, kind, first_value(world, world->rank), first_value(world, world->rank + 1),
         shared_of(work, world->rank)->sums);
  world_barrier(world);
  for (int r = 0; r < world->ranks; r++) {
    const int first = first_value(world, r), values = first_value(world, r + 1) - first;
    memcpy(all + first, shared_of(work, r)->sums + first, (size_t)values * sizeof *all);
  }
}

void shard_count(ShardSort *sort, int prefix, HalfKind kind) {
  struct ShardWork *const work = sort->work;
  const World *const world = sort->world;
  const HalfCounts counts = work->counts[kind];
  count_halves(sort->input.keys, sort->shard, prefix, work->own_counts);
  CUDA_CHECK(cudaMemcpy(counts.own, work->own_counts, HALF_VALUES * sizeof *counts.own,
                        cudaMemcpyDeviceToHost));
  if (work->shared.of == NULL) {
    widen_counts(work->own_counts, work->all_counts);
    sort->exchange->transport->sum(sort->exchange, work->all_counts, HALF_VALUES);
    CUDA_CHECK(cudaMemcpy(counts.all, work->all_counts, HALF_VALUES * sizeof *counts.all,
                          cudaMemcpyDeviceToHost));
    return;
  }
  world_barrier(world);
  if (world->ranks <= FEW_RANKS)
    add_up(world, work, kind, 0, HALF_VALUES, counts.all);
  else
    add_up_together(world, work, kind, counts.all);
  // The next count may follow at once, and must not change what others still read. Upper halves are
  // counted once in a run, between exchanges of other numbers.
  if (kind == LOWER_HALVES) world_barrier(world);
}
