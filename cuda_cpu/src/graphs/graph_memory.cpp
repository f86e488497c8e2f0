// Memory nodes of graphs, and the memory that they allocate.
#include "graph_memory.h"

#include <cuda_cpu/errors.h>
#include <cuda_cpu/memory.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "graph.h"
#include "../diagnosis/limits.h"
#include "../memory/region_map.h"
#include "../memory/regions.h"
#include "../streams/streams.h"

namespace cuda_cpu {

const char *const kItsGraph = "its graph";

namespace {

thread_local int nodes_being_added = 0;
std::recursive_mutex mutex;  // of all below
using Guard = std::lock_guard<std::recursive_mutex>;
std::map<const void *, std::weak_ptr<GraphMemory>> reserved;
// Keeps memory whose graph is destroyed. Never destroyed itself: at the program's end the table of
// arrays may be gone.
std::map<const void *, GraphMemoryRef> &in_use = *new std::map<const void *, GraphMemoryRef>;
std::uint64_t bytes_now[2], bytes_high[2];  // used, reserved

void count(int which, std::int64_t bytes) {
  bytes_now[which] += static_cast<std::uint64_t>(bytes);
  bytes_high[which] = std::max(bytes_high[which], bytes_now[which]);
}

}  // namespace

AddingNode::AddingNode() { nodes_being_added++; }
AddingNode::~AddingNode() { nodes_being_added--; }
bool is_adding_node() { return nodes_being_added > 0 || captures > 0; }

GraphMemory::GraphMemory(void *a, std::size_t b) : address(a), bytes(b) {
  cuda_cpu_mark_unused(address, kItsGraph);
  count(1, static_cast<std::int64_t>(bytes));
}
GraphMemory::~GraphMemory() {
  const Guard guard(mutex);
  reserved.erase(address);
  count(1, -static_cast<std::int64_t>(bytes));
  (void)release(address, Place::kDevice);
}

GraphMemoryRef reserve_graph_memory(std::size_t bytes) {
  void *address = nullptr;
  if (bytes == 0) {
    fail(cudaErrorInvalidValue);
    return nullptr;
  }
  if (allocate(&address, bytes, Place::kDevice, false) != cudaSuccess) return nullptr;
  const Guard guard(mutex);
  auto memory = std::make_shared<GraphMemory>(address, bytes);
  reserved[address] = memory;
  return memory;
}

GraphMemoryRef find_graph_memory(const void *address) {
  const Guard guard(mutex);
  const auto found = reserved.find(address);
  return found == reserved.end() ? nullptr : found->second.lock();
}

cudaError_t allocate_graph_memory(const GraphMemoryRef &memory) {
  const Guard guard(mutex);
  if (memory->allocated) return fail(cudaErrorInvalidValue);
  memory->allocated = true;
  in_use[memory->address] = memory;
  count(0, static_cast<std::int64_t>(memory->bytes));
  cuda_cpu_mark_unused(memory->address, nullptr);
  const DeviceScope device(DeviceScope::kRuntime);
  std::memset(memory->address, kPoison, memory->bytes);
  return cudaSuccess;
}

cudaError_t free_graph_memory(const GraphMemoryRef &memory) {
  const Guard guard(mutex);
  if (!memory->allocated) return fail(cudaErrorInvalidValue);
  memory->allocated = false;
  cuda_cpu_mark_unused(memory->address, kItsGraph);
  count(0, -static_cast<std::int64_t>(memory->bytes));
  in_use.erase(memory->address);
  return cudaSuccess;
}

}  // namespace cuda_cpu

using namespace cuda_cpu;

extern "C" {

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies, size_t count,
                                     cudaMemAllocNodeParams *params) {
  const cudaMemPoolProps &pool = params->poolProps;
  if (pool.allocType != cudaMemAllocationTypePinned ||
      pool.location.type != cudaMemLocationTypeDevice || pool.location.id != 0)
    return fail(cudaErrorInvalidValue);
  const GraphMemoryRef memory = reserve_graph_memory(params->bytesize);
  if (memory == nullptr) return cudaPeekAtLastError();
  const cudaError_t error = add_checked(node, graph, cudaGraphNodeTypeMemAlloc, dependencies, count,
                                        [memory] { return allocate_graph_memory(memory); });
  if (error != cudaSuccess) return error;
  (*node)->memory = memory;
  params->dptr = memory->address;
  return cudaSuccess;
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *dependencies, size_t count,
                                    void *address) {
  const GraphMemoryRef memory = find_graph_memory(address);
  if (memory == nullptr || graph == nullptr) return fail(cudaErrorInvalidValue);
  for (const auto &other : graph->nodes)  // freed twice
    if (other->type == cudaGraphNodeTypeMemFree && other->memory == memory)
      return fail(cudaErrorInvalidValue);
  const cudaError_t error = add_checked(node, graph, cudaGraphNodeTypeMemFree, dependencies, count,
                                        [memory] { return free_graph_memory(memory); });
  if (error == cudaSuccess) (*node)->memory = memory;
  return error;
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

cudaError_t cudaDeviceGraphMemTrim(int device) {
  return device == 0 ? cudaSuccess : fail(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void *value) {
  const int number = attribute;  // used, its highest, reserved, its highest
  if (device != 0) return fail(cudaErrorInvalidDevice);
  if (number < cudaGraphMemAttrUsedMemCurrent || number > cudaGraphMemAttrReservedMemHigh)
    return fail(cudaErrorInvalidValue);
  const Guard guard(mutex);
  *static_cast<std::uint64_t *>(value) = (number % 2 == 0 ? bytes_now : bytes_high)[number / 2];
  return cudaSuccess;
}
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void *value) {
  const int number = attribute;
  if (device != 0) return fail(cudaErrorInvalidDevice);
  if ((number != cudaGraphMemAttrUsedMemHigh && number != cudaGraphMemAttrReservedMemHigh) ||
      *static_cast<std::uint64_t *>(value) != 0)
    return fail(cudaErrorInvalidValue);
  const Guard guard(mutex);
  bytes_high[number / 2] = bytes_now[number / 2];
  return cudaSuccess;
}

}  // extern "C"
