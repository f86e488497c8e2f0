// Settings from the environment, read once. A value that is not valid, or a CUDA_CPU_* variable
// that does not exist, ends the program with a sentence and exit code 2.
#ifndef CUDA_CPU_SETTINGS_H
#define CUDA_CPU_SETTINGS_H

#include <cstddef>
#include <cstdint>

namespace cuda_cpu {

// What keeps host code out of device memory: ../memory/pages.h.
enum class Protection { kOff, kPages, kKeys };

struct Settings {
  bool shuffle;              // CUDA_CPU_RACECHECK=SEED: threads run in shuffled order
  std::uint64_t seed;        // ... by this seed
  std::size_t memory_limit;  // CUDA_CPU_MEMORY=BYTES: size of device memory (default: 90% of RAM)
  Protection protect;        // CUDA_CPU_PROTECT=keys|pages|off: at most this
};
const Settings &settings();

// A small generator for shuffled runs (splitmix64; Steele, Lea and Flood 2014).
struct Random {
  std::uint64_t state = 0;
  std::uint64_t next() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  unsigned below(unsigned bound) { return static_cast<unsigned>((next() >> 32) * bound >> 32); }
};

}  // namespace cuda_cpu
#endif
