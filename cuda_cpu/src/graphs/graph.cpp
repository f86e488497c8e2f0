// Graphs, the nodes they are made of, and launching them.
#include "graph.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include <cuda_cpu/errors.h>
#include <cuda_cpu/launch_calls.h>

#include "../launch/grid.h"
#include "../memory/regions.h"

using namespace cuda_cpu;

namespace {

bool has(const Nodes &nodes, cudaGraphNode_t node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

Nodes nodes_of(cudaGraph_t graph) {
  Nodes nodes;
  for (const auto &node : graph->nodes) nodes.push_back(node.get());
  return nodes;
}

// Places of `nodes` in the list of all nodes.
std::vector<std::size_t> places(const Nodes &all, const Nodes &nodes) {
  std::vector<std::size_t> result;
  for (const cudaGraphNode_t node : nodes)
    result.push_back(
        static_cast<std::size_t>(std::find(all.begin(), all.end(), node) - all.begin()));
  std::sort(result.begin(), result.end());
  return result;
}

cudaError_t list(const Nodes &found, cudaGraphNode_t *nodes, size_t *count) {
  if (nodes == nullptr) {
    *count = found.size();
    return cudaSuccess;
  }
  const size_t wanted = *count;
  *count = std::min(wanted, found.size());
  std::fill(nodes, nodes + wanted, nullptr);
  std::copy(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(*count), nodes);
  return cudaSuccess;
}

}  // namespace

namespace cuda_cpu {

cudaGraphNode_t add_node(cudaGraph_t graph, cudaGraphNodeType type, const Nodes &dependencies,
                         Work work) {
  const Nodes present = nodes_of(graph);
  for (const cudaGraphNode_t dependency : dependencies)
    if (!has(present, dependency)) return nullptr;
  graph->nodes.push_back(std::make_unique<CUgraphNode_st>(
      CUgraphNode_st{type, dependencies, std::move(work), nullptr, false}));
  return graph->nodes.back().get();
}

cudaError_t add_checked(cudaGraphNode_t *node, cudaGraph_t graph, cudaGraphNodeType type,
                        const cudaGraphNode_t *dependencies, size_t count, Work work,
                        const GraphMemoryRef &memory) {
  if (node == nullptr || graph == nullptr || (count > 0 && dependencies == nullptr))
    return fail(cudaErrorInvalidValue);
  for (size_t i = 1; i < count; i++)
    if (std::find(dependencies, dependencies + i, dependencies[i]) != dependencies + i)
      return fail(cudaErrorInvalidValue);
  *node = add_node(graph, type, Nodes(dependencies, dependencies + count), std::move(work));
  if (*node == nullptr) return fail(cudaErrorInvalidValue);
  (*node)->memory = memory;
  return cudaSuccess;
}

}  // namespace cuda_cpu

// ---- what a graph does --------------------------------------------------------------------------

namespace {

struct Step {
  cudaGraphNode_t node;  // of the graph that it was made from; perhaps destroyed since
  cudaGraphNodeType type;
  std::vector<std::size_t> dependencies;  // as places in the graph's list of nodes
  Work work;
  GraphMemoryRef memory;  // of a memory node
};

bool has_memory_nodes(cudaGraph_t graph) {
  return std::any_of(graph->nodes.begin(), graph->nodes.end(),
                     [](const auto &node) { return node->memory != nullptr; });
}

// Each node behind those that it depends on, otherwise as they were added. False if nodes depend on
// each other in a circle.
bool steps_of(cudaGraph_t graph, std::vector<Step> *steps) {
  const Nodes all = nodes_of(graph);
  Nodes done;
  steps->clear();
  while (done.size() < all.size()) {
    const std::size_t before = done.size();
    for (const cudaGraphNode_t node : all) {
      bool ready = !has(done, node) && !node->has_circle;
      for (const cudaGraphNode_t dependency : node->dependencies)
        ready = ready && has(done, dependency);
      if (!ready) continue;
      done.push_back(node);
      steps->push_back(
          {node, node->type, places(all, node->dependencies), node->work, node->memory});
    }
    if (done.size() == before) return false;
  }
  return true;
}

cudaError_t run_steps(const std::vector<Step> &steps) {
  for (const auto &step : steps) {
    if (const cudaError_t error = step.work()) return error;
  }
  return cudaSuccess;
}

Work memset_work(const cudaMemsetParams &p) {
  return [p]() -> cudaError_t {
    const bool known = p.elementSize == 1 || p.elementSize == 2 || p.elementSize == 4;
    if (!known || (p.height > 1 && p.pitch < p.width * p.elementSize))
      return fail(cudaErrorInvalidValue);
    std::vector<char> row(p.width * p.elementSize);
    for (size_t i = 0; i < row.size(); i += p.elementSize)
      std::memcpy(&row[i], &p.value, p.elementSize);
    for (size_t y = 0; y < p.height; y++) {
      const cudaError_t error = cudaMemcpy(static_cast<char *>(p.dst) + y * p.pitch, row.data(),
                                           row.size(), cudaMemcpyHostToDevice);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  };
}

Work copy_work(const cudaMemcpy3DParms &params) {
  return [params] { return cudaMemcpy3D(&params); };
}

// Null, with the last error set, if the parameters cannot be used.
Work kernel_work(const cudaKernelNodeParams &p) {
  const KnownKernel *const known = known_kernel(p.func);
  if (known == nullptr) return nullptr;
  const Configuration configuration = {p.gridDim, p.blockDim, p.sharedMemBytes, nullptr};
  const Launch launch = {configuration, known->name, p.func, false};
  if (check_launch(launch) != cudaSuccess) return nullptr;
  const AddingNode adding;
  return grid_work(launch, known->make(known->name, p.func, p.kernelParams));
}

}  // namespace

// A copy of a graph's work in an order in which it can run.
struct CUgraphExec_st {
  std::vector<Step> steps;
  bool frees_on_launch = false;  // what an earlier launch has left allocated
  std::shared_ptr<int> graph_in_use{};
};

namespace {

// New work for the step of a node. The node itself stays as it is.
cudaError_t set_work(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNodeType type,
                     Work work) {
  for (auto &step : exec->steps)
    if (step.node == node && step.type == type) {
      step.work = std::move(work);
      return cudaSuccess;
    }
  return fail(cudaErrorInvalidValue);
}

}  // namespace

extern "C" {

// ---- graphs -------------------------------------------------------------------------------------

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags) {
  if (graph == nullptr || flags != 0) return fail(cudaErrorInvalidValue);
  *graph = new CUgraph_st;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  if (graph == nullptr) return fail(cudaErrorInvalidValue);
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  if (has_memory_nodes(graph)) return fail(cudaErrorNotSupported);
  const Nodes all = nodes_of(graph);
  *clone = new CUgraph_st;
  for (const cudaGraphNode_t node : all)
    (*clone)->nodes.push_back(std::make_unique<CUgraphNode_st>(*node));
  for (const auto &node : (*clone)->nodes) {
    Nodes moved;
    for (const std::size_t place : places(all, node->dependencies))
      moved.push_back((*clone)->nodes[place].get());
    node->dependencies = moved;
  }
  return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  if (graph == nullptr || count == nullptr) return fail(cudaErrorInvalidValue);
  return list(nodes_of(graph), nodes, count);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  if (graph == nullptr || count == nullptr) return fail(cudaErrorInvalidValue);
  Nodes roots;
  for (const auto &node : graph->nodes)
    if (node->dependencies.empty()) roots.push_back(node.get());
  return list(roots, nodes, count);
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type) {
  if (node == nullptr) return fail(cudaErrorInvalidValue);
  *type = node->type;
  return cudaSuccess;
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, size_t count) {
  const Nodes present = nodes_of(graph);
  for (size_t i = 0; i < count; i++) {
    if (!has(present, from[i]) || !has(present, to[i]) || from[i] == to[i] ||
        has(to[i]->dependencies, from[i]))
      return fail(cudaErrorInvalidValue);
    to[i]->dependencies.push_back(from[i]);
  }
  return cudaSuccess;
}

// ---- nodes --------------------------------------------------------------------------------------

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t count,
                                   const cudaMemcpy3DParms *params) {
  return add_checked(node, graph, cudaGraphNodeTypeMemcpy, dependencies, count, copy_work(*params));
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies, size_t count, void *to,
                                     const void *from, size_t bytes, cudaMemcpyKind kind) {
  if (to == nullptr || from == nullptr || !fits(to, bytes) || !fits(from, bytes))
    return fail(cudaErrorInvalidValue);
  return add_checked(node, graph, cudaGraphNodeTypeMemcpy, dependencies, count,
                     [=] { return cudaMemcpy(to, from, bytes, kind); });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t count,
                                   const cudaMemsetParams *params) {
  return add_checked(node, graph, cudaGraphNodeTypeMemset, dependencies, count,
                     memset_work(*params));
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *dependencies, size_t count,
                                 const cudaHostNodeParams *params) {
  return add_checked(node, graph, cudaGraphNodeTypeHost, dependencies, count,
                     [p = *params] { return p.fn(p.userData), cudaSuccess; });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *dependencies, size_t count,
                                       cudaGraph_t child) {
  if (child == nullptr) return fail(cudaErrorInvalidValue);
  if (has_memory_nodes(child)) return fail(cudaErrorNotSupported);
  std::vector<Step> steps;
  const bool has_circle = !steps_of(child, &steps);
  const cudaError_t error = add_checked(node, graph, cudaGraphNodeTypeGraph, dependencies, count,
                                        [steps = std::move(steps)] { return run_steps(steps); });
  if (error == cudaSuccess) (*node)->has_circle = has_circle;
  return error;
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *dependencies, size_t count) {
  return add_checked(node, graph, cudaGraphNodeTypeEmpty, dependencies, count,
                     [] { return cudaSuccess; });
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t count,
                                   const cudaKernelNodeParams *params) {
  Work work = kernel_work(*params);
  if (work == nullptr) return cudaPeekAtLastError();
  return add_checked(node, graph, cudaGraphNodeTypeKernel, dependencies, count, std::move(work));
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *params) {
  Work work = kernel_work(*params);
  if (work == nullptr) return cudaPeekAtLastError();
  if (node->type != cudaGraphNodeTypeKernel) return fail(cudaErrorInvalidValue);
  node->work = std::move(work);
  return cudaSuccess;
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies, size_t count,
                                     cudaMemAllocNodeParams *params) {
  const cudaMemPoolProps &pool = params->poolProps;
  if (pool.allocType != cudaMemAllocationTypePinned ||
      pool.location.type != cudaMemLocationTypeDevice || pool.location.id != 0)
    return fail(cudaErrorInvalidValue);
  const GraphMemoryRef memory = reserve_graph_memory(params->bytesize);
  if (memory == nullptr) return cudaPeekAtLastError();
  const cudaError_t error = add_checked(
      node, graph, cudaGraphNodeTypeMemAlloc, dependencies, count,
      [memory] { return allocate_graph_memory(memory); }, memory);
  if (error == cudaSuccess) params->dptr = memory->address;
  return error;
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *dependencies, size_t count,
                                    void *address) {
  const GraphMemoryRef memory = find_graph_memory(address);
  if (memory == nullptr || graph == nullptr) return fail(cudaErrorInvalidValue);
  for (const auto &other : graph->nodes)  // freed twice
    if (other->type == cudaGraphNodeTypeMemFree && other->memory == memory)
      return fail(cudaErrorInvalidValue);
  return add_checked(
      node, graph, cudaGraphNodeTypeMemFree, dependencies, count,
      [memory] { return free_graph_memory(memory); }, memory);
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams *params) {
  if (node->type != cudaGraphNodeTypeMemAlloc) return fail(cudaErrorInvalidValue);
  *params = {};
  params->poolProps.allocType = cudaMemAllocationTypePinned;
  params->poolProps.location = {cudaMemLocationTypeDevice, 0};
  params->bytesize = node->memory->bytes;
  params->dptr = node->memory->address;
  return cudaSuccess;
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *address) {
  if (node->type != cudaGraphNodeTypeMemFree) return fail(cudaErrorInvalidValue);
  *static_cast<void **>(address) = node->memory->address;
  return cudaSuccess;
}

// ---- graphs made ready to launch, launching them and changing them ------------------------------

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  constexpr unsigned long long kKnown = 15;  // flags
  if (graph == nullptr || (flags & ~kKnown) != 0) return fail(cudaErrorInvalidValue);
  if (const cudaError_t error = refuse_unsafe()) return error;
  // Its memory has one address.
  if (has_memory_nodes(graph) && graph->in_use.use_count() > 1) return fail(cudaErrorNotSupported);
  std::vector<Step> steps;
  if (!steps_of(graph, &steps)) return fail(cudaErrorInvalidValue);
  *exec = new CUgraphExec_st{
      std::move(steps), (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0, graph->in_use};
  return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  if (exec == nullptr) return fail(cudaErrorInvalidValue);
  if (is_capturing(stream)) return refuse_while_capturing(stream);
  for (const Step &step : exec->steps) {
    if (step.type != cudaGraphNodeTypeMemAlloc || !step.memory->allocated) continue;
    if (!exec->frees_on_launch) return fail(cudaErrorInvalidValue);
    (void)free_graph_memory(step.memory);
  }
  return in_stream(stream, cudaGraphNodeTypeGraph,
                   [steps = exec->steps] { return run_steps(steps); });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  if (exec == nullptr) return fail(cudaErrorInvalidValue);
  delete exec;
  return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info) {
  std::vector<Step> steps;
  *info = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
  if (!steps_of(graph, &steps) || steps.size() != exec->steps.size())
    info->result = cudaGraphExecUpdateErrorTopologyChanged;
  for (std::size_t i = 0; info->result == cudaGraphExecUpdateSuccess && i < steps.size(); i++) {
    if (steps[i].type != exec->steps[i].type)
      info->result = cudaGraphExecUpdateErrorNodeTypeChanged;
    else if (steps[i].dependencies != exec->steps[i].dependencies)
      info->result = cudaGraphExecUpdateErrorTopologyChanged;
    if (info->result != cudaGraphExecUpdateSuccess) info->errorNode = steps[i].node;
  }
  if (info->result != cudaGraphExecUpdateSuccess) return fail(cudaErrorGraphExecUpdateFailure);
  for (std::size_t i = 0; i < steps.size(); i++) exec->steps[i].work = std::move(steps[i].work);
  return cudaSuccess;
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                               const void *from, size_t bytes,
                                               cudaMemcpyKind kind) {
  return set_work(exec, node, cudaGraphNodeTypeMemcpy,
                  [=] { return cudaMemcpy(to, from, bytes, kind); });
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams *params) {
  return set_work(exec, node, cudaGraphNodeTypeMemset, memset_work(*params));
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams *params) {
  return set_work(exec, node, cudaGraphNodeTypeHost,
                  [p = *params] { return p.fn(p.userData), cudaSuccess; });
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams *params) {
  Work work = kernel_work(*params);
  if (work == nullptr) return cudaPeekAtLastError();
  return set_work(exec, node, cudaGraphNodeTypeKernel, std::move(work));
}

}  // extern "C"
