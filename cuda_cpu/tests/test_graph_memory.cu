// Memory that graphs allocate, captured or by hand, and memory pools.
#include "graphs.h"

__global__ void double_into(const int *in, int *out, int n) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = 2 * in[i];
}

static std::vector<int> read(const void *from) {
  std::vector<int> values((size_t)kN);
  CUDA_OK(cudaMemcpy(values.data(), from, kN * sizeof(int), cudaMemcpyDeviceToHost));
  return values;
}

static cudaMemAllocNodeParams device_memory(size_t bytes) {
  cudaMemAllocNodeParams params = {};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location.type = cudaMemLocationTypeDevice;
  params.poolProps.location.id = 0;
  params.bytesize = bytes;
  return params;
}

// ---- graphs -------------------------------------------------------------------------------------

TEST(scratch_memory_in_a_capture) {
  DeviceArray<int> data(constant(3));
  int *const values = data;
  Stream stream;
  Graph graph;
  GraphExec exec;
  int *scratch = NULL;
  CUDA_OK(cudaStreamCreate(&stream));
  CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CUDA_OK(cudaMallocAsync(&scratch, kN * sizeof(int), stream));
  assert_non_null(scratch);
  double_into<<<4, 256, 0, stream>>>(values, scratch, kN);
  add<<<4, 256, 0, stream>>>(scratch, kN, 1);
  CUDA_OK(cudaMemcpyAsync(values, scratch, kN * sizeof(int), cudaMemcpyDeviceToDevice, stream));
  CUDA_OK(cudaFreeAsync(scratch, stream));
  CUDA_OK(cudaStreamEndCapture(stream, &graph));
  expect_types(graph, {cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeKernel, cudaGraphNodeTypeKernel,
                       cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemFree});
  CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
  int expected = 3;
  for (int launch = 0; launch < 3; launch++) {
    CUDA_OK(cudaGraphLaunch(exec, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
    expected = 2 * expected + 1;
    ASSERT_SAME(data.read(), constant(expected));
  }
}

TEST(memory_that_outlives_a_launch) {
  Graph graph, freeing;
  cudaGraphNode_t allocation, set, free_node, release;
  GraphExec exec, free_exec;
  cudaMemAllocNodeParams params = device_memory(kN * sizeof(int)), same;
  CUDA_OK(cudaGraphCreate(&graph, 0));
  CUDA_OK(cudaGraphAddMemAllocNode(&allocation, graph, NULL, 0, &params));
  CUDA_OK(cudaGraphMemAllocNodeGetParams(allocation, &same));
  assert_ptr_equal(same.dptr, params.dptr);
  assert_int_equal(same.bytesize, kN * sizeof(int));
  const cudaMemsetParams sets = {params.dptr, 0, 5, 4, kN, 1};
  CUDA_OK(cudaGraphAddMemsetNode(&set, graph, &allocation, 1, &sets));
  CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
  cudaGraphExec_t second;
  CUDA_FAILS(cudaErrorNotSupported, cudaGraphInstantiate(&second, graph, 0));  // one address
  CUDA_OK(cudaGraphLaunch(exec, 0));
  ASSERT_SAME(read(params.dptr), constant(5));
  add<<<4, 256>>>((int *)params.dptr, kN, 2);  // as any device memory
  KERNEL_OK();
  ASSERT_SAME(read(params.dptr), constant(7));
  CUDA_FAILS(cudaErrorInvalidValue, cudaGraphLaunch(exec, 0));  // it is allocated

  // Freed by another graph, by cudaFreeAsync, by cudaFree; then it can be launched again.
  CUDA_OK(cudaGraphCreate(&freeing, 0));
  CUDA_OK(cudaGraphAddMemFreeNode(&free_node, freeing, NULL, 0, params.dptr));
  CUDA_FAILS(cudaErrorInvalidValue,
             cudaGraphAddMemFreeNode(&release, freeing, NULL, 0, params.dptr));  // twice
  void *freed = NULL;
  CUDA_OK(cudaGraphMemFreeNodeGetParams(free_node, &freed));
  assert_ptr_equal(freed, params.dptr);
  CUDA_OK(cudaGraphInstantiate(&free_exec, freeing, 0));
  CUDA_OK(cudaGraphLaunch(free_exec, 0));
  CUDA_OK(cudaGraphLaunch(exec, 0));
  ASSERT_SAME(read(params.dptr), constant(5));
  CUDA_OK(cudaFreeAsync(params.dptr, 0));
  CUDA_OK(cudaGraphLaunch(exec, 0));
  CUDA_OK(cudaFree(params.dptr));
  CUDA_OK(cudaGraphLaunch(exec, 0));

  // Its graph may go before it.
  free_exec.destroy();
  freeing.destroy();
  exec.destroy();
  graph.destroy();
  ASSERT_SAME(read(params.dptr), constant(5));
  CUDA_OK(cudaFree(params.dptr));
  CUDA_OK(cudaDeviceSynchronize());
  CUDA_OK(cudaDeviceGraphMemTrim(0));
  uint64_t used = 1;
  CUDA_OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  assert_int_equal(used, 0);
}

TEST(launches_that_free) {
  Graph graph;
  cudaGraphNode_t allocation, set;
  GraphExec exec;
  cudaMemAllocNodeParams params = device_memory(kN * sizeof(int));
  CUDA_OK(cudaGraphCreate(&graph, 0));
  CUDA_OK(cudaGraphAddMemAllocNode(&allocation, graph, NULL, 0, &params));
  const cudaMemsetParams sets = {params.dptr, 0, 9, 4, kN, 1};
  CUDA_OK(cudaGraphAddMemsetNode(&set, graph, &allocation, 1, &sets));
  CUDA_OK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  for (int launch = 0; launch < 3; launch++) CUDA_OK(cudaGraphLaunch(exec, 0));
  ASSERT_SAME(read(params.dptr), constant(9));
  CUDA_OK(cudaFree(params.dptr));
}

TEST(what_memory_nodes_forbid) {
  Graph graph, other, clone;
  cudaGraphNode_t node, allocation;
  void *plain = NULL;
  CUDA_OK(cudaMalloc(&plain, 64));
  CUDA_OK(cudaGraphCreate(&graph, 0));
  CUDA_OK(cudaGraphCreate(&other, 0));
  cudaMemAllocNodeParams params = device_memory(0);
  CUDA_FAILS(cudaErrorInvalidValue, cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
  params = {};
  params.bytesize = 64;
  CUDA_FAILS(cudaErrorInvalidValue, cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
  CUDA_FAILS(cudaErrorInvalidValue, cudaGraphAddMemFreeNode(&node, graph, NULL, 0, plain));
  params = device_memory(64);
  CUDA_OK(cudaGraphAddMemAllocNode(&allocation, graph, NULL, 0, &params));
  CUDA_FAILS(cudaErrorNotSupported, cudaGraphClone(&clone, graph));
  CUDA_FAILS(cudaErrorNotSupported, cudaGraphAddChildGraphNode(&node, other, NULL, 0, graph));
  CUDA_OK(cudaFree(plain));
}

// ---- pools --------------------------------------------------------------------------------------

static uint64_t used_by(cudaMemPool_t pool) {
  uint64_t bytes = 0;
  CUDA_OK(cudaDeviceSynchronize());
  CUDA_OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes));
  return bytes;
}

TEST(pools) {
  cudaMemPool_t standard, present, own;
  CUDA_OK(cudaDeviceGetDefaultMemPool(&standard, 0));
  CUDA_OK(cudaDeviceGetMemPool(&present, 0));
  assert_ptr_equal(standard, present);
  CUDA_FAILS(cudaErrorInvalidDevice, cudaDeviceGetDefaultMemPool(&own, 99));
  uint64_t threshold = UINT64_MAX;
  CUDA_OK(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &threshold));
  threshold = 0;
  CUDA_OK(cudaMemPoolGetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &threshold));
  assert_true(threshold == UINT64_MAX);

  cudaMemPoolProps properties = device_memory(0).poolProps;
  CUDA_OK(cudaMemPoolCreate(&own, &properties));
  assert_int_equal(used_by(own), 0);
  int *a = NULL, *b = NULL;
  CUDA_OK(cudaMallocFromPoolAsync(&a, kN * sizeof(int), own, 0));
  CUDA_OK(cudaMemsetAsync(a, 0, kN * sizeof(int), 0));
  add<<<4, 256>>>(a, kN, 4);
  KERNEL_OK();
  ASSERT_SAME(read(a), constant(4));
  assert_true(used_by(own) >= kN * sizeof(int));
  CUDA_OK(cudaFreeAsync(a, 0));
  assert_int_equal(used_by(own), 0);
  uint64_t high = 0;
  CUDA_OK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemHigh, &high));
  assert_true(high >= kN * sizeof(int));
  high = 0;
  CUDA_OK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &high));

  CUDA_OK(cudaDeviceSetMemPool(0, own));
  CUDA_OK(cudaMallocAsync(&b, 64, 0));
  assert_true(used_by(own) >= 64);
  CUDA_OK(cudaFreeAsync(b, 0));
  assert_int_equal(used_by(own), 0);
  CUDA_OK(cudaMallocAsync(&b, 64, 0));
  CUDA_OK(cudaFree(b));  // also memory of a pool
  CUDA_OK(cudaDeviceSetMemPool(0, standard));
  CUDA_OK(cudaMallocAsync(&b, 64, own, 0));
  assert_true(used_by(own) >= 64);
  CUDA_OK(cudaFreeAsync(b, 0));
  CUDA_OK(cudaMemPoolTrimTo(own, 0));
  CUDA_OK(cudaMemPoolDestroy(own));
  CUDA_FAILS(cudaErrorInvalidValue, cudaMemPoolDestroy(standard));
}

// ---- mistakes -----------------------------------------------------------------------------------

MISTAKE(use_before_launch) {
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaMemAllocNodeParams params = device_memory(4000);
  CUDA_OK(cudaGraphCreate(&graph, 0));
  CUDA_OK(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
  add<<<4, 256>>>((int *)params.dptr, kN, 1);
}

TEST(mistakes) {
  expect_report(
      "use_before_launch",
      {"memcheck: kernel add is given an array of 4000 bytes that its graph has released, "
       "as its argument 1"});
}
