// Graphs: nodes with their work, what they depend on, and memory that they allocate and free.
#ifndef CUDA_CPU_GRAPH_H
#define CUDA_CPU_GRAPH_H

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "../streams/streams.h"
#include "../memory/regions.h"

namespace cuda_cpu {

// ---- memory (graph_memory.cpp) ------------------------------------------------------------------

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

// ---- nodes --------------------------------------------------------------------------------------

// Null if a node is not of this graph.
cudaGraphNode_t add_node(cudaGraph_t graph, cudaGraphNodeType type, const Nodes &dependencies,
                         Work work);
// As above, for CUDA's calls: checks the arguments, and returns the error.
cudaError_t add_checked(cudaGraphNode_t *node, cudaGraph_t graph, cudaGraphNodeType type,
                        const cudaGraphNode_t *dependencies, size_t count, Work work,
                        const GraphMemoryRef &memory = nullptr);
// record_or_run() of ../streams. `memory` is a memory node's.
cudaError_t record_memory_or_run(cudaStream_t stream, cudaGraphNodeType type, Work work,
                                 const GraphMemoryRef &memory);

}  // namespace cuda_cpu

struct CUgraphNode_st {
  cudaGraphNodeType type;
  cuda_cpu::Nodes dependencies;
  cuda_cpu::Work work;
  cuda_cpu::GraphMemoryRef memory;  // of a memory node
  bool has_circle = false;          // a graph whose nodes depend on each other in a circle
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  // Also held by the graphs to launch that are made of it.
  std::shared_ptr<int> in_use = std::make_shared<int>(0);
};

#endif
