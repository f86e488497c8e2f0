// The memory behind an allocation, with a guard at either end. A write into a guard is found when
// the memory is released or the program ends, and damages no other array.
#ifndef CUDA_CPU_BACKING_H
#define CUDA_CPU_BACKING_H

#include <cstddef>

namespace cuda_cpu {

enum class Place { kHost, kDevice, kPinned, kManaged };  // the last two: both sides may use it

namespace backing {

// Aligned to 256 bytes; null if there is none.
char *allocate(std::size_t bytes, Place place);
void release(char *memory, Place place);

// memcheck: ends the program if a guard was written.
void check_guards(const char *memory, std::size_t bytes);

// Builds with AddressSanitizer: whether device memory may be touched.
void set_access(void *memory, std::size_t bytes, bool open);

// The array's user keeps it for later: whoever touches it crashes, as far as this costs little
// time. Not in CHECK builds.
void set_unused(char *memory, std::size_t bytes, bool unused);

}  // namespace backing
}  // namespace cuda_cpu
#endif
