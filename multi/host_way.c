// Arrays in host memory, of any size that the host holds. Each element goes through a device twice:
//
//   runs    pieces of the shard that fit into the device are sorted, each in place
//   cuts    exact indices of the ranks' borders in all runs of all ranks (sorted_cut.h)
//   exchange  the parts of the runs go to their ranks, from host memory to host memory; ranks of
//           one machine read them where they lie instead
//   ranges  pieces of the result, cut out of the runs in the same way, are sorted and written to
//           their final indices
//
// With one rank there is no exchange.
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/scratch.h"
#include "common/your_sort.h"
#include "harness/measure/clock.h"
#include "multi/host_exchange.h"
#include "multi/host_state.h"
#include "multi/sorted_cut.h"
#include "multi/splitters.h"
#include "multi/step.h"

enum { RUNS, CUTS, EXCHANGE, RANGES };
static const char *const stages[] = {"runs", "cuts", "exchange", "ranges", NULL};

enum {
  LEAST_PIECE = 1024,
  // An array that fits is cut into a few pieces all the same, so that copies and sorts overlap.
  WANTED_PIECES = 16,
  WORTH_OVERLAPPING = 1 << 20,  // elements of a piece
};

// Elements of a piece that the device memory allows, at most.
static size_t most_of_piece(const Job *job) {
  double bytes = (double)job->device_memory;
  if (job->device_memory == 0) {
    size_t free_bytes = 0, total = 0;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
    bytes = 0.75 * (double)free_bytes / job->world->local_ranks;
  }
  double most = bytes / pipeline_bytes_per_element(job->pairs);
  if (most > (double)sort_version.max_n) most = (double)sort_version.max_n;
  return (size_t)most;
}

static size_t choose_piece(const Job *job, size_t most, size_t longest) {
  size_t piece = (longest + WANTED_PIECES - 1) / WANTED_PIECES;
  if (piece < WORTH_OVERLAPPING) piece = WORTH_OVERLAPPING;
  if (piece > longest) piece = longest;
  if (piece > most) piece = most;
  (void)job;
  return piece > LEAST_PIECE ? piece : LEAST_PIECE;
}

static bool host_alloc_elements(Elements *elements, size_t count, bool pairs) {
  const size_t bytes = (count + 1) * sizeof(unsigned int);
  bool good = cudaMallocHost((void **)&elements->keys, bytes) == cudaSuccess;
  if (pairs) good = good && cudaMallocHost((void **)&elements->positions, bytes) == cudaSuccess;
  (void)cudaGetLastError();
  return good;
}

// The first array, shared by the ranks if they are on one machine.
static bool alloc_first(HostState *state) {
  const World *const world = state->job.world;
  const size_t bytes = world_max(world, state->capacity) * sizeof(unsigned int);
  Exchange *const exchange = state->job.exchange;
  if (world->ranks > 1 && exchange->direct != DIRECT_NEVER &&
      shared_memory_create(world, bytes, &state->keys)) {
    state->shared = !state->job.pairs || shared_memory_create(world, bytes, &state->positions);
    if (!state->shared) shared_memory_destroy(world, &state->keys);
  }
  exchange->name = state->shared ? "direct" : "mpi";
  if (!state->shared) return host_alloc_elements(&state->first, state->capacity, state->job.pairs);
  state->first.keys = state->keys.of[world->rank];
  if (state->job.pairs) state->first.positions = state->positions.of[world->rank];
  return true;
}

static void *create(const Job *job) {
  const World *const world = job->world;
  HostState *const state = MEMORY_CHECK(calloc(1, sizeof *state));
  state->job = *job;
  const uint64_t n = job->input.n;
  state->share =
      share_begin(n, world->rank + 1, world->ranks) - share_begin(n, world->rank, world->ranks);
  state->capacity = state->share > job->input.count ? state->share : job->input.count;
  Message message;
  const size_t most = most_of_piece(job);
  message_write(&message, "--device-memory must be at least %.0f bytes, for pieces of %d elements",
                LEAST_PIECE * pipeline_bytes_per_element(job->pairs), LEAST_PIECE);
  world_require(world, most >= LEAST_PIECE, EXIT_USAGE, &message);
  message_write(&message, "the host has too little memory for two arrays of %zu %s",
                state->capacity, job->pairs ? "pairs" : "keys");
  bool good = alloc_first(state);
  good = !step_fault(world->rank, "create", "memory") && good &&
         host_alloc_elements(&state->second, state->capacity, job->pairs);
  world_require(world, good, EXIT_DEVICE, &message);
  const size_t piece = choose_piece(job, most, state->capacity);
  message_write(&message, "the device has too little memory for pieces of %zu elements", piece);
  good = pipeline_create(&state->pipeline, piece, job->pairs);
  world_require(world, good, EXIT_DEVICE, &message);
  return state;
}

static void free_host(Elements elements) {
  CUDA_CHECK(cudaFreeHost(elements.keys));
  if (elements.positions != NULL) CUDA_CHECK(cudaFreeHost(elements.positions));
}

static void destroy(void *memory) {
  HostState *const state = memory;
  pipeline_destroy(&state->pipeline);
  if (state->shared) {
    shared_memory_destroy(state->job.world, &state->positions);
    shared_memory_destroy(state->job.world, &state->keys);
  } else {
    free_host(state->first);
  }
  free_host(state->second);
  free(state);
}

// ---- a run --------------------------------------------------------------------------------------

static int pieces_of(const HostState *state, size_t count) {
  return (int)((count + state->pipeline.most - 1) / state->pipeline.most);
}

// Sorts pieces of the shard in place. Returns them, malloc'ed.
static HostSlice *sort_runs(HostState *state, int *count) {
  const size_t shard = state->job.input.count;
  *count = pieces_of(state, shard);
  HostSlice *const runs = MEMORY_CHECK(calloc((size_t)*count + 1, sizeof *runs));
  Piece *const pieces = MEMORY_CHECK(calloc((size_t)*count + 1, sizeof *pieces));
  for (int i = 0; i < *count; i++) {
    const size_t begin = share_begin(shard, i, *count), end = share_begin(shard, i + 1, *count);
    runs[i] = (HostSlice){elements_at(state->first, begin), end - begin};
    pieces[i] = (Piece){&runs[i], 1, runs[i].elements, end - begin};
  }
  pipeline_run(&state->pipeline, pieces, *count);
  free(pieces);
  return runs;
}

static void sum_over_world(const void *world, uint64_t *values, int count) {
  world_sums(world, values, count);
}

static void sum_before_over_world(const void *world, const uint64_t *values, uint64_t *before,
                                  int count) {
  world_sums_before(world, values, before, count);
}

// Cuts slices at `parts` - 1 indices that divide n elements evenly. Returns (parts + 1) * count
// indices, malloc'ed: the first row is zeros, the last one the slices' lengths.
static size_t *cut_evenly(const HostSlice *slices, int count, uint64_t n, int parts,
                          const CutSums *sums) {
  const size_t row = (size_t)count;
  size_t *const cut = MEMORY_CHECK(calloc((size_t)(parts + 1) * row + 1, sizeof *cut));
  uint64_t *const places = MEMORY_CHECK(calloc((size_t)parts + 1, sizeof *places));
  SortedSlice *const sorted = MEMORY_CHECK(calloc(row + 1, sizeof *sorted));
  for (int p = 1; p < parts; p++) places[p - 1] = share_begin(n, p, parts);
  for (size_t k = 0; k < row; k++) {
    sorted[k] = (SortedSlice){slices[k].elements.keys, slices[k].count};
    cut[(size_t)parts * row + k] = slices[k].count;
  }
  cut_sorted(sorted, count, places, parts - 1, sums, cut + row);
  free(sorted);
  free(places);
  return cut;
}

// Sorts the slices, which are sorted runs, as one array to `to`.
static void sort_ranges(HostState *state, const HostSlice *slices, int count, size_t n,
                        Elements to) {
  const int ranges = pieces_of(state, n);
  if (ranges == 0) return;
  size_t *const cut = cut_evenly(slices, count, n, ranges, NULL);
  HostSlice *const parts = MEMORY_CHECK(calloc((size_t)(ranges * count), sizeof *parts));
  Piece *const pieces = MEMORY_CHECK(calloc((size_t)ranges, sizeof *pieces));
  for (int p = 0; p < ranges; p++) {
    const size_t begin = share_begin(n, p, ranges), end = share_begin(n, p + 1, ranges);
    const size_t *const from = cut + (size_t)(p * count), *const behind = from + count;
    for (int k = 0; k < count; k++)
      parts[p * count + k] =
          (HostSlice){elements_at(slices[k].elements, from[k]), behind[k] - from[k]};
    pieces[p] = (Piece){parts + (size_t)(p * count), count, elements_at(to, begin), end - begin};
  }
  pipeline_run(&state->pipeline, pieces, ranges);
  free(pieces);
  free(parts);
  free(cut);
}

// The time since *last belongs to the stage.
static void mark(const HostState *state, double *seconds, int stage, double *last) {
  if (seconds == NULL) return;
  seconds[stage] += seconds_now() - *last;
  world_barrier(state->job.world);
  *last = seconds_now();
}

static RunFacts run(void *memory, double *seconds) {
  HostState *const state = memory;
  const World *const world = state->job.world;
  RunFacts facts = {0, state->share};
  double last = seconds_now();
  int count = 0;
  HostSlice *slices = sort_runs(state, &count);
  mark(state, seconds, RUNS, &last);
  Elements from = state->first, to = state->second;
  if (world->ranks > 1) {
    step_enter("cuts");
    const CutSums sums = {world, sum_over_world, sum_before_over_world};
    size_t *const cut = cut_evenly(slices, count, state->job.input.n, world->ranks, &sums);
    mark(state, seconds, CUTS, &last);
    step_enter("exchange");
    HostSlice *const mine = state->shared ? host_view(world, slices, count, cut, &state->keys,
                                                      &state->positions, &count, &facts.received)
                                          : host_exchange(world, slices, count, cut, state->second,
                                                          state->capacity, &count, &facts.received);
    free(cut);
    free(slices);
    slices = mine;
    if (!state->shared) {
      from = state->second;
      to = state->first;
    }
    mark(state, seconds, state->shared ? CUTS : EXCHANGE, &last);
  }
  // A single run is the result, if it is this rank's.
  const bool sorted = count <= 1 && !state->shared;
  state->result = sorted ? from : to;
  if (!sorted) sort_ranges(state, slices, count, state->share, to);
  mark(state, seconds, RANGES, &last);
  free(slices);
  step_leave();
  return facts;
}

const Way host_way = {.name = "host",
                      .stages = stages,
                      .create = create,
                      .destroy = destroy,
                      .fill = host_fill,
                      .run = run,
                      .look = host_look,
                      .fetch = host_fetch,
                      .poke = host_poke};
