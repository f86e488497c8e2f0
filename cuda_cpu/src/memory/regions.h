// Device memory: ordinary memory, remembered as the device's or as pinned.
#ifndef CUDA_CPU_REGIONS_H
#define CUDA_CPU_REGIONS_H

#include <cuda_runtime_api.h>

#include <cstddef>

#include "backing.h"

namespace cuda_cpu {

// Where a pointer points; one past the end of a device array still counts as that array.
Place place_of(const void *pointer);

// False if the range begins in an allocation and ends beyond it.
bool fits(const void *pointer, std::size_t bytes);

// Marks memory of the program as pinned, and back.
cudaError_t pin(void *memory, std::size_t bytes);
cudaError_t unpin(void *memory);

// Whom device memory counts with, where cudaMalloc has not allocated it: ../pools, ../graphs.
struct Owner {
  const char *const name;  // by which it keeps an array unused, for reports
  // What cudaFree does with it.
  virtual cudaError_t free(void *memory, std::size_t bytes) = 0;

 protected:
  explicit Owner(const char *n) : name(n) {}
  ~Owner() = default;
};

// Memory filled with kPoison; null for 0 bytes. Fails when device memory is used up.
cudaError_t allocate(void **memory, std::size_t bytes, Place place, bool fill = true,
                     Owner *owner = nullptr);
cudaError_t release(void *memory, Place place);
// Of an array that begins here, and its size; null if there is none.
Owner *owner_of(const void *memory, std::size_t *bytes = nullptr);

// Whether its owner keeps it unused now.
bool is_kept(const void *memory);

std::size_t allocated_bytes();

// cudaDeviceReset(): releases all device memory and all that cudaMallocHost allocated.
void release_everything();

// An array that `address` is in or near to.
struct Nearby {
  std::size_t bytes;
  std::ptrdiff_t offset;  // of the address from its start
  Place place;
  const char *freed_by;  // a call, or null while it is in use
};
// False if there is none. With `wait` false also if another thread is allocating now.
bool find_nearby(const void *address, Nearby *nearby, bool wait = true);

// A note on stderr if the pointer points into memory that was freed: `call` is given it.
void note_freed(const char *call, const void *pointer);

// memcheck: ends the program if the pointer points into an array that the program keeps unused
// (cuda_cpu_mark_unused): `call` is given it. False, with a note, if its owner keeps it unused.
bool check_in_use(const char *call, const void *pointer);

// cudaMemcpy of rows that are a pitch apart.
cudaError_t copy_rows(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, cudaMemcpyKind kind);

}  // namespace cuda_cpu
#endif
