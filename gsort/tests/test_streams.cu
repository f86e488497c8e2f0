// Many streams at once: eight threads, a stream each, sort random numbers of elements of random
// inputs, waiting, not waiting, or as a graph that is launched twice; and a graph with eight
// branches. The device checks each result: order, stability, and that nothing is lost.
//   test_streams [--seconds S] [--most N] [--seed N]
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include <cuda_runtime.h>

#include "gsort/gsort.h"

typedef unsigned long long Word;
enum { THREADS = 8, LAUNCHES = 40, BLOCK = 256 };
static std::mutex first_failure;

// A failure of any thread ends the test: the others' streams are of no use any more.
static void fail(const char *what, const char *details) {
  first_failure.lock();
  std::printf("not ok 1 many streams at once\n# %s: %s\n", what, details);
  std::fflush(stdout);
  std::_Exit(1);
}
static void require(cudaError_t error, const char *what) {
  if (error != cudaSuccess) fail(what, cudaGetErrorString(error));
}
static void require_sort(int error) {
  if (error != GSORT_OK) fail("gsort", gsort_error_string(error));
}

// ---- inputs and checks, on the device -----------------------------------------------------------

static const char *const inputs[] = {"uniform",     "narrow",     "few values",  "one value",
                                     "ascending",   "descending", "half of one", "zipf-like",
                                     "repetitions", "nibbles"};
enum { INPUTS = sizeof inputs / sizeof *inputs };

static __device__ Word mix(Word x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

// Key i of n; the upper 32 bits are the key where keys have 32.
static __device__ Word key_of(int input, Word i, Word n, Word seed) {
  const Word w = mix(i + seed), ramp = ~(Word)0 / n * i;
  switch (input) {
    case 1: return (mix(seed) & ~(Word)0 << 52) | w >> 12;
    case 2: return mix(seed + w % 16);
    case 3: return mix(seed);
    case 4: return ramp;
    case 5: return ~ramp;
    case 6: return w % 2 == 0 ? mix(seed) : mix(w);
    case 7: return mix(w) >> w % 40;
    case 8: return mix(seed + i / 3000);
    case 9: return w & 0x0f0f0f0f0f0f0f0full;
    default: return w;
  }
}

static __device__ Word load_key(const void *keys, size_t i, bool wide) {
  return wide ? ((const Word *)keys)[i] : ((const unsigned int *)keys)[i];
}

// Values are indices.
static __global__ void fill(void *keys, void *values, int value_bytes, size_t n, bool wide,
                            int input, Word seed) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const Word key = key_of(input, i, n, seed);
    if (wide)
      ((Word *)keys)[i] = key;
    else
      ((unsigned int *)keys)[i] = (unsigned int)(key >> 32);
    if (value_bytes == 8) ((Word *)values)[i] = i;
    if (value_bytes == 4) ((unsigned int *)values)[i] = (unsigned int)i;
  }
}

typedef struct Findings {
  Word sums[2];            // of the input and of the output
  unsigned int disorders;  // neighbours in a wrong order, and equal ones with values in one
} Findings;

static __global__ void check(const void *in, const void *out, const void *values, int value_bytes,
                             size_t n, int type, bool descending, Findings *found) {
  const bool wide = type == GSORT_U64 || type == GSORT_I64;
  const Word sign = type == GSORT_I64 ? 1ull << 63 : type == GSORT_I32 ? 1ull << 31 : 0;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const Word before = load_key(in, i, wide), key = load_key(out, i, wide);
    Word value[2] = {0, 0};
    for (int k = 0; k < 2 && value_bytes > 0 && i + k < n; k++)
      value[k] =
          value_bytes == 8 ? ((const Word *)values)[i + k] : ((const unsigned int *)values)[i + k];
    atomicAdd(&found->sums[0], mix(before ^ (value_bytes > 0 ? mix(i) : 0)));
    atomicAdd(&found->sums[1], mix(key ^ (value_bytes > 0 ? mix(value[0]) : 0)));
    if (i + 1 == n) continue;
    const Word a = key ^ sign, b = load_key(out, i + 1, wide) ^ sign;
    if ((descending ? a < b : a > b) || (value_bytes > 0 && a == b && value[0] >= value[1]))
      atomicAdd(&found->disorders, 1u);
  }
}

// ---- a stream -----------------------------------------------------------------------------------

static const struct {
  int key, value, value_bytes;
} kinds[] = {{GSORT_U32, GSORT_KEYS, 0},    {GSORT_I32, GSORT_KEYS, 0},
             {GSORT_U32, GSORT_VALUE32, 4}, {GSORT_I32, GSORT_INDEX32, 4},
             {GSORT_U64, GSORT_KEYS, 0},    {GSORT_I64, GSORT_VALUE32, 4},
             {GSORT_U64, GSORT_VALUE64, 8}};
enum { KINDS = sizeof kinds / sizeof *kinds, WAITS = 0, AT_ONCE = 1, DOWN = 2 };
static gsort *sorts[KINDS][4];  // for all threads; [WAITS or AT_ONCE, + DOWN]

struct Stream {
  cudaStream_t stream = NULL;
  cudaEvent_t event = NULL;
  size_t most, bytes = 0;
  char *memory = NULL;
  Findings *found = NULL;  // page-locked; the device's lies behind the arrays
  std::mt19937_64 draw;
  int kind = 0, form = 0, input = 0;
  size_t n = 0;

  Stream(size_t most, Word seed) : most(most), draw(seed) {
    for (int k = 0; k < KINDS; k++)
      for (int f = 0; f < 4; f++) {
        size_t needed = 0;
        require_sort(gsort_workspace(sorts[k][f], most, &needed));
        if (needed > bytes) bytes = needed;
      }
    bytes = bytes / 4 * 5 / 256 * 256;  // fewer elements may need a little more
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
    require(cudaEventCreate(&event), "an event");
    require(cudaMalloc((void **)&memory, bytes + 4 * most * 8 + sizeof(Findings)), "memory");
    require(cudaMallocHost((void **)&found, sizeof *found), "page-locked memory");
  }
  ~Stream() {
    cudaFreeHost(found);
    cudaFree(memory);
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
  }
  char *array(int i) const { return memory + bytes + (size_t)i * most * 8; }
  bool wide() const { return kinds[kind].key == GSORT_U64 || kinds[kind].key == GSORT_I64; }
  bool indices() const { return kinds[kind].value == GSORT_INDEX32; }
  unsigned int blocks() const { return n < 100000 ? 4 : 64; }

  void choose(int wanted_form) {
    kind = (int)(draw() % KINDS);
    form = wanted_form + (draw() % 4 == 0 ? DOWN : 0);
    n = 1 + draw() % (draw() % 2 == 0 ? most : most / 100 + 1);
  }
  void make_input() {
    input = (int)(draw() % INPUTS);
    fill<<<blocks(), BLOCK, 0, stream>>>(
        array(0), array(1), indices() ? 0 : kinds[kind].value_bytes, n, wide(), input, draw());
    require(cudaMemsetAsync(array(2), 0xa5, most * 16, stream), "memset");
  }
  void sort(cudaStream_t on) {
    const bool pairs = kinds[kind].value_bytes > 0;
    require_sort(gsort_run(sorts[kind][form], memory, bytes, array(0), array(2),
                           pairs && !indices() ? array(1) : NULL, pairs ? array(3) : NULL, n, on));
  }
  void check_result() {
    Findings *const device = (Findings *)array(4);
    require(cudaMemsetAsync(device, 0, sizeof *device, stream), "memset");
    check<<<blocks(), BLOCK, 0, stream>>>(array(0), array(2), array(3), kinds[kind].value_bytes, n,
                                          kinds[kind].key, form >= DOWN, device);
    require(cudaMemcpyAsync(found, device, sizeof *found, cudaMemcpyDeviceToHost, stream), "copy");
    require(cudaStreamSynchronize(stream), "the stream");
    if (found->disorders == 0 && found->sums[0] == found->sums[1]) return;
    char text[200];
    std::snprintf(text, sizeof text, "n %zu, %s, key %d, value %d, form %d: %u disorders, %s", n,
                  inputs[input], kinds[kind].key, kinds[kind].value, form, found->disorders,
                  found->sums[0] == found->sums[1] ? "nothing lost" : "something lost");
    fail("a wrong result", text);
  }
  cudaGraphExec_t capture_end() {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    require(cudaStreamEndCapture(stream, &graph), "the end of a capture");
    require(cudaGraphInstantiate(&executable, graph, 0), "a graph");
    require(cudaGraphDestroy(graph), "a graph's end");
    return executable;
  }
  // One sort, or a graph of one, launched twice on different inputs. Returns the number of sorts.
  int sort_something() {
    const bool as_graph = draw() % 4 == 0, waits = !as_graph && draw() % 3 == 0;
    choose(waits ? WAITS : AT_ONCE);
    if (!as_graph) {
      make_input();
      sort(stream);
      check_result();
      return 1;
    }
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "a capture");
    sort(stream);
    const cudaGraphExec_t graph = capture_end();
    for (int i = 0; i < 2; i++) {
      make_input();
      require(cudaGraphLaunch(graph, stream), "a graph's launch");
      check_result();
    }
    require(cudaGraphExecDestroy(graph), "a graph's end");
    return 2;
  }
};

// ---- the tests ----------------------------------------------------------------------------------

static int sort_for(double seconds, std::vector<Stream *> &streams) {
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (Stream *stream : streams)
    threads.emplace_back([&, stream] {
      do done += stream->sort_something();
      while (std::chrono::steady_clock::now() < end);
    });
  for (std::thread &thread : threads) thread.join();
  return done;
}

// One graph whose branches sort at the same time, on other inputs at each launch.
static void sort_in_branches(std::vector<Stream *> &streams, int launches) {
  Stream &first = *streams[0];
  require(cudaStreamBeginCapture(first.stream, cudaStreamCaptureModeThreadLocal), "a capture");
  require(cudaEventRecord(first.event, first.stream), "an event");
  for (Stream *stream : streams) {
    if (stream != &first) require(cudaStreamWaitEvent(stream->stream, first.event, 0), "an event");
    stream->choose(AT_ONCE);
    stream->sort(stream->stream);
    if (stream != &first) require(cudaEventRecord(stream->event, stream->stream), "an event");
  }
  for (size_t i = 1; i < streams.size(); i++)
    require(cudaStreamWaitEvent(first.stream, streams[i]->event, 0), "an event");
  const cudaGraphExec_t graph = first.capture_end();
  for (int launch = 0; launch < launches; launch++) {
    for (Stream *stream : streams) {
      stream->make_input();
      require(cudaStreamSynchronize(stream->stream), "an input");
    }
    require(cudaGraphLaunch(graph, first.stream), "a graph's launch");
    require(cudaStreamSynchronize(first.stream), "a graph");
    for (Stream *stream : streams) stream->check_result();
  }
  require(cudaGraphExecDestroy(graph), "a graph's end");
}

static size_t free_memory() {
  size_t available = 0, total = 0;
  require(cudaMemGetInfo(&available, &total), "the device's memory");
  return available;
}

int main(int argc, char **argv) {
#ifdef CUDA_CPU
  double seconds = 2;
  Word most = 20000, seed = 1;
#else  // large sorts fill the device, so that each has to go on beside parts of others
  double seconds = 10;
  Word most = 9000000, seed = 1;
#endif
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seconds") == 0) seconds = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--most") == 0) most = (Word)std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--seed") == 0) seed = std::strtoull(argv[i + 1], NULL, 0);
  }
  // Or each kernel takes memory when it is first launched.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  for (int k = 0; k < KINDS; k++)
    for (int f = 0; f < 4; f++) {
      require_sort(gsort_create(&sorts[k][f], kinds[k].key, kinds[k].value));
      require_sort(gsort_set(sorts[k][f], GSORT_NO_HOST_WAIT, f % 2));
      require_sort(gsort_set(sorts[k][f], GSORT_DESCENDING, f / 2));
    }
  std::vector<Stream *> streams;
  for (int t = 0; t < THREADS; t++) streams.push_back(new Stream(most, seed * THREADS + t));
  // Warm-up: the driver takes memory for the stacks of kernels, too.
  int done = sort_for(seconds / 4, streams);
  sort_in_branches(streams, 2);
  const size_t before = free_memory();
  done += sort_for(seconds, streams);
  sort_in_branches(streams, LAUNCHES);
  const size_t after = free_memory();
#ifndef CUDA_CPU  // where it is the host's
  if (after < before) fail("memory", "the device has less free memory than before");
#endif
  std::printf(
      "1..1\nok 1 many streams at once\n# %d sorts in %d streams, %d launches of a graph of %d "
      "branches; free memory %zu -> %zu bytes\n",
      done, THREADS, LAUNCHES, THREADS, before, after);
  for (Stream *stream : streams) delete stream;
  for (auto &of_kind : sorts)
    for (gsort *sort : of_kind) gsort_destroy(sort);
  return 0;
}
