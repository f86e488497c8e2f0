// Stream capture, graphs built by hand, kernels by address.
#include "graphs.h"

template <class T>
__global__ void scale(T *data, int n, T factor) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) data[i] *= factor;
}
static void append_to(void *text) { strcat((char *)text, "x"); }

// ---- capture ------------------------------------------------------------------------------------

TEST(capture_records_and_replays) {
  DeviceArray<int> data(constant(1));
  std::vector<int> result((size_t)kN);
  char text[16] = "";
  Stream stream;
  cudaStreamCaptureStatus status;
  CUDA_OK(cudaStreamCreate(&stream));
  CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CUDA_OK(cudaStreamIsCapturing(stream, &status));
  assert_int_equal(status, cudaStreamCaptureStatusActive);
  int value = 2;  // the recorded launch keeps the 2
  add<<<4, 256, 0, stream>>>(data, kN, value);
  value = 100;
  scale<<<4, 256, 0, stream>>>((int *)data, kN, 3);
  CUDA_OK(cudaMemcpyAsync(result.data(), data, kN * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CUDA_OK(cudaLaunchHostFunc(stream, append_to, text));
  assert_int_equal(result[0], 0);  // nothing has run
  assert_string_equal(text, "");
  Graph graph;
  CUDA_OK(cudaStreamEndCapture(stream, &graph));
  CUDA_OK(cudaStreamIsCapturing(stream, &status));
  assert_int_equal(status, cudaStreamCaptureStatusNone);
  ASSERT_SAME(data.read(), constant(1));
  expect_types(graph, {cudaGraphNodeTypeKernel, cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy,
                       cudaGraphNodeTypeHost});

  GraphExec exec;
  CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
  graph.destroy();  // the executable graph lives on
  CUDA_OK(cudaGraphLaunch(exec, stream));
  ASSERT_SAME(result, constant((1 + 2) * 3));
  CUDA_OK(cudaGraphLaunch(exec, stream));
  ASSERT_SAME(result, constant((9 + 2) * 3));
  CUDA_OK(cudaStreamSynchronize(stream));  // for the host function
  assert_string_equal(text, "xx");
}

TEST(capture_spreads_by_events) {
  DeviceArray<int> a(constant(1)), b(constant(1));
  Stream first, second;
  Event fork, join;
  CUDA_OK(cudaStreamCreate(&first));
  CUDA_OK(cudaStreamCreate(&second));
  CUDA_OK(cudaEventCreate(&fork));
  CUDA_OK(cudaEventCreate(&join));
  CUDA_OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  add<<<4, 256, 0, first>>>(a, kN, 1);
  CUDA_OK(cudaEventRecord(fork, first));
  CUDA_OK(cudaStreamWaitEvent(second, fork, 0));
  add<<<4, 256, 0, second>>>(b, kN, 5);
  CUDA_OK(cudaEventRecord(join, second));
  add<<<4, 256, 0, first>>>(a, kN, 10);
  CUDA_OK(cudaStreamWaitEvent(first, join, 0));
  CUDA_OK(cudaMemcpyAsync(a, b, kN * sizeof(int) / 2, cudaMemcpyDeviceToDevice, first));
  Graph graph;
  CUDA_OK(cudaStreamEndCapture(first, &graph));
  ASSERT_SAME(b.read(), constant(1));
  GraphExec exec;
  CUDA_OK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));  // CUDA 11's form
  CUDA_OK(cudaGraphLaunch(exec, 0));
  std::vector<int> expected = constant(12);
  for (int i = 0; i < kN / 2; i++) expected[(size_t)i] = 6;
  ASSERT_SAME(a.read(), expected);
  // The end of the capture holds for the second stream, too.
  add<<<4, 256, 0, second>>>(b, kN, 1);
  ASSERT_SAME(b.read(), constant(7));
}

static void expect_invalidated(cudaStream_t stream) {
  cudaGraph_t graph;
  CUDA_FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
  assert_null(graph);
}

TEST(what_a_capture_forbids) {
  DeviceArray<int> data(constant(1));
  Stream stream, other;
  cudaGraph_t graph;
  Event event;
  void *memory = NULL;
  CUDA_OK(cudaEventCreate(&event));
  CUDA_OK(cudaStreamCreate(&stream));
  CUDA_OK(cudaStreamCreate(&other));
  const cudaStreamCaptureMode global = cudaStreamCaptureModeGlobal;
  const cudaError_t unsupported = cudaErrorStreamCaptureUnsupported;
  const auto begin_and = [&](cudaStreamCaptureMode mode, cudaError_t expected, auto call) {
    CUDA_OK(cudaStreamBeginCapture(stream, mode));
    assert_string_equal(cudaGetErrorName(call()), cudaGetErrorName(expected));
    (void)cudaGetLastError();
    if (expected == cudaSuccess) {
      CUDA_OK(cudaStreamEndCapture(stream, &graph));
      CUDA_OK(cudaGraphDestroy(graph));
    } else {
      expect_invalidated(stream);
    }
  };
  ASSERT_CUDA(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(0, global));
  CUDA_FAILS(cudaErrorIllegalState, cudaStreamEndCapture(stream, &graph));

  begin_and(global, unsupported, [&] {
    ASSERT_CUDA(cudaErrorIllegalState, cudaStreamBeginCapture(stream, global));
    return cudaStreamSynchronize(stream);
  });
  begin_and(global, unsupported, [&] { return cudaDeviceSynchronize(); });
  begin_and(global, cudaErrorCapturedEvent, [&] {
    CUDA_OK(cudaEventRecord(event, stream));
    return cudaEventQuery(event);
  });
  begin_and(global, unsupported, [&] { return cudaMalloc(&memory, 4); });
  begin_and(cudaStreamCaptureModeRelaxed, cudaSuccess, [&] {
    CUDA_OK(cudaMalloc(&memory, 4));
    CUDA_OK(cudaFree(memory));
    return cudaMallocAsync(&memory, 4, stream);  // a node of the graph (test_graph_memory.cu)
  });

  // So does a wait for another stream or event, or an allocation, unless the capture is relaxed.
  CUDA_OK(cudaEventRecord(event, other));
  for (const cudaStreamCaptureMode mode : {global, cudaStreamCaptureModeRelaxed}) {
    const cudaError_t expected = mode == global ? unsupported : cudaSuccess;
    begin_and(mode, expected, [&] { return cudaStreamSynchronize(other); });
    begin_and(mode, expected, [&] { return cudaStreamQuery(other); });
    begin_and(mode, expected, [&] { return cudaEventSynchronize(event); });
    memory = NULL;
    begin_and(mode, expected, [&] { return cudaMallocHost(&memory, 4); });
    CUDA_OK(cudaFreeHost(memory));
    memory = NULL;
    begin_and(mode, expected, [&] { return cudaMallocAsync(&memory, 4, other); });
    CUDA_OK(cudaFreeAsync(memory, other));
    begin_and(mode, cudaSuccess, [&] { return cudaMalloc(&memory, 0); });
    // A launch that is refused.
    begin_and(mode, cudaErrorInvalidValue,
              [&] { return add<<<1, 2000, 0, stream>>>(data, kN, 1), cudaGetLastError(); });
    begin_and(mode, cudaErrorStreamCaptureIsolation,
              [&] { return cudaStreamWaitEvent(stream, event, 0); });
  }

  // The legacy stream would wait for the capturing one.
  begin_and(global, cudaErrorStreamCaptureImplicit,
            [&] { return add<<<4, 256>>>(data, kN, 1), cudaGetLastError(); });
  ASSERT_SAME(data.read(), constant(1));

  const auto fork = [&] {
    CUDA_OK(cudaEventRecord(event, stream));
    CUDA_OK(cudaStreamWaitEvent(other, event, 0));
    add<<<4, 256, 0, other>>>(data, kN, 1);
  };
  begin_and(global, cudaErrorStreamCaptureUnmatched, [&] {
    fork();
    return cudaStreamEndCapture(other, &graph);
  });
  CUDA_OK(cudaStreamBeginCapture(stream, global));
  fork();
  CUDA_FAILS(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(stream, &graph));
}

// ---- graphs built by hand -----------------------------------------------------------------------

TEST(graph_by_hand) {
  DeviceArray<int> data(constant(0));
  std::vector<int> from = constant(4), result = constant(0);
  char text[16] = "";
  int *pointer = data, n = kN, value = 3, factor = 2;
  Graph graph, clone, outer;
  CUDA_OK(cudaGraphCreate(&graph, 0));

  cudaGraphNode_t copy_in, kernel, second, copy_out, host, set;
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(from.data(), kN * sizeof(int), kN, 1);
  copy.dstPtr = make_cudaPitchedPtr(pointer, kN * sizeof(int), kN, 1);
  copy.extent = make_cudaExtent(kN * sizeof(int), 1, 1);
  copy.kind = cudaMemcpyHostToDevice;
  CUDA_OK(cudaGraphAddMemcpyNode(&copy_in, graph, NULL, 0, &copy));
  void *arguments[] = {&pointer, &n, &value};
  cudaKernelNodeParams params = {(void *)add, 4, 256, 0, arguments, NULL};
  CUDA_OK(cudaGraphAddKernelNode(&kernel, graph, &copy_in, 1, &params));
  value = 1000;  // has been copied
  void *more[] = {&pointer, &n, &factor};
  cudaKernelNodeParams scaling = {(void *)scale<int>, 4, 256, 0, more, NULL};
  CUDA_OK(cudaGraphAddKernelNode(&second, graph, &kernel, 1, &scaling));
  CUDA_OK(cudaGraphAddMemcpyNode1D(&copy_out, graph, &second, 1, result.data(), pointer,
                                   kN * sizeof(int), cudaMemcpyDeviceToHost));
  const cudaHostNodeParams function = {append_to, text};
  CUDA_OK(cudaGraphAddHostNode(&host, graph, NULL, 0, &function));
  CUDA_OK(cudaGraphAddDependencies(graph, &host, &copy_in, NULL, 1));  // it runs first after all
  CUDA_OK(cudaGraphClone(&clone, graph));
  // Rows of two elements of 2 bytes, 8 bytes apart: every other int.
  const cudaMemsetParams sets = {pointer, 8, 7, 2, 2, kN / 2};
  CUDA_OK(cudaGraphAddMemsetNode(&set, graph, &copy_out, 1, &sets));
  size_t roots = 0;
  CUDA_OK(cudaGraphGetRootNodes(graph, NULL, &roots));
  assert_int_equal(roots, 1);

  GraphExec exec, cloned, nested;
  CUDA_OK(cudaGraphInstantiate(&exec, graph));
  CUDA_OK(cudaGraphInstantiate(&cloned, clone));
  CUDA_OK(cudaGraphLaunch(exec, 0));
  ASSERT_SAME(result, constant((4 + 3) * 2));
  assert_string_equal(text, "x");
  std::vector<int> halves = constant(14);
  for (size_t i = 0; i < (size_t)kN; i += 2) halves[i] = 7 | 7 << 16;
  ASSERT_SAME(data.read(), halves);
  CUDA_OK(cudaGraphLaunch(cloned, 0));
  ASSERT_SAME(data.read(), constant(14));

  // Other parameters, for the launches that follow.
  value = 6;
  CUDA_OK(cudaGraphExecKernelNodeSetParams(exec, kernel, &params));
  CUDA_FAILS(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(exec, host, &params));
  CUDA_OK(cudaGraphLaunch(exec, 0));
  ASSERT_SAME(result, constant((4 + 6) * 2));

  cudaGraphExecUpdateResultInfo info;
  CUDA_FAILS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, clone, &info));
  assert_int_equal(info.result, cudaGraphExecUpdateErrorTopologyChanged);
  CUDA_OK(cudaGraphExecUpdate(exec, graph, &info));  // back to the values of the graph
  CUDA_OK(cudaGraphLaunch(exec, 0));
  ASSERT_SAME(result, constant((4 + 3) * 2));

  // A graph inside a graph.
  cudaGraphNode_t child, empty;
  CUDA_OK(cudaGraphCreate(&outer, 0));
  CUDA_OK(cudaGraphAddEmptyNode(&empty, outer, NULL, 0));
  CUDA_OK(cudaGraphAddChildGraphNode(&child, outer, &empty, 1, graph));
  CUDA_FAILS(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&empty, outer, &kernel, 1));
  CUDA_OK(cudaGraphInstantiate(&nested, outer));
  text[0] = '\0';
  CUDA_OK(cudaGraphLaunch(nested, 0));
  assert_string_equal(text, "x");
}

// A circle of nodes is found when the graph is instantiated.
TEST(circle) {
  Graph graph, outer;
  cudaGraphNode_t a, b, c, child;
  cudaGraphExec_t exec;
  CUDA_OK(cudaGraphCreate(&graph, 0));
  CUDA_OK(cudaGraphCreate(&outer, 0));
  CUDA_OK(cudaGraphAddEmptyNode(&a, graph, NULL, 0));
  CUDA_OK(cudaGraphAddEmptyNode(&b, graph, &a, 1));
  CUDA_OK(cudaGraphAddEmptyNode(&c, graph, &b, 1));
  CUDA_FAILS(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &a, &a, NULL, 1));
  CUDA_FAILS(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &a, &b, NULL, 1));  // twice
  CUDA_OK(cudaGraphAddDependencies(graph, &c, &a, NULL, 1));
  CUDA_FAILS(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, graph, 0));
  CUDA_OK(cudaGraphAddChildGraphNode(&child, outer, NULL, 0, graph));
  CUDA_FAILS(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, outer, 0));
}

TEST(graph_reports_a_nodes_error) {
  int *memory = NULL, n = kN, value = 1;
  CUDA_OK(cudaMalloc(&memory, kN * sizeof(int)));
  Graph graph;
  cudaGraphNode_t node;
  CUDA_OK(cudaGraphCreate(&graph, 0));
  void *arguments[] = {&memory, &n, &value};
  cudaKernelNodeParams params = {(void *)add, 1, 2048, 0, arguments, NULL};
  CUDA_FAILS(cudaErrorInvalidValue, cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
  params = {(void *)append_to, 1, 1, 0, arguments, NULL};  // no kernel
  CUDA_FAILS(cudaErrorInvalidResourceHandle,
             cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
  CUDA_FAILS(cudaErrorInvalidValue,  // beyond the array
             cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, memory, memory, 2 * kN * sizeof(int),
                                      cudaMemcpyDeviceToDevice));
  CUDA_OK(cudaFree(memory));
}

// ---- kernels by address -------------------------------------------------------------------------

TEST(kernels_in_void_pointers) {
  DeviceArray<int> data(constant(1));
  int *pointer = data, n = kN, value = 5;
  void *arguments[] = {&pointer, &n, &value};
  const void *const kernels[] = {(void *)add, reinterpret_cast<const void *>(&scale<int>),
                                 (const void *)::add};
  int expected = 1;
  for (const void *kernel : kernels) {
    CUDA_OK(cudaLaunchKernel(kernel, 4, 256, arguments, 0, 0));
    expected = kernel == kernels[1] ? expected * 5 : expected + 5;
    ASSERT_SAME(data.read(), constant(expected));
  }
  CUDA_OK(cudaLaunchCooperativeKernel(kernels[0], 1, 256, arguments, 0, 0));
  assert_int_equal(data.read()[0], expected + 5);
  const void *const unknown = &expected;
  CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaLaunchKernel(unknown, 4, 256, arguments, 0, 0));
}
