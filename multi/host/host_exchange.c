#include "multi/host/host_exchange.h"

#include <stdlib.h>
#include <string.h>

#include "common/check.h"

// A part of a run, in elements.
typedef struct Part {
  uint64_t begin, length;  // begin: in its rank's array
} Part;

// The parts that this rank gets, in the order of (rank, run). The runs lie in one array, which
// begins at `base`.
static Part *exchange_parts(const World *world, const HostSlice *runs, int count, const size_t *cut,
                            const unsigned int *base, const int *runs_of) {
  const size_t ranks = (size_t)world->ranks;
  int *const numbers = MEMORY_CHECK(calloc(4 * ranks, sizeof *numbers));
  int *const send_counts = numbers, *const send_begin = numbers + ranks,
             *const receive_counts = numbers + 2 * ranks,
             *const receive_begin = numbers + 3 * ranks;
  int slices = 0;
  for (size_t r = 0; r < ranks; r++) {  // a part is two numbers
    send_counts[r] = 2 * count;
    send_begin[r] = 2 * (int)r * count;
    receive_counts[r] = 2 * runs_of[r];
    receive_begin[r] = 2 * slices;
    slices += runs_of[r];
  }
  Part *const mine = MEMORY_CHECK(calloc(ranks * (size_t)count + 1, sizeof *mine));
  Part *const parts = MEMORY_CHECK(calloc((size_t)slices + 1, sizeof *parts));
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

// Numbers of runs of all ranks, malloc'ed, and their sum.
static int *gather_runs(const World *world, int count, int *sum) {
  int *const runs_of = MEMORY_CHECK(calloc((size_t)world->ranks, sizeof *runs_of));
  MPI_Allgather(&count, 1, MPI_INT, runs_of, 1, MPI_INT, world->comm);
  *sum = 0;
  for (int r = 0; r < world->ranks; r++) *sum += runs_of[r];
  return runs_of;
}

HostSlice *host_view(const World *world, const HostSlice *runs, int count, const size_t *cut,
                     const SharedMemory *keys, const SharedMemory *positions, int *slices,
                     uint64_t *received) {
  int *const runs_of = gather_runs(world, count, slices);
  Part *const parts = exchange_parts(world, runs, count, cut, keys->of[world->rank], runs_of);
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
static void receive(const World *world, Requests *requests, Elements to, size_t count, int rank) {
  if (count == 0) return;
  MPI_Irecv(to.keys, (int)count, MPI_UINT32_T, rank, 0, world->comm,
            &requests->request[requests->count++]);
  if (to.positions != NULL)
    MPI_Irecv(to.positions, (int)count, MPI_UINT32_T, rank, 0, world->comm,
              &requests->request[requests->count++]);
}

static void send(const World *world, Requests *requests, Elements from, size_t count, int rank) {
  if (count == 0) return;
  MPI_Isend(from.keys, (int)count, MPI_UINT32_T, rank, 0, world->comm,
            &requests->request[requests->count++]);
  if (from.positions != NULL)
    MPI_Isend(from.positions, (int)count, MPI_UINT32_T, rank, 0, world->comm,
              &requests->request[requests->count++]);
}

HostSlice *host_exchange(const World *world, const HostSlice *runs, int count, const size_t *cut,
                         Elements to, size_t capacity, int *slices, uint64_t *received) {
  int *const runs_of = gather_runs(world, count, slices);
  Part *const parts =
      exchange_parts(world, runs, count, cut, count > 0 ? runs[0].elements.keys : NULL, runs_of);
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
        receive(world, &requests, all[slice].elements, length, r);
        *received += length;
      }
      place += length;
    }
  }
  for (int step = 1; step < world->ranks; step++) {
    const int r = (world->rank + step) % world->ranks;
    const size_t *const begin = cut + (size_t)r * (size_t)count, *const end = begin + count;
    for (int k = 0; k < count; k++)
      send(world, &requests, elements_at(runs[k].elements, begin[k]), end[k] - begin[k], r);
  }
  const size_t *const own = cut + (size_t)world->rank * (size_t)count;
  for (int k = 0; k < count; k++) {
    const HostSlice *const kept = &all[own_first + k];
    const Elements from = elements_at(runs[k].elements, own[k]);
    if (kept->count == 0) continue;
    memcpy(kept->elements.keys, from.keys, kept->count * sizeof *from.keys);
    if (kept->elements.positions != NULL && from.positions != NULL)
      memcpy(kept->elements.positions, from.positions, kept->count * sizeof *from.positions);
  }
  MPI_Waitall(requests.count, requests.request, MPI_STATUSES_IGNORE);
  free(requests.request);
  free(parts);
  free(runs_of);
  return all;
}
