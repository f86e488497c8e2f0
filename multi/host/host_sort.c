#include "multi/host/host_sort.h"

#include <stdlib.h>

#include "common/check.h"
#include "common/your_sort.h"
#include "multi/split/sorted_cut.h"
#include "multi/split/splitters.h"
#include "multi/world/step.h"

enum { RUNS, CUTS, EXCHANGE, RANGES };
const char *const host_stages[] = {"runs", "cuts", "exchange", "ranges", NULL};

enum {
  LEAST_PIECE = 1024,
  // Even an array that fits is cut into a few pieces, so that copies and sorts overlap.
  WANTED_PIECES = 16,
  WORTH_OVERLAPPING = 1 << 20,  // elements of a piece
};

// Elements of a piece that the device memory allows, at most.
static size_t most_of_piece(const World *world, bool pairs, uint64_t device_memory) {
  double bytes = (double)device_memory;
  if (device_memory == 0) {
    size_t free_bytes = 0, total = 0;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
    bytes = 0.75 * (double)free_bytes / world->local_ranks;
  }
  double most = bytes / pipeline_bytes_per_element(pairs);
  if (most > (double)sort_version.max_n) most = (double)sort_version.max_n;
  return (size_t)most;
}

static size_t choose_piece(size_t most, size_t longest) {
  size_t piece = (longest + WANTED_PIECES - 1) / WANTED_PIECES;
  if (piece < WORTH_OVERLAPPING) piece = WORTH_OVERLAPPING;
  if (piece > longest) piece = longest;
  if (piece > most) piece = most;
  return piece > LEAST_PIECE ? piece : LEAST_PIECE;
}

// The first array, shared by the ranks if they are on one machine.
static bool alloc_first(HostSort *sort, Exchange *exchange, bool pairs) {
  const World *const world = sort->world;
  const size_t bytes = world_max(world, sort->capacity) * sizeof(unsigned int);
  if (world->ranks > 1 && exchange->direct != DIRECT_NEVER &&
      shared_memory_create(world, bytes, &sort->keys)) {
    sort->shared = !pairs || shared_memory_create(world, bytes, &sort->positions);
    if (!sort->shared) shared_memory_destroy(world, &sort->keys);
  }
  exchange->name = sort->shared ? "direct" : "mpi";
  if (!sort->shared) return elements_alloc_host(&sort->first, sort->capacity, pairs);
  sort->first.keys = sort->keys.of[world->rank];
  if (pairs) sort->first.positions = sort->positions.of[world->rank];
  return true;
}

HostSort host_sort_create(const World *world, Exchange *exchange, uint64_t n, size_t shard,
                          bool pairs, uint64_t device_memory) {
  HostSort sort = {.world = world, .n = n, .shard = shard};
  sort.share =
      share_begin(n, world->rank + 1, world->ranks) - share_begin(n, world->rank, world->ranks);
  sort.capacity = sort.share > shard ? sort.share : shard;
  const size_t most = most_of_piece(world, pairs, device_memory);
  world_require(world, most >= LEAST_PIECE, EXIT_USAGE,
                "--device-memory must be at least %.0f bytes, for pieces of %d elements",
                LEAST_PIECE * pipeline_bytes_per_element(pairs), LEAST_PIECE);
  bool good = alloc_first(&sort, exchange, pairs);
  good = !step_fault(world->rank, "create", "memory") && good &&
         elements_alloc_host(&sort.second, sort.capacity, pairs);
  world_require(world, good, EXIT_DEVICE, "the host has too little memory for two arrays of %zu %s",
                sort.capacity, pairs ? "pairs" : "keys");
  const size_t piece = choose_piece(most, sort.capacity);
  good = pipeline_create(&sort.pipeline, piece, pairs);
  world_require(world, good, EXIT_DEVICE,
                "the device has too little memory for pieces of %zu elements", piece);
  return sort;
}

void host_sort_destroy(HostSort *sort) {
  pipeline_destroy(&sort->pipeline);
  if (sort->shared) {
    shared_memory_destroy(sort->world, &sort->positions);
    shared_memory_destroy(sort->world, &sort->keys);
  } else {
    elements_free_host(&sort->first);
  }
  elements_free_host(&sort->second);
}

// ---- parts of sorted runs in the ranks' host memories -------------------------------------------

// A part of a run, in elements.
typedef struct Part {
  uint64_t begin, length;  // begin: in its rank's array
} Part;

// Collective. The parts that this rank gets, in the order of (rank, run). The runs lie in one
// array, which begins at `base`. Sets *runs_of to the numbers of runs of all ranks and *slices to
// their sum. Parts and numbers are malloc'ed.
static Part *exchange_parts(const World *world, const HostSlice *runs, int count, const size_t *cut,
                            const unsigned int *base, int **runs_of, int *slices) {
  const size_t ranks = (size_t)world->ranks;
  *runs_of = MEMORY_CHECK(calloc(ranks, sizeof **runs_of));
  MPI_Allgather(&count, 1, MPI_INT, *runs_of, 1, MPI_INT, world->comm);
  int *const numbers = MEMORY_CHECK(calloc(4 * ranks, sizeof *numbers));
  int *const send_counts = numbers, *const send_begin = numbers + ranks,
             *const receive_counts = numbers + 2 * ranks,
             *const receive_begin = numbers + 3 * ranks;
  *slices = 0;
  for (size_t r = 0; r < ranks; r++) {  // a part is two numbers
    send_counts[r] = 2 * count;
    send_begin[r] = 2 * (int)r * count;
    receive_counts[r] = 2 * (*runs_of)[r];
    receive_begin[r] = 2 * *slices;
    *slices += (*runs_of)[r];
  }
  Part *const mine = MEMORY_CHECK(calloc(ranks * (size_t)count + 1, sizeof *mine));
  Part *const parts = MEMORY_CHECK(calloc((size_t)*slices + 1, sizeof *parts));
  for (size_t r = 0, i = 0; r < ranks; r++)
    for (int k = 0; k < count; k++, i++)
      mine[i] = (Part){(uint64_t)(runs[k].elements.keys - base) + cut[i],
                       cut[i + (size_t)count] - cut[i]};
  MPI_Alltoallv(mine, send_counts, send_begin, MPI_UINT64_T, parts, receive_counts, receive_begin,
                MPI_UINT64_T, world->comm);
  free(mine);
  free(numbers);
  return parts;
}

// Collective. The slices of host_exchange(), where they lie: the runs of each rank are in its part
// of `keys` and `positions` (whose `of` is NULL for bare keys). Nothing is copied.
static HostSlice *host_view(const World *world, const HostSlice *runs, int count, const size_t *cut,
                            const SharedMemory *keys, const SharedMemory *positions, int *slices,
                            uint64_t *received) {
  int *runs_of;
  Part *const parts =
      exchange_parts(world, runs, count, cut, keys->of[world->rank], &runs_of, slices);
  HostSlice *const all = MEMORY_CHECK(calloc((size_t)*slices + 1, sizeof *all));
  *received = 0;
  for (int r = 0, slice = 0; r < world->ranks; r++) {
    const Elements array = {keys->of[r], positions->of == NULL ? NULL : positions->of[r]};
    for (int k = 0; k < runs_of[r]; k++, slice++) {
      all[slice] = (HostSlice){elements_at(array, parts[slice].begin), parts[slice].length};
      if (r != world->rank) *received += parts[slice].length;
    }
  }
  free(parts);
  free(runs_of);
  return all;
}

typedef struct Requests {
  MPI_Request *request;
  int count;
} Requests;

// Messages between two ranks arrive in the order in which they are sent, so that all have one tag.
static void start(const World *world, Requests *requests, bool receives, Elements elements,
                  size_t count, int rank) {
  unsigned int *const arrays[] = {elements.keys, elements.positions};
  for (int i = 0; i < 2 && count > 0 && arrays[i] != NULL; i++) {
    MPI_Request *const request = &requests->request[requests->count++];
    if (receives)
      MPI_Irecv(arrays[i], (int)count, MPI_UINT32_T, rank, 0, world->comm, request);
    else
      MPI_Isend(arrays[i], (int)count, MPI_UINT32_T, rank, 0, world->comm, request);
  }
}

// Collective. Rank r gets of runs[k] the elements cut[r * count + k] to cut[(r + 1) * count + k]
// - 1. They are written to `to` in the order of (rank, run), one slice for each run of each rank.
// Returns the slices, malloc'ed, and sets *slices to their number and *received to the number of
// elements from other ranks. If they are more than `capacity`, the program ends with EXIT_DEVICE.
static HostSlice *host_exchange(const World *world, const HostSlice *runs, int count,
                                const size_t *cut, Elements to, size_t capacity, int *slices,
                                uint64_t *received) {
  const unsigned int *const base = count > 0 ? runs[0].elements.keys : NULL;
  int *runs_of;
  Part *const parts = exchange_parts(world, runs, count, cut, base, &runs_of, slices);
  HostSlice *const all = MEMORY_CHECK(calloc((size_t)*slices + 1, sizeof *all));
  const size_t most_requests = 2 * ((size_t)*slices + (size_t)world->ranks * (size_t)count);
  Requests requests = {MEMORY_CHECK(calloc(most_requests + 1, sizeof(MPI_Request))), 0};

  size_t place = 0;
  *received = 0;
  int own_first = 0, slice = 0;
  for (int r = 0; r < world->ranks; r++) {
    if (r == world->rank) own_first = slice;
    for (int k = 0; k < runs_of[r]; k++, slice++) {
      const size_t length = parts[slice].length;
      if (place + length > capacity)
        check_fail("multi_sort: rank %d would get more than its share of %zu elements", world->rank,
                   capacity);
      all[slice] = (HostSlice){elements_at(to, place), length};
      if (r != world->rank) {
        start(world, &requests, true, all[slice].elements, length, r);
        *received += length;
      }
      place += length;
    }
  }
  for (int step = 1; step < world->ranks; step++) {
    const int r = (world->rank + step) % world->ranks;
    const size_t *const begin = cut + (size_t)r * (size_t)count, *const end = begin + count;
    for (int k = 0; k < count; k++)
      start(world, &requests, false, elements_at(runs[k].elements, begin[k]), end[k] - begin[k], r);
  }
  const size_t *const own = cut + (size_t)world->rank * (size_t)count;
  for (int k = 0; k < count; k++) {
    const HostSlice *const kept = &all[own_first + k];
    elements_copy(kept->elements, elements_at(runs[k].elements, own[k]), kept->count);
  }
  MPI_Waitall(requests.count, requests.request, MPI_STATUSES_IGNORE);
  free(requests.request);
  free(parts);
  free(runs_of);
  return all;
}

// ---- a run --------------------------------------------------------------------------------------

static int pieces_of(const HostSort *sort, size_t count) {
  return (int)((count + sort->pipeline.most - 1) / sort->pipeline.most);
}

// Sorts pieces of the shard in place. Returns them, malloc'ed.
static HostSlice *sort_runs(HostSort *sort, int *count) {
  const size_t shard = sort->shard;
  *count = pieces_of(sort, shard);
  HostSlice *const runs = MEMORY_CHECK(calloc((size_t)*count + 1, sizeof *runs));
  Piece *const pieces = MEMORY_CHECK(calloc((size_t)*count + 1, sizeof *pieces));
  for (int i = 0; i < *count; i++) {
    const size_t begin = share_begin(shard, i, *count), end = share_begin(shard, i + 1, *count);
    runs[i] = (HostSlice){elements_at(sort->first, begin), end - begin};
    pieces[i] = (Piece){&runs[i], 1, runs[i].elements, end - begin};
  }
  pipeline_run(&sort->pipeline, pieces, *count);
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
static void sort_ranges(HostSort *sort, const HostSlice *slices, int count, size_t n, Elements to) {
  const int ranges = pieces_of(sort, n);
  if (ranges == 0) return;
  size_t *const cut = cut_evenly(slices, count, n, ranges, NULL);
  HostSlice *const parts = MEMORY_CHECK(calloc((size_t)(ranges * count) + 1, sizeof *parts));
  Piece *const pieces = MEMORY_CHECK(calloc((size_t)ranges, sizeof *pieces));
  for (int p = 0; p < ranges; p++) {
    const size_t begin = share_begin(n, p, ranges), end = share_begin(n, p + 1, ranges);
    const size_t *const from = cut + (size_t)(p * count), *const behind = from + count;
    for (int k = 0; k < count; k++)
      parts[p * count + k] =
          (HostSlice){elements_at(slices[k].elements, from[k]), behind[k] - from[k]};
    pieces[p] = (Piece){parts + (size_t)(p * count), count, elements_at(to, begin), end - begin};
  }
  pipeline_run(&sort->pipeline, pieces, ranges);
  free(pieces);
  free(parts);
  free(cut);
}

SortResult host_sort_run(HostSort *sort, double *seconds) {
  const World *const world = sort->world;
  SortResult result = {.begin = share_begin(sort->n, world->rank, world->ranks),
                       .count = sort->share};
  StageClock clock = stage_clock_start(world, seconds);
  int count = 0;
  HostSlice *slices = sort_runs(sort, &count);
  stage_end(&clock, RUNS);
  Elements from = sort->first, to = sort->second;
  if (world->ranks > 1) {
    step_enter("cuts");
    const CutSums sums = {world, sum_over_world, sum_before_over_world};
    size_t *const cut = cut_evenly(slices, count, sort->n, world->ranks, &sums);
    stage_end(&clock, CUTS);
    step_enter("exchange");
    HostSlice *const mine = sort->shared ? host_view(world, slices, count, cut, &sort->keys,
                                                     &sort->positions, &count, &result.received)
                                         : host_exchange(world, slices, count, cut, sort->second,
                                                         sort->capacity, &count, &result.received);
    free(cut);
    free(slices);
    slices = mine;
    if (!sort->shared) {
      from = sort->second;
      to = sort->first;
    }
    stage_end(&clock, sort->shared ? CUTS : EXCHANGE);
  }
  // A single run is the result, if it is this rank's.
  const bool sorted = count <= 1 && !sort->shared;
  result.elements = sorted ? from : to;
  if (!sorted) sort_ranges(sort, slices, count, sort->share, to);
  stage_end(&clock, RANGES);
  free(slices);
  step_leave();
  return result;
}
