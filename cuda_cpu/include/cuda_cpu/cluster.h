// The running block's cluster: cooperative_groups/cluster.h is made of it.
#ifndef CUDA_CPU_CLUSTER_H
#define CUDA_CPU_CLUSTER_H

#include <cuda_cpu/thread.h>

namespace cuda_cpu {

dim3 cluster_shape();        // in blocks
dim3 cluster_block_index();  // within the cluster
// Waits for all threads of the cluster that have not returned.
void cluster_barrier(const Site *site);
// Where the shared variable that contains `address` lies in the block of this rank. Ends the
// program (memcheck) if there is no such block, or `address` is not in shared memory.
void *map_shared(const void *address, unsigned rank);

}  // namespace cuda_cpu
#endif
