// Graphs as data: nodes with their work, and what they depend on.
#ifndef CUDA_CPU_GRAPH_H
#define CUDA_CPU_GRAPH_H

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <vector>

#include <cuda_cpu/launch.h>

namespace cuda_cpu {

using Work = std::function<cudaError_t()>;
using Nodes = std::vector<cudaGraphNode_t>;

// Null if a node is not of this graph.
cudaGraphNode_t add_node(cudaGraph_t graph, cudaGraphNodeType type, const Nodes &dependencies,
                         Work work);

// Runs the grid each time it is called.
Work kernel_work(const Launch &launch, std::unique_ptr<KernelCall> call);

}  // namespace cuda_cpu

struct CUgraphNode_st {
  cudaGraphNodeType type;
  cuda_cpu::Nodes dependencies;
  cuda_cpu::Work work;
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};

#endif
