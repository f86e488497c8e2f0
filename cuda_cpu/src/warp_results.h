// The scalar model of the warp collectives.
#ifndef CUDA_CPU_WARP_RESULTS_H
#define CUDA_CPU_WARP_RESULTS_H

#include <cstdint>

namespace cuda_cpu {

// Computes one collective (a WarpOperation). Lane l takes part if bit l of `mask` is set; it brings
// value[l] and argument[l] and gets result[l]. Example: kBallot, mask 0b0111, values [1 0 1 -]:
// results [0b101 0b101 0b101 -].
void warp_results(int operation, unsigned mask, const std::uint64_t value[32],
                  const int argument[32], std::uint64_t result[32]);

}  // namespace cuda_cpu
#endif
