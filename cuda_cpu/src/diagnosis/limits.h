// The limits of the simulated device, a Hopper GPU (CUDA C++ Programming Guide, "Compute
// Capabilities", 9.0).
#ifndef CUDA_CPU_LIMITS_H
#define CUDA_CPU_LIMITS_H

#include <cstddef>

namespace cuda_cpu {

constexpr unsigned kMaxThreadsPerBlock = 1024;
constexpr unsigned kMaxBlockZ = 64;
constexpr unsigned kMaxGridX = 0x7fffffff, kMaxGridYZ = 65535;
constexpr unsigned kMaxThreadsPerMultiprocessor = 2048;
constexpr unsigned kMaxBlocksPerMultiprocessor = 32;
constexpr std::size_t kSharedDefault = 48 * 1024;  // bytes, as all sizes here
constexpr std::size_t kSharedOptIn = 227 * 1024;
constexpr std::size_t kSharedPerMultiprocessor = 228 * 1024;
constexpr std::size_t kSharedReservedPerBlock = 1024;
constexpr std::size_t kMemoryAlignment = 512;  // of device memory; textures ask for it

// Device memory and shared memory start out with this byte (initcheck). CHECK builds report reads
// of it themselves; there a kernel that uses it should get far enough to show its other mistakes.
#ifdef CUDA_CPU_CHECK
constexpr int kPoison = 0;
#else
constexpr int kPoison = 0xdb;
#endif

// OpenMP's threads. In a COUNT build, which runs on one, an H100's: grids may depend on it.
int multiprocessors();
constexpr int kCountedMultiprocessors = 132;

// Launches from one grid's threads that may wait at the same time: 2,048, or the limit that
// cudaDeviceSetLimit set.
std::size_t pending_launch_limit();

}  // namespace cuda_cpu
#endif
