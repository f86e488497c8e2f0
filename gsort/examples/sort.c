// Sorts a million numbers: cc sort.c $(pkg-config --cflags --libs gsort) && ./a.out
#include <cuda_runtime_api.h>
#include <gsort.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000000 };

int main(void) {
  const size_t bytes = N * sizeof(unsigned int);
  unsigned int *const numbers = malloc(bytes);
  if (numbers == NULL) return 1;
  for (unsigned int i = 0; i < N; i++) numbers[i] = i * 2654435769u;

  gsort *sort;
  int error = gsort_create(&sort, GSORT_U32, GSORT_KEYS);
  size_t needed = 0;
  if (error == 0) error = gsort_workspace(sort, N, &needed);
  void *in = NULL, *out = NULL, *workspace = NULL;
  if (cudaMalloc(&in, bytes) != cudaSuccess || cudaMalloc(&out, bytes) != cudaSuccess ||
      cudaMalloc(&workspace, needed) != cudaSuccess)
    return 1;
  cudaMemcpy(in, numbers, bytes, cudaMemcpyHostToDevice);
  if (error == 0) error = gsort_run(sort, workspace, needed, in, out, NULL, NULL, N, NULL);
  if (error != 0) {
    fprintf(stderr, "sort: %s\n", gsort_error_string(error));
    return 1;
  }
  cudaMemcpy(numbers, out, bytes, cudaMemcpyDeviceToHost);  // waits for the sort
  gsort_destroy(sort);

  size_t wrong = 0;
  for (unsigned int i = 1; i < N; i++) wrong += numbers[i - 1] > numbers[i];
  printf("%d numbers, %zu in a wrong place: %u .. %u\n", N, wrong, numbers[0], numbers[N - 1]);
  return wrong != 0;
}
