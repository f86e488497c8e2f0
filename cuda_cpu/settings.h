// What the environment says about the cpu backend.
#ifndef CUDA_CPU_SETTINGS_H
#define CUDA_CPU_SETTINGS_H

#include <cstddef>
#include <cstdint>

namespace cuda_cpu {

struct Settings {
  bool shuffle;  // CUDA_CPU_RACECHECK=SEED: threads run in shuffled order
  std::uint64_t seed;
  std::size_t
      memory_limit;  // CUDA_CPU_MEMORY=BYTES: the "device" has no more (default: 90% of RAM)
};
const Settings &settings();

// Device memory and shared memory start out with this byte (initcheck).
constexpr int kPoison = 0xdb;

// The limits of a Hopper GPU (CUDA programming guide, "Compute Capabilities", 9.0).
constexpr unsigned kMaxThreadsPerBlock = 1024;
constexpr unsigned kMaxThreadsPerMultiprocessor = 2048;
constexpr unsigned kMaxBlocksPerMultiprocessor = 32;
constexpr std::size_t kSharedDefault = 48 * 1024;
constexpr std::size_t kSharedOptIn = 227 * 1024;
constexpr std::size_t kSharedPerMultiprocessor = 228 * 1024;
constexpr std::size_t kSharedReservedPerBlock = 1024;

int multiprocessors();  // OpenMP's threads

}  // namespace cuda_cpu
#endif
