// In shuffled order, work of a stream waits until the program waits for it: a result that is used
// too early, or in another stream, is the old one for some seeds.
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

static __global__ void copy(int *out, const int *in) { *out = *in; }
static void CUDART_CB host_work(void *) {}

// A value goes from stream to stream by each way that orders them, then by two that do not.
static void run_order(void) {
  int *d_value = NULL, result = 0;
  cudaStream_t s[3];
  cudaEvent_t events[2];
  cudaMalloc(&d_value, 3 * sizeof *d_value);
  for (int i = 0; i < 3; i++)
    cudaStreamCreateWithFlags(&s[i], i == 2 ? cudaStreamNonBlocking : cudaStreamDefault);
  for (cudaEvent_t &event : events) cudaEventCreate(&event);
  for (int way = 0; way < 7; way++) {
    cudaMemset(d_value, 0, 3 * sizeof *d_value);
    cudaDeviceSynchronize();
    set<<<1, 1, 0, s[0]>>>(d_value, 7);
    cudaEventRecord(events[0], s[0]);
    if (way == 0) {  // an event, which is recorded again before the end
      cudaStreamWaitEvent(s[1], events[0], 0);
      cudaEventRecord(events[0], s[2]);
    }
    if (way == 1) {  // the legacy stream
      copy<<<1, 1>>>(d_value + 1, d_value);
      copy<<<1, 1, 0, s[1]>>>(d_value, d_value + 1);
    }
    if (way == 2) {  // events, through a stream that does not block
      cudaStreamWaitEvent(s[2], events[0], 0);
      cudaLaunchHostFunc(s[2], host_work, NULL);
      copy<<<1, 1, 0, s[2]>>>(d_value + 1, d_value);
      cudaEventRecord(events[1], s[2]);
      cudaStreamWaitEvent(s[1], events[1], 0);
      copy<<<1, 1, 0, s[1]>>>(d_value, d_value + 1);
    }
    if (way == 3) {  // each of two streams waits for the other
      cudaStreamWaitEvent(s[1], events[0], 0);
      copy<<<1, 1, 0, s[1]>>>(d_value + 1, d_value);
      cudaEventRecord(events[1], s[1]);
      set<<<1, 1, 0, s[1]>>>(d_value + 1, 8);
      cudaStreamWaitEvent(s[0], events[1], 0);
      set<<<1, 1, 0, s[0]>>>(d_value, 9);
      cudaStreamSynchronize(s[0]);
      set<<<1, 1, 0, s[1]>>>(d_value, 7);
    }
    if (way == 4) cudaStreamSynchronize(s[0]);
    // 5: nothing. 6: the result is overwritten before it is read.
    if (way == 6) {
      cudaStreamWaitEvent(s[1], events[0], 0);
      set<<<1, 1, 0, s[0]>>>(d_value, 9);
    }
    copy<<<1, 1, 0, s[1]>>>(d_value + 2, d_value);
    if (way == 6) cudaStreamSynchronize(s[1]);
    cudaDeviceSynchronize();
    cudaMemcpy(&result, d_value + 2, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d ", result);
  }
  cudaFree(d_value);
  for (const cudaStream_t stream : s) cudaStreamDestroy(stream);
  for (const cudaEvent_t event : events) cudaEventDestroy(event);
}

// A ? is any character; each of these differs from that of `old` for some seeds, and not for
// others.
static void expect_of_seeds(const char *mistake, const char *output, const char *old) {
  std::string differs(strlen(output), ' '), same = differs;
  for (int seed = 0; seed < 16; seed++) {
    const Child child = run_mistake(mistake, "CUDA_CPU_RACECHECK", std::to_string(seed).c_str());
    assert_int_equal(child.exit_code, 0);
    std::string got = child.output;
    assert_int_equal(got.size(), strlen(output));
    for (size_t i = 0; i < got.size(); i++) {
      (got[i] == old[i] ? same : differs)[i] = '?';
      if (output[i] == '?') got[i] = '?';
    }
    assert_string_equal(got.c_str(), output);
  }
  for (size_t i = 0; i < differs.size(); i++)
    if (output[i] == '?') assert_true(differs[i] == '?' && same[i] == '?');
}

static void expect_output(const char *mistake, const char *output) {
  const Child child = run_mistake(mistake);
  assert_int_equal(child.exit_code, 0);
  assert_string_equal(child.output, output);
}

static void test_waits(void **) {
  expect_output("waits", "7 7 7 7 7 7 7 7 ");
  expect_of_seeds("waits", "1 7 7 7 ? 1 7 7 ", "1 7 7 7 1 1 7 7 ");
}

static void test_streams(void **) {
  expect_output("streams", "7 cudaSuccess cudaSuccess 7 cudaSuccess cudaSuccess ");
  expect_of_seeds("streams", "? cudaErrorNotReady cudaSuccess 7 cudaErrorNotReady cudaSuccess ",
                  "1 cudaErrorNotReady cudaSuccess 7 cudaErrorNotReady cudaSuccess ");
}

static void test_order(void **) {
  expect_output("order", "7 7 7 7 7 7 9 ");
  expect_of_seeds("order", "7 7 7 7 7 ? ? ", "7 7 7 7 7 0 9 ");
}

int main(int argc, char **argv) {
  const Mistake mistakes[] = {MISTAKE(waits), MISTAKE(streams), MISTAKE(order)};
  make_mistake_if_child(argc, argv, mistakes);
  const CMUnitTest tests[] = {cmocka_unit_test(test_waits), cmocka_unit_test(test_streams),
                              cmocka_unit_test(test_order)};
  return cmocka_run_group_tests_name("delayed", tests, NULL, NULL);
}
