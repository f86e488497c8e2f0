// Thread block clusters: neighbouring blocks that wait for each other and access each other's
// shared memory. One thread of the system runs all blocks of a cluster and takes turns among them.
#ifndef CUDA_CPU_CLUSTER_SRC_H
#define CUDA_CPU_CLUSTER_SRC_H

#include <memory>
#include <vector>

#include "../launch/block.h"

namespace cuda_cpu {

struct Cluster {
  std::vector<std::unique_ptr<BlockState>> blocks;  // by rank
  std::vector<bool> finished;
  // Its barrier, for CHECK builds: how often all have met, and whether some wait for the next time.
  std::uint32_t phase = 0;
  bool some_wait = false;
};

}  // namespace cuda_cpu
#endif
