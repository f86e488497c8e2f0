// Shuffles up that need not wait (include/cuda_cpu/early_shuffles.h): where they meet the rest.
#ifndef CUDA_CPU_SRC_EARLY_SHUFFLES_H
#define CUDA_CPU_SRC_EARLY_SHUFFLES_H

#include <cuda_cpu/thread.h>

#include <cstdint>

namespace cuda_cpu {

struct BlockState;

// Is there an early shuffle that lanes before the running thread have called, and it has not?
bool has_left_out_shuffle(const BlockState &block);
// The running thread calls the next one that it has not gone through.
std::uint64_t go_through(BlockState &block, const Site *site, std::uint64_t value, int argument);
// A lane of the warp with early shuffles has gone through one, or has returned.
void lane_passed(BlockState &block);

}  // namespace cuda_cpu
#endif
