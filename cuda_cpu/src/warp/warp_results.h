// The scalar model of the warp collectives.
#ifndef CUDA_CPU_WARP_RESULTS_H
#define CUDA_CPU_WARP_RESULTS_H

#include <cuda_cpu/thread.h>

namespace cuda_cpu {

// What the lanes of `lanes`, which is not 0, get from a collective that all of them have called:
// threads[lane].value and .argument hold what lane gives; its result replaces .value.
void warp_results(int operation, unsigned lanes, Thread *threads);

}  // namespace cuda_cpu
#endif
