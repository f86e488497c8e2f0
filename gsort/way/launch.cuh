// What the host code of every way calls: launches on the call's stream, whose first error ends all
// further ones, and waiting for what the device finds out; the blocks of kernels, and pieces of the
// workspace.
#ifndef GSORT_WAY_LAUNCH_CUH
#define GSORT_WAY_LAUNCH_CUH

#include <atomic>

#include <cuda_runtime.h>

#include "gsort/block/digits.cuh"
#include "gsort/block/findings.cuh"

// Number of parts of `size` elements that n elements have; the last one may be shorter.
static inline unsigned int parts_of(size_t n, unsigned int size) {
  return (unsigned int)((n + size - 1) / size);
}

static inline unsigned int least_of(unsigned int a, unsigned int b) { return a < b ? a : b; }
static inline size_t greatest_of(size_t a, size_t b) { return a > b ? a : b; }

static inline bool has_values(const Call *call) { return call->output.values != NULL; }

static inline BitsThatCount bits_that_count(const Call *call) {
  return {call->code, call->begin_bit, call->bits};
}

static inline WideBits wide_bits_that_count(const Call *call) {
  return {call->wide_code, call->begin_bit, ~0ull >> (64 - call->bits)};
}

static inline bool succeeds(Call *call, cudaError_t error) {
  if (call->error == cudaSuccess) call->error = error;
  return call->error == cudaSuccess;
}

// CUDA asks for it from 48 KB on.
template <class Kernel>
static bool allow_shared_bytes(Call *call, Kernel *kernel, size_t bytes) {
  return bytes <= 48 * 1024 ||
         succeeds(call, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             (int)bytes));
}

// kernel<<<grid, block, shared_bytes>>>(arguments...). overlapping: it may begin before the
// previous kernel of the stream has ended, and waits for that itself (block/overlap.cuh). cluster:
// blocks of a cluster.
template <class... Parameters, class... Arguments>
static void launch_as(Call *call, bool overlapping, unsigned int cluster,
                      void (*kernel)(Parameters...), unsigned int grid, unsigned int block,
                      size_t shared_bytes, Arguments... arguments) {
  if (call->error != cudaSuccess) return;
  if (!allow_shared_bytes(call, kernel, shared_bytes)) return;
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(grid);
  config.blockDim = dim3(block);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = call->stream;
  config.attrs = attributes;
  if (overlapping && call->device->hopper) {
    cudaLaunchAttribute *const overlap = &attributes[config.numAttrs++];
    overlap->id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap->val.programmaticStreamSerializationAllowed = 1;
  }
  if (cluster > 1) {
    cudaLaunchAttribute *const dimension = &attributes[config.numAttrs++];
    dimension->id = cudaLaunchAttributeClusterDimension;
    dimension->val.clusterDim.x = cluster;
    dimension->val.clusterDim.y = dimension->val.clusterDim.z = 1;
  }
  succeeds(call, cudaLaunchKernelEx(&config, kernel, (Parameters)arguments...));
}

// The first kernel of a call: what the caller's kernels wrote may be read at once.
template <class... Parameters, class... Arguments>
static void launch_first(Call *call, void (*kernel)(Parameters...), unsigned int grid,
                         unsigned int block, size_t shared_bytes, Arguments... arguments) {
  launch_as(call, false, 1, kernel, grid, block, shared_bytes, arguments...);
}

// One that follows another kernel of the call.
template <class... Parameters, class... Arguments>
static void launch_next(Call *call, void (*kernel)(Parameters...), unsigned int grid,
                        unsigned int block, size_t shared_bytes, Arguments... arguments) {
  launch_as(call, true, 1, kernel, grid, block, shared_bytes, arguments...);
}

static inline void clear_words(Call *call, void *words, size_t bytes) {
  if (call->error == cudaSuccess) succeeds(call, cudaMemsetAsync(words, 0, bytes, call->stream));
}

static inline void copy_words(Call *call, unsigned int *to, const unsigned int *from, size_t n) {
  if (call->error == cudaSuccess)
    succeeds(call,
             cudaMemcpyAsync(to, from, n * sizeof *to, cudaMemcpyDeviceToDevice, call->stream));
}

// A call's verdict before a way begins. If the host does not wait for it, the way's first kernel
// clears it (clear_findings()).
static inline volatile HostVerdict *fresh_verdict(Call *call) {
  if (call->no_host_wait) return call->host = &call->findings->verdict;
  call->host->finding = UNKNOWN;
  return call->host;
}

// Waits for another finding than `not_this`, and returns it; SORTED after an error. To be called
// after all other launches, so that the device is busy while the host waits.
static inline Finding wait_for_finding(Call *call, Finding not_this) {
  while (call->error == cudaSuccess && call->host->finding == (unsigned int)not_this) {
    const cudaError_t state = cudaStreamQuery(call->stream);
    if (state == cudaErrorNotReady) {
      cudaGetLastError();  // which the program is not to find
      continue;
    }
    succeeds(call, state);
    if (call->host->finding == (unsigned int)not_this) succeeds(call, cudaErrorUnknown);
  }
  // What the device wrote before the finding is read behind it, also by hosts that are not x86.
  std::atomic_thread_fence(std::memory_order_acquire);
  return call->error == cudaSuccess ? (Finding)call->host->finding : SORTED;
}

// The blocks of a kernel. elements: of a tile, or the most of a bucket.
typedef struct Shape {
  unsigned int threads, elements;
  int bits;             // of the digit by which a block puts its elements in order
  unsigned int per_sm;  // blocks that a multiprocessor holds
  size_t shared_bytes;
} Shape;

// Behind the numbers: the type of a block's shared memory.
#define SHAPE(threads, items, bits, per_sm, ...) \
  { threads, threads *items, bits, per_sm, sizeof(__VA_ARGS__) }

static inline bool fits(const Call *call, const Shape &shape) {
  return shape.shared_bytes <= call->device->shared_limit;
}

// Blocks that share `count` tiles, if all of them are to run at the same time.
static inline unsigned int blocks_for(const Call *call, const Shape &shape, unsigned int count) {
  return least_of(count, shape.per_sm * call->device->multiprocessors);
}

// A kernel that follows another one of the call.
template <class... Parameters, class... Arguments>
static void launch_shape(Call *call, const Shape &shape, void (*kernel)(Parameters...),
                         unsigned int grid, Arguments... arguments) {
  launch_next(call, kernel, grid, shape.threads, shape.shared_bytes, arguments...);
}

// Pieces of some memory, one behind the other, aligned to 16 bytes, or to whole lines if they are
// large; without memory only the bytes are counted.
typedef struct Pieces {
  char *memory;
  size_t bytes;
  template <class T>
  T *next(size_t count) {
    const size_t size = count * sizeof(T), alignment = size < WORKSPACE_ALIGNMENT ? 16 : 256,
                 begin = (bytes + alignment - 1) / alignment * alignment;
    bytes = begin + size;
    return memory == NULL ? NULL : (T *)(memory + begin);
  }
} Pieces;

// What sweeps over all digits need: what the count of the digits writes, for which `counts` have to
// be 0 before; and bytes from the beginning on that are in use before the first sweep, and all.
typedef struct DigitMemory {
  SweepState state;
  size_t counted_bytes, bytes;
} DigitMemory;

// In the next pieces, with two look-backs of `words` words, of which the count clears the first.
static inline DigitMemory next_digits(const Call *call, Pieces *pieces, size_t words) {
  DigitMemory digits = {};
  SweepState *const state = &digits.state;
  state->start = pieces->next<unsigned int>(PASSES * BINS);
  state->tile_counter = pieces->next<unsigned int>(PASSES);
  state->spread = pieces->next<unsigned int>(PASSES);
  state->look_back = pieces->next<unsigned int>(words);
  state->look_back_words = words;
  if (pieces->memory != NULL) state->counts = call->findings->digit_counts;
  digits.counted_bytes = pieces->bytes;
  pieces->next<unsigned int>(words);
  digits.bytes = pieces->bytes;
  return digits;
}

#endif
