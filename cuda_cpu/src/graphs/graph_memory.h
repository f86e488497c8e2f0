// Memory that the nodes of a graph allocate and free.
#ifndef CUDA_CPU_GRAPH_MEMORY_H
#define CUDA_CPU_GRAPH_MEMORY_H

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

namespace cuda_cpu {

// The address is the same in each launch of the graph. It is reserved while the node, a graph to
// launch made of it, or an allocation lives; between allocations its use is a mistake (memcheck).
class GraphMemory {
 public:
  GraphMemory(void *address, std::size_t bytes);
  ~GraphMemory();
  GraphMemory(const GraphMemory &) = delete;
  GraphMemory &operator=(const GraphMemory &) = delete;

  void *const address;
  const std::size_t bytes;
  bool allocated = false;
};
using GraphMemoryRef = std::shared_ptr<GraphMemory>;

// Who keeps such memory unused between allocations, for reports.
extern const char *const kItsGraph;
// While one lives, a kernel may be given memory that its graph will have allocated when it runs.
class AddingNode {
 public:
  AddingNode();
  ~AddingNode();
  AddingNode(const AddingNode &) = delete;
  AddingNode &operator=(const AddingNode &) = delete;
};
// Also true during a capture.
bool is_adding_node();

// Null, with the last error set, if there is none.
GraphMemoryRef reserve_graph_memory(std::size_t bytes);
// Null for memory that no graph has reserved.
GraphMemoryRef find_graph_memory(const void *address);
// The work of the nodes. cudaErrorInvalidValue if it is allocated already, or not allocated.
cudaError_t allocate_graph_memory(const GraphMemoryRef &memory);
cudaError_t free_graph_memory(const GraphMemoryRef &memory);

}  // namespace cuda_cpu
#endif
