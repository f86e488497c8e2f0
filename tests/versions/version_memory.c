// How much device memory does the version take? Linked with tests/versions/version.c.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/device.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "harness/input.h"
#include "harness/measure.h"
#include "harness/verdict.h"
#include "tests/versions/version.h"

// The linker sends all calls of cudaMalloc and cudaFree here (--wrap), those of libraries too.
enum { MOST_BLOCKS = 1000 };

static struct {
  void *blocks[MOST_BLOCKS];
  size_t bytes[MOST_BLOCKS];
  size_t now, peak;  // bytes
} taken;

cudaError_t __real_cudaMalloc(void **memory, size_t bytes);
cudaError_t __wrap_cudaMalloc(void **memory, size_t bytes);
cudaError_t __real_cudaFree(void *memory);
cudaError_t __wrap_cudaFree(void *memory);

static void *remember(void *block, void *instead_of, size_t bytes) {
  int i = 0;
  while (i < MOST_BLOCKS && taken.blocks[i] != instead_of) i++;
  if (i == MOST_BLOCKS) abort();
  taken.now += bytes - taken.bytes[i];
  if (taken.now > taken.peak) taken.peak = taken.now;
  taken.blocks[i] = block;
  taken.bytes[i] = bytes;
  return block;
}

cudaError_t __wrap_cudaMalloc(void **memory, size_t bytes) {
  const cudaError_t error = __real_cudaMalloc(memory, bytes);
  if (error == cudaSuccess && *memory != NULL) remember(*memory, NULL, bytes);
  return error;
}

cudaError_t __wrap_cudaFree(void *memory) {
  if (memory != NULL) remember(NULL, memory, 0);
  return __real_cudaFree(memory);
}

// What compare counts on before it lets a version sort: it takes no more memory than it says. Half
// a word per element is left to what does not grow with n, which at this n is a table of 16 KB for
// each multiprocessor; an array of n words that somebody forgot is more.
void test_scratch(void **state) {
  (void)state;
  if (sort_version.scratch_per_key < 0.0) skip();
  size_t n = (size_t)device_attribute(cudaDevAttrMultiProcessorCount) * 8192;
  if (n < 1 << 17) n = 1 << 17;
  if (too_slow(n)) n = 4096;
  knobs_begin(&sort_version);
  stages_begin(&sort_version, false);
  for (int pairs = 0; pairs < 2; pairs++) {
    Workload w = workload_create(n, pairs == 1);
    workload_draw(&w, input_find("uniform"), 1);
    CUDA_CHECK(cudaMemcpy(w.keys_in, w.snapshot, n * sizeof *w.keys_in, cudaMemcpyDeviceToDevice));
    if (pairs) input_positions(w.positions_in, n);
    scratch_trim();
    const size_t before = taken.peak = taken.now;
    your_sort(w.keys_in, w.positions_in, w.keys_out, w.positions_out, n);
    const double used = (double)(taken.peak - before) / (double)n;
    const double said = pairs ? sort_version.scratch_per_pair : sort_version.scratch_per_key;
    print_message("# %zu %s: %.3f bytes of scratch memory each, %g said\n", n,
                  pairs ? "pairs" : "keys", used, said);
    if (used > said + sizeof(uint32_t) / 2.0)
      fail_msg("%s takes %.3f bytes of scratch per %s and says %g", sort_version.name, used,
               pairs ? "pair" : "key", said);
    const Verdict verdict =
        verdict_judge(&sort_version, w.snapshot, w.keys_out, w.positions_out, n);
    assert_true(verdict_passes(&verdict));
    workload_destroy(&w);
  }
}
