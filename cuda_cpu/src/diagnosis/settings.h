// Settings from the environment, read once. A value that is not valid, or a CUDA_CPU_* variable
// that does not exist, ends the program with a sentence and exit code 2.
#ifndef CUDA_CPU_SETTINGS_H
#define CUDA_CPU_SETTINGS_H

#include <cstddef>
#include <cstdint>

#include "../memory/pages.h"

namespace cuda_cpu {

struct Settings {
  bool shuffle;              // CUDA_CPU_RACECHECK=SEED: threads run in shuffled order
  std::uint64_t seed;        // ... by this seed
  std::size_t memory_limit;  // CUDA_CPU_MEMORY=BYTES: size of device memory (default: 90% of RAM)
  pages::Guard protect;  // CUDA_CPU_PROTECT=keys|pages|off: at most this keeps host code out of it
};
const Settings &settings();

}  // namespace cuda_cpu
#endif
