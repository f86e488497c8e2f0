// Graphs as data: nodes with their work, and what they depend on.
#ifndef CUDA_CPU_GRAPH_H
#define CUDA_CPU_GRAPH_H

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include <cuda_cpu/launch.h>

#include "graph_memory.h"

namespace cuda_cpu {

using Work = std::function<cudaError_t()>;
using Nodes = std::vector<cudaGraphNode_t>;

// Null if a node is not of this graph.
cudaGraphNode_t add_node(cudaGraph_t graph, cudaGraphNodeType type, const Nodes &dependencies,
                         Work work);
// The same for CUDA's calls, with their error.
cudaError_t add_checked(cudaGraphNode_t *node, cudaGraph_t graph, cudaGraphNodeType type,
                        const cudaGraphNode_t *dependencies, size_t count, Work work);
bool has_memory_nodes(cudaGraph_t graph);

struct Step {
  cudaGraphNode_t node;  // of the graph that it was made from; perhaps destroyed since
  cudaGraphNodeType type;
  std::vector<std::size_t> dependencies;  // as places in the graph's list of nodes
  Work work;
  GraphMemoryRef memory;  // of a memory node
};
// Each node behind those that it depends on, otherwise as they were added. False if nodes depend on
// each other in a circle.
bool steps_of(cudaGraph_t graph, std::vector<Step> *steps);
cudaError_t run_steps(const std::vector<Step> &steps);

// Runs the grid each time it is called.
Work kernel_work(const Launch &launch, std::unique_ptr<KernelCall> call);
// Null, with the last error set, if the parameters cannot be used.
Work kernel_work(const cudaKernelNodeParams &params);
Work memset_work(const cudaMemsetParams &params);
Work copy_work(const cudaMemcpy3DParms &params);

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
