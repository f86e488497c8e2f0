// Shared by the tests of graphs: an array of kN numbers, and which nodes a graph has.
#ifndef CUDA_CPU_TESTS_GRAPHS_H
#define CUDA_CPU_TESTS_GRAPHS_H

#include "device_test.h"

static const int kN = 1000;

static __global__ void add(int *data, int n, int value) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) data[i] += value;
}

inline std::vector<int> constant(int value) { return std::vector<int>((size_t)kN, value); }

inline void expect_types(cudaGraph_t graph, const std::vector<cudaGraphNodeType> &expected) {
  size_t count = 0;
  CUDA_OK(cudaGraphGetNodes(graph, NULL, &count));
  assert_int_equal(count, expected.size());
  std::vector<cudaGraphNode_t> nodes(count);
  CUDA_OK(cudaGraphGetNodes(graph, nodes.data(), &count));
  for (size_t i = 0; i < count; i++) {
    cudaGraphNodeType type;
    CUDA_OK(cudaGraphNodeGetType(nodes[i], &type));
    assert_int_equal(type, expected[i]);
  }
}

#endif
