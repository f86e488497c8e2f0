// In shuffled order, work of a stream waits until the program waits for it: a result that is used
// too early, or in another stream, is the old one.
#include "mistakes.h"

static __global__ void set(int *out, int value) { *out = value; }

// What each way of waiting, or none, finds: a line of numbers. 7 is the result, 1 the old value.
static void run_waits(void) {
  int *d_value = NULL, *pinned = NULL;
  cudaStream_t blocking, other;
  cudaEvent_t event;
  cudaMalloc(&d_value, sizeof *d_value);
  cudaMallocHost(&pinned, sizeof *pinned);
  cudaStreamCreate(&blocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEventCreate(&event);
  for (int way = 0; way < 8; way++) {
    const cudaStream_t stream = way == 7 ? blocking : other;
    int pageable = 1;
    *pinned = 1;
    set<<<1, 1>>>(d_value, 1);
    cudaDeviceSynchronize();
    set<<<1, 1, 0, stream>>>(d_value, 7);
    cudaMemcpyAsync(pinned, d_value, sizeof *pinned, cudaMemcpyDeviceToHost, stream);
    if (way == 1) cudaStreamSynchronize(stream);
    if (way == 2) cudaDeviceSynchronize();
    if (way == 3) {
      cudaEventRecord(event, stream);
      cudaEventSynchronize(event);
    }
    if (way == 4) {  // an event that was recorded before
      cudaEventRecord(event, blocking);
      cudaEventSynchronize(event);
    }
    if (way == 5)  // the legacy stream does not wait for one that was made so
      cudaMemcpy(pinned, d_value, sizeof *pinned, cudaMemcpyDeviceToHost);
    if (way == 6) {  // ends before it returns
      cudaMemcpyAsync(&pageable, d_value, sizeof pageable, cudaMemcpyDeviceToHost, stream);
      *pinned = pageable;
    }
    if (way == 7)  // but for others
      cudaMemcpy(pinned, d_value, sizeof *pinned, cudaMemcpyDeviceToHost);
    printf("%d ", *pinned);
    cudaDeviceSynchronize();
  }
  cudaFree(d_value);
  cudaFreeHost(pinned);
  cudaStreamDestroy(blocking);
  cudaStreamDestroy(other);
  cudaEventDestroy(event);
}

// Of two streams, one waits for the other's event, or not.
static void run_streams(void) {
  int *d_value = NULL, result = 0;
  cudaStream_t first, second;
  cudaEvent_t event, end;
  float milliseconds = 0;
  cudaMalloc(&d_value, sizeof *d_value);
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEventCreate(&event);
  cudaEventCreate(&end);
  for (int waits = 0; waits < 2; waits++) {
    set<<<1, 1>>>(d_value, 1);
    set<<<1, 1, 0, first>>>(d_value, 7);
    cudaEventRecord(event, first);
    if (waits) cudaStreamWaitEvent(second, event, 0);
    cudaMemcpyAsync(&result, d_value, sizeof result, cudaMemcpyDeviceToHost, second);
    printf("%d ", result);
    cudaEventRecord(end, first);
    printf("%s ", cudaGetErrorName(cudaEventElapsedTime(&milliseconds, event, end)));
    cudaDeviceSynchronize();
    printf("%s ", cudaGetErrorName(cudaEventElapsedTime(&milliseconds, event, end)));
  }
  cudaFree(d_value);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaEventDestroy(event);
  cudaEventDestroy(end);
}

static void expect_output(const char *mistake, const char *seed, const char *output) {
  const Child child =
      seed == NULL ? run_mistake(mistake) : run_mistake(mistake, "CUDA_CPU_RACECHECK", seed);
  assert_int_equal(child.exit_code, 0);
  assert_string_equal(child.output, output);
}

static void test_waits(void **) {
  expect_output("waits", NULL, "7 7 7 7 7 7 7 7 ");
  expect_output("waits", "1", "1 7 7 7 1 1 7 7 ");
}

static void test_streams(void **) {
  expect_output("streams", NULL, "7 cudaSuccess cudaSuccess 7 cudaSuccess cudaSuccess ");
  expect_output("streams", "1", "1 cudaErrorNotReady cudaSuccess 7 cudaErrorNotReady cudaSuccess ");
}

int main(int argc, char **argv) {
  const Mistake mistakes[] = {MISTAKE(waits), MISTAKE(streams)};
  make_mistake_if_child(argc, argv, mistakes);
  const CMUnitTest tests[] = {cmocka_unit_test(test_waits), cmocka_unit_test(test_streams)};
  return cmocka_run_group_tests_name("delayed", tests, NULL, NULL);
}
