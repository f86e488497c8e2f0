#include "multi/shared_memory.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "common/check.h"

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
