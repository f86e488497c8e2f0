// Graphs: nodes with their work, and what they depend on.
#ifndef CUDA_CPU_GRAPH_H
#define CUDA_CPU_GRAPH_H

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "../streams/streams.h"
#include "graph_memory.h"

namespace cuda_cpu {

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
