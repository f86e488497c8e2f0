// Measures the device memory that the version takes. Linked with tests/versions/version.c.
#include "tests/unit.h"

#include "common/device.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "harness/input/input.h"
#include "harness/measure/measure.h"
#include "harness/verdict/verdict.h"
#include "tests/versions/version.h"

// The linker redirects all calls of cudaMalloc and cudaFree here (--wrap), libraries' too.
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

// Sorts n keys or pairs of a kind of input and compares the memory it takes with what the version
// declares.
static void check_scratch(const char *kind, size_t n, bool pairs) {
  Workload w = workload_create(&sort_version, n, pairs, NULL);
  workload_draw(&w, input_find(kind), 1);
  workload_refresh(&w);
  scratch_trim();
  const size_t before = taken.peak = taken.now;
  your_sort(w.keys_in, w.positions_in, w.keys_out, w.positions_out, n);
  const double used = (double)(taken.peak - before) / (double)n;
  const double declared = pairs ? sort_version.scratch_per_pair : sort_version.scratch_per_key;
  print_message("# %zu %s, %s: %.3f bytes of scratch memory each, %g declared\n", n,
                pairs ? "pairs" : "keys", kind, used, declared);
  if (used > declared + sizeof(uint32_t) / 2.0)
    fail_msg("%s takes %.3f bytes of scratch per %s (%s) and declares %g", sort_version.name, used,
             pairs ? "pair" : "key", kind, declared);
  const Verdict verdict = verdict_judge(&sort_version, w.snapshot, w.keys_out, w.positions_out, n);
  assert_true(verdict_passes(&verdict));
  workload_destroy(&w);
}

// A version takes no more memory than it declares, for even keys and for uneven ones, which may go
// another way: compare relies on this before it runs a version. Two bytes per element are allowed
// for memory that does not grow with n, at this n a table of 16 KB per multiprocessor. An
// undeclared array of n elements is more.
TEST(test_scratch) {
  if (sort_version.scratch_per_key < 0.0) skip();
  size_t n = (size_t)device_attribute(cudaDevAttrMultiProcessorCount) * 8192;
  if (n < 1 << 19) n = 1 << 19;
  if (too_slow(n)) n = 4096;
  knobs_begin(&sort_version);
  stages_begin(&sort_version, false);
  for (int pairs = sort_version.pairs_only; pairs < 2; pairs++) {
    check_scratch("uniform", n, pairs == 1);
    check_scratch("zipf", n, pairs == 1);
  }
}
