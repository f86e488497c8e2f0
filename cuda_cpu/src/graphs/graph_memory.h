// Memory that the nodes of a graph allocate and free.
#ifndef CUDA_CPU_GRAPH_MEMORY_H
#define CUDA_CPU_GRAPH_MEMORY_H

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

#include "../memory/regions.h"

namespace cuda_cpu {

// The address is the same in each launch of the graph. It is reserved while the node, a graph to
// launch made of it, or an allocation lives; between allocations its use is a mistake (memcheck).
struct GraphMemory : Owner, std::enable_shared_from_this<GraphMemory> {
  GraphMemory() : Owner("its graph") {}
  ~GraphMemory();
  cudaError_t free(void *, std::size_t) override;

  void *address = nullptr;
  std::size_t bytes = 0;
  bool allocated = false;
};
using GraphMemoryRef = std::shared_ptr<GraphMemory>;

// Null, with the last error set, if there is none.
GraphMemoryRef reserve_graph_memory(std::size_t bytes);
// Null for memory that no graph has reserved.
GraphMemoryRef find_graph_memory(const void *address);
// The work of the nodes. cudaErrorInvalidValue if it is allocated already, or not allocated.
cudaError_t allocate_graph_memory(const GraphMemoryRef &memory);
cudaError_t free_graph_memory(const GraphMemoryRef &memory);

}  // namespace cuda_cpu
#endif
