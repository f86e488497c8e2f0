#include "multi/world/memory.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "common/check.h"

// ---- arrays of elements -------------------------------------------------------------------------

static bool lay_out(Elements *elements, void *memory, size_t count, bool pairs) {
  (void)cudaGetLastError();
  *elements = (Elements){memory, NULL};
  if (pairs && memory != NULL) elements->positions = elements->keys + elements_aligned(count);
  return memory != NULL;
}

static size_t bytes_of(size_t count, bool pairs) {
  return elements_aligned(count) * (pairs ? 2 : 1) * sizeof(unsigned int);
}

bool elements_alloc(Elements *elements, size_t count, bool pairs) {
  void *memory = NULL;
  if (cudaMalloc(&memory, bytes_of(count, pairs)) != cudaSuccess) memory = NULL;
  return lay_out(elements, memory, count, pairs);
}

bool elements_alloc_host(Elements *elements, size_t count, bool pairs) {
  void *memory = NULL;
  if (cudaMallocHost(&memory, bytes_of(count, pairs)) != cudaSuccess) memory = NULL;
  return lay_out(elements, memory, count, pairs);
}

void elements_free(Elements *elements) {
  CUDA_CHECK(cudaFree(elements->keys));
  *elements = (Elements){NULL, NULL};
}

void elements_free_host(Elements *elements) {
  CUDA_CHECK(cudaFreeHost(elements->keys));
  *elements = (Elements){NULL, NULL};
}

bool scratch_fits(size_t count, double each) {
  size_t free_bytes = 0, total = 0;
  CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
  return each >= 0.0 && each * (double)count < (double)free_bytes;
}

void elements_copy(Elements to, Elements from, size_t count) {
  const size_t bytes = count * sizeof *to.keys;
  if (count == 0) return;
  CUDA_CHECK(cudaMemcpy(to.keys, from.keys, bytes, cudaMemcpyDefault));
  if (to.positions != NULL && from.positions != NULL)
    CUDA_CHECK(cudaMemcpy(to.positions, from.positions, bytes, cudaMemcpyDefault));
}

// ---- shared host memory -------------------------------------------------------------------------

// Parts begin at pages, each in memory near its rank. Too little memory is an error that the caller
// handles.
static bool open_window(const World *world, size_t bytes, SharedMemory *memory) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  void *own = NULL;
  MPI_Comm_set_errhandler(world->comm, MPI_ERRORS_RETURN);
  const bool good = MPI_Win_allocate_shared((MPI_Aint)bytes, 1, info, world->comm, &own,
                                            &memory->window) == MPI_SUCCESS;
  MPI_Comm_set_errhandler(world->comm, MPI_ERRORS_ARE_FATAL);
  MPI_Info_free(&info);
  return good;
}

// Finds all parts and locks their pages. Returns the number of parts for which that worked.
static int lock_parts(const World *world, SharedMemory *memory) {
  for (int r = 0; r < world->ranks; r++) {
    MPI_Aint size = 0;
    int unit = 0;
    MPI_Win_shared_query(memory->window, r, &size, &unit, (void *)&memory->of[r]);
    if (cudaHostRegister(memory->of[r], (size_t)size, cudaHostRegisterDefault) != cudaSuccess) {
      (void)cudaGetLastError();
      return r;
    }
  }
  return world->ranks;
}

static void close_window(SharedMemory *memory, int locked) {
  for (int r = 0; r < locked; r++) CUDA_CHECK(cudaHostUnregister(memory->of[r]));
  MPI_Win_free(&memory->window);
  free(memory->of);
  memory->of = NULL;
}

bool shared_memory_create(const World *world, size_t bytes, SharedMemory *memory) {
  *memory = (SharedMemory){.window = MPI_WIN_NULL};
  if (world->local_ranks != world->ranks) return false;
  // An empty part could not be page-locked.
  const bool opened = open_window(world, bytes + sizeof(void *), memory);
  if (world_max(world, !opened) != 0) {
    if (opened) MPI_Win_free(&memory->window);
    return false;
  }
  memory->of = MEMORY_CHECK(calloc((size_t)world->ranks, sizeof *memory->of));
  const int locked = lock_parts(world, memory);
  if (world_max(world, locked < world->ranks) == 0) return true;
  close_window(memory, locked);
  return false;
}

void shared_memory_destroy(const World *world, SharedMemory *memory) {
  if (memory->of != NULL) close_window(memory, world->ranks);
}

// ---- device arrays of all ranks -----------------------------------------------------------------

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
