// Shared memory of the running block. The rewriter turns __shared__ declarations into these calls.
#ifndef CUDA_CPU_SHARED_H
#define CUDA_CPU_SHARED_H

#include <cstddef>
#include <type_traits>

namespace cuda_cpu {

// The dynamic part, of the size that the launch asked for. Ends the program outside kernels.
void *dynamic_shared(const char *name = nullptr, std::size_t element_bytes = 1);

// The static array that `key` identifies; all threads of a block get the same memory. Its bytes are
// kPoison when the block first asks for it. Ends the program outside kernels and beyond the limits.
void *static_shared(const void *key, std::size_t bytes, std::size_t alignment,
                    const char *name = nullptr, std::size_t element_bytes = 1);

}  // namespace cuda_cpu
#endif
