#include "multi/host_exchange.h"

#include <stdlib.h>
#include <string.h>

#include "common/check.h"

// The lengths of all slices that this rank gets, in the order of (rank, run).
static uint64_t *exchange_lengths(const World *world, const size_t *cut, int count,
                                  const int *runs_of) {
  const size_t ranks = (size_t)world->ranks;
  int *const numbers = MEMORY_CHECK(calloc(3 * ranks, sizeof *numbers));
  int *const send_counts = numbers, *const send_begin = numbers + ranks,
             *const receive_begin = numbers + 2 * ranks;
  int slices = 0;
  for (size_t r = 0; r < ranks; r++) {
    send_counts[r] = count;
    send_begin[r] = (int)r * count;
    receive_begin[r] = slices;
    slices += runs_of[r];
  }
  uint64_t *const mine = MEMORY_CHECK(calloc(ranks * (size_t)count + 1, sizeof *mine));
  uint64_t *const lengths = MEMORY_CHECK(calloc((size_t)slices + 1, sizeof *lengths));
  for (size_t i = 0; i < ranks * (size_t)count; i++) mine[i] = cut[i + (size_t)count] - cut[i];
  MPI_Alltoallv(mine, send_counts, send_begin, MPI_UINT64_T, lengths, runs_of, receive_begin,
                MPI_UINT64_T, world->comm);
  free(mine);
  free(numbers);
  return lengths;
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
  int *const runs_of = MEMORY_CHECK(calloc((size_t)world->ranks, sizeof *runs_of));
  MPI_Allgather(&count, 1, MPI_INT, runs_of, 1, MPI_INT, world->comm);
  uint64_t *const lengths = exchange_lengths(world, cut, count, runs_of);
  *slices = 0;
  for (int r = 0; r < world->ranks; r++) *slices += runs_of[r];
  HostSlice *const all = MEMORY_CHECK(calloc((size_t)*slices + 1, sizeof *all));
  const size_t most_requests = 2 * ((size_t)*slices + (size_t)world->ranks * (size_t)count);
  Requests requests = {MEMORY_CHECK(calloc(most_requests + 1, sizeof(MPI_Request))), 0};

  size_t place = 0;
  *received = 0;
  int own_first = 0, slice = 0;
  for (int r = 0; r < world->ranks; r++) {
    if (r == world->rank) own_first = slice;
    for (int k = 0; k < runs_of[r]; k++, slice++) {
      const size_t length = lengths[slice];
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
  free(lengths);
  free(runs_of);
  return all;
}
