// racecheck: threads run in shuffled order, so that a missing barrier shows; a seed repeats it.
#include "device_test.h"

// ---- two kernels, with and without the barriers that they need ----------------------------------

// Sums of neighbours, right in index order even without the barrier.
static __global__ void add_neighbours(bool barrier, unsigned *out) {
  __shared__ unsigned values[64];
  const unsigned i = threadIdx.x;
  values[i] = i + blockIdx.x;
  if (barrier) __syncthreads();
  out[blockIdx.x * 64 + i] = values[i] + (i > 0 ? values[i - 1] : 0);
}

// Threads of a warp that rely on running in step: wrong without the __syncwarp() in the middle.
static __global__ void scan_warp(bool barrier, unsigned *out) {
  __shared__ volatile unsigned values[64];
  const unsigned i = threadIdx.x, first = i / 32 * 32;
  values[i] = 1;
  __syncwarp();
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const unsigned before = i >= first + distance ? values[i - distance] : 0;
    if (barrier) __syncwarp();
    values[i] = values[i] + before;
    __syncwarp();
  }
  out[blockIdx.x * 64 + i] = values[i];
}

// Prints a line for each kernel with its barrier, then one for each without.
MISTAKE(sums) {
  unsigned *d_out = NULL, out[4 * 64];
  cudaMalloc(&d_out, sizeof out);
  for (int line = 0; line < 4; line++) {
    if (line % 2 == 0)
      add_neighbours<<<4, 64>>>(line < 2, d_out);
    else
      scan_warp<<<4, 64>>>(line < 2, d_out);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    for (const unsigned value : out) printf("%u ", value);
    printf("\n");
  }
  cudaFree(d_out);
}

// ---- the tests ----------------------------------------------------------------------------------

static std::vector<std::string> sums(const char *seed) {
  const Child child = run_mistake("sums", "CUDA_CPU_RACECHECK", seed);
  assert_int_equal(child.exit_code, 0);
  std::vector<std::string> lines;
  for (const char *c = child.output; *c != '\0';) {
    const char *const end = strchr(c, '\n');
    lines.emplace_back(c, end);
    c = end + 1;
  }
  assert_int_equal(lines.size(), 4);
  return lines;
}

TEST(missing_barriers_show) {
  const std::vector<std::string> in_order = sums("");  // not shuffled
  // In index order the first kernel is right even without its barrier.
  assert_true(in_order[0] == in_order[2] && in_order[1] != in_order[3]);
  int caught = 0, different = 0;
  std::vector<std::string> before = in_order;
  for (int seed = 1; seed <= 20; seed++) {
    const std::vector<std::string> lines = sums(std::to_string(seed).c_str());
    assert_true(lines[0] == in_order[0] && lines[1] == in_order[1]);  // right stays right
    caught += lines[2] != in_order[0] && lines[3] != in_order[1];
    different += lines[2] != before[2];
    before = lines;
  }
  assert_true(caught >= 19);
  assert_true(different >= 19);
}

TEST(a_seed_repeats_a_run) {
  for (const char *seed : {"3", "18446744073709551615"}) assert_true(sums(seed) == sums(seed));
}

// ---- delayed work -------------------------------------------------------------------------------
//
// In shuffled order, work of a stream waits until the program waits for it: a result that
// is used too early, or in another stream, is the old one for some seeds.

static __global__ void set(int *out, int value) { *out = value; }

// What each way of waiting, or none, finds: a line of numbers. 7 is the result, 1 the old value.
MISTAKE(waits) {
  int *d_value = NULL, *pinned = NULL;
  Stream blocking, other;
  Event event;
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
}

// Of two streams, one waits for the other's event, or not.
MISTAKE(streams) {
  int *d_value = NULL, result = 0;
  Stream first, second;
  Event event, end;
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
}

static __global__ void copy(int *out, const int *in) { *out = *in; }
static void CUDART_CB host_work(void *) {}

// A value goes from stream to stream by each way that orders them, then by two that do not.
MISTAKE(order) {
  int *d_value = NULL, result = 0;
  Stream s[3];
  Event events[2];
  cudaMalloc(&d_value, 3 * sizeof *d_value);
  for (int i = 0; i < 3; i++)
    cudaStreamCreateWithFlags(&s[i], i == 2 ? cudaStreamNonBlocking : cudaStreamDefault);
  for (Event &event : events) cudaEventCreate(&event);
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

TEST(waits) {
  expect_output("waits", "7 7 7 7 7 7 7 7 ");
  expect_of_seeds("waits", "1 7 7 7 ? 1 7 7 ", "1 7 7 7 1 1 7 7 ");
}

TEST(streams) {
  expect_output("streams", "7 cudaSuccess cudaSuccess 7 cudaSuccess cudaSuccess ");
  expect_of_seeds("streams", "? cudaErrorNotReady cudaSuccess 7 cudaErrorNotReady cudaSuccess ",
                  "1 cudaErrorNotReady cudaSuccess 7 cudaErrorNotReady cudaSuccess ");
}

TEST(order) {
  expect_output("order", "7 7 7 7 7 7 9 ");
  expect_of_seeds("order", "7 7 7 7 7 ? ? ", "7 7 7 7 7 0 9 ");
}
