// Device memory: ordinary memory, remembered as the device's or as pinned.
#ifndef CUDA_CPU_REGIONS_H
#define CUDA_CPU_REGIONS_H

#include <cuda_runtime_api.h>

#include <cstddef>

namespace cuda_cpu {

enum class Place { kHost, kDevice, kPinned, kManaged };  // the last two: both sides may use it

// Where a pointer points; one past the end of a device array still counts as that array.
Place place_of(const void *pointer);

// False if the range begins in an allocation and ends beyond it.
bool fits(const void *pointer, std::size_t bytes);

// Marks memory of the program as pinned, and back.
cudaError_t pin(void *memory, std::size_t bytes);
cudaError_t unpin(void *memory);

// Memory filled with kPoison; null for 0 bytes. Fails when device memory is used up.
cudaError_t allocate(void **memory, std::size_t bytes, Place place, bool fill = true);
cudaError_t release(void *memory, Place place);

std::size_t allocated_bytes();

}  // namespace cuda_cpu
#endif
