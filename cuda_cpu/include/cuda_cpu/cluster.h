// The running block's cluster: cooperative_groups/cluster.h is made of it.
#ifndef CUDA_CPU_CLUSTER_H
#define CUDA_CPU_CLUSTER_H

#include <cuda_cpu/thread.h>

namespace cuda_cpu {

dim3 cluster_shape();        // in blocks
dim3 cluster_block_index();  // within the cluster
// Waits for all threads of the cluster that have not returned.
void cluster_barrier(const Site *site);

}  // namespace cuda_cpu
#endif
