// racecheck: runs the threads of a block in shuffled order, so that a missing barrier shows.
#ifndef CUDA_CPU_RACECHECK_H
#define CUDA_CPU_RACECHECK_H

#include <cstdint>

namespace cuda_cpu {

struct BlockState;

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

// Shuffles the start order of the block's threads. The order depends only on the seed
// (CUDA_CPU_RACECHECK), the number of the launch in this program and the index of the block.
void shuffle_order(BlockState &block, std::uint64_t launch_number, std::uint64_t block_index);

}  // namespace cuda_cpu
#endif
