// racecheck: threads run in shuffled order, so that a missing barrier shows; a seed repeats it.
#include "mistakes.h"

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
static void run_sums(void) {
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

static void test_missing_barriers_show(void **) {
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

static void test_a_seed_repeats_a_run(void **) {
  for (const char *seed : {"3", "18446744073709551615"}) assert_true(sums(seed) == sums(seed));
}

int main(int argc, char **argv) {
  make_mistake_if_child(argc, argv, {MISTAKE(sums)});
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_missing_barriers_show),
      cmocka_unit_test(test_a_seed_repeats_a_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
