#include "multi/peer_array.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "common/check.h"

#ifdef CUDA_CPU

// The device's memory is the host's.
static bool share(const World *world, size_t count, PeerArray *array) {
  if (!shared_memory_create(world, count * sizeof(unsigned int), &array->memory)) return false;
  for (int r = 0; r < world->ranks; r++) array->of[r] = array->memory.of[r];
  return true;
}

static void unshare(const World *world, PeerArray *array) {
  shared_memory_destroy(world, &array->memory);
}

#else

static bool all_good(const World *world, bool good) { return world_max(world, !good) == 0; }

enum { GRANULE = 1 << 21 };  // smaller blocks of cudaMalloc() may share one that is mapped whole

static void unmap(const World *world, const PeerArray *array) {
  for (int r = 0; r < world->ranks; r++)
    if (r != world->rank && array->of[r] != NULL) CUDA_CHECK(cudaIpcCloseMemHandle(array->of[r]));
}

static bool map(const World *world, PeerArray *array) {
  cudaIpcMemHandle_t own = {{0}};
  bool good = cudaIpcGetMemHandle(&own, array->of[world->rank]) == cudaSuccess;
  cudaIpcMemHandle_t *const handles = MEMORY_CHECK(calloc((size_t)world->ranks, sizeof *handles));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, handles, sizeof own, MPI_BYTE, world->comm);
  good = all_good(world, good);
  for (int r = 0; r < world->ranks && good; r++)
    if (r != world->rank)
      good = cudaIpcOpenMemHandle((void **)&array->of[r], handles[r],
                                  cudaIpcMemLazyEnablePeerAccess) == cudaSuccess;
  (void)cudaGetLastError();
  free(handles);
  if (all_good(world, good)) return true;
  unmap(world, array);
  return false;
}

static bool share(const World *world, size_t count, PeerArray *array) {
  const size_t bytes = (count * sizeof(unsigned int) / GRANULE + 1) * GRANULE;
  void *own = NULL;
  const bool good = cudaMalloc(&own, bytes) == cudaSuccess;
  (void)cudaGetLastError();
  array->of[world->rank] = own;
  if (all_good(world, good) && map(world, array)) return true;
  world_barrier(world);
  CUDA_CHECK(cudaFree(own));
  return false;
}

static void unshare(const World *world, PeerArray *array) {
  unmap(world, array);
  world_barrier(world);  // no rank has it mapped any more
  CUDA_CHECK(cudaFree(array->of[world->rank]));
}

#endif

bool peer_array_create(const World *world, size_t count, PeerArray *array) {
  *array = (PeerArray){.of = NULL};
  if (world->local_ranks != world->ranks) return false;
  array->of = MEMORY_CHECK(calloc((size_t)world->ranks, sizeof *array->of));
  if (share(world, count, array)) return true;
  free(array->of);
  array->of = NULL;
  return false;
}

void peer_array_destroy(const World *world, PeerArray *array) {
  if (array->of == NULL) return;
  unshare(world, array);
  free(array->of);
  array->of = NULL;
}
