// Graphs made ready to launch, launching them and changing them.
#include <utility>
#include <vector>

#include <cuda_cpu/errors.h>

#include "graph.h"
#include "../streams/streams.h"

using namespace cuda_cpu;

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
