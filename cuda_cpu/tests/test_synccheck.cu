// synccheck: threads that wait for each other forever are reported, with the places where they
// wait.
#include "mistakes.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define LINE(n) __FILE__ ":" + std::to_string(n)

// ---- barriers -----------------------------------------------------------------------------------

static const int line_below_16 = __LINE__ + 4, line_others = __LINE__ + 6;
static __global__ void two_places() {
  if (threadIdx.x >= 36) return;
  if (threadIdx.x < 16)
    __syncthreads();
  else
    __syncthreads();
}
static void run_two_places(void) { two_places<<<3, 40>>>(); }

// One thread spins, one is in a loop of its own, the others are further on.
static const int line_spin = __LINE__ + 4, line_loop = __LINE__ + 7, line_behind = __LINE__ + 9;
static __global__ void three_places() {
  __shared__ volatile int never;
  if (threadIdx.x == 3)
    while (never != 1) __nanosleep(10);
  if (threadIdx.x == 7)
    for (int i = 0; i < 5; i++) {
      __syncthreads();
    }
  const int any = __syncthreads_or(threadIdx.x == 5);
  if (any) __syncthreads();
}
static void run_three_places(void) { three_places<<<1, 64>>>(); }

static const int line_block_a = __LINE__ + 3, line_block_b = __LINE__ + 5;
static __global__ void group_barriers() {
  if (threadIdx.x == 0)
    cg::this_thread_block().sync();
  else
    cg::sync(cg::this_thread_block());
}
static void run_group_barriers(void) { group_barriers<<<1, 2>>>(); }

// ---- warps --------------------------------------------------------------------------------------

static const int line_mask = __LINE__ + 2;
static __global__ void mask_without_caller(int *out) {
  out[threadIdx.x] = __shfl_sync(0xffdfu, (int)threadIdx.x, 0, 16);
}
static void run_mask_without_caller(void) {
  int *out = NULL;
  cudaMalloc(&out, 32 * sizeof *out);
  mask_without_caller<<<1, 16>>>(out);
}

static const int line_in_barrier = __LINE__ + 3, line_in_warp = __LINE__ + 5;
static __global__ void barrier_and_collective() {
  if (threadIdx.x % 32 < 8)
    __syncthreads();
  else
    __syncwarp();
}
static void run_barrier_and_collective(void) { barrier_and_collective<<<1, 64>>>(); }

static const int line_ballot = __LINE__ + 3, line_all = __LINE__ + 5;
static __global__ void different_collectives() {
  if (threadIdx.x % 2 == 0)
    (void)__ballot_sync(0xffffffffu, 1);
  else
    (void)__all_sync(0xffffffffu, 1);
}
static void run_different_collectives(void) { different_collectives<<<1, 32>>>(); }

static __global__ void different_masks() { __syncwarp(threadIdx.x == 0 ? 0xffu : 0xffffu); }
static void run_different_masks(void) { different_masks<<<1, 16>>>(); }

// ---- the grid -----------------------------------------------------------------------------------

static const int line_grid = __LINE__ + 3;
static __global__ void block_returned() {
  if (blockIdx.x == 1) return;
  cg::this_grid().sync();
}
static void run_block_returned(void) {
  cudaLaunchCooperativeKernel(block_returned, dim3(4), dim3(32), NULL);
}
static void run_not_cooperative(void) { block_returned<<<4, 32>>>(); }

// ---- the tests ----------------------------------------------------------------------------------

static void test_different_barriers(void **) {
  expect_report("two_places",
                {"synccheck: kernel two_places, block (", "its threads wait at different barriers",
                 "16 at __syncthreads, " LINE(line_below_16) + ", the first is thread (0,0,0)",
                 "20 at __syncthreads, " LINE(line_others) + ", the first is thread (16,0,0)",
                 "4 have returned"});
  expect_report("three_places",
                {"different barriers", "1 at __nanosleep, " LINE(line_spin),
                 "1 at __syncthreads, " LINE(line_loop) + ", the first is thread (7,0,0)",
                 "62 at __syncthreads_or, " LINE(line_behind)});
  // Where the groups' functions are called, not where they are defined.
  expect_report("group_barriers",
                {"1 at block.sync, " LINE(line_block_a), "1 at block.sync, " LINE(line_block_b)});
}

static void test_warps_that_wait_in_vain(void **) {
  expect_report("mask_without_caller",
                {"synccheck: " LINE(line_mask) + ": lane 5 calls __shfl_sync with mask "
                                                 "0x0000ffdf, which does not name it",
                 "kernel mask_without_caller", "thread (5,0,0)"});
  expect_report(
      "barrier_and_collective",
      {"synccheck: kernel barrier_and_collective", "none can go on",
       "16 at __syncthreads, " LINE(line_in_barrier), "48 at __syncwarp, " LINE(line_in_warp)});
  expect_report("different_collectives",
                {"none can go on", "16 at __ballot_sync, " LINE(line_ballot),
                 "16 at __all_sync, " LINE(line_all)});
  expect_report("different_masks", {"none can go on", "16 at __syncwarp"});
}

static void test_grid_barriers_that_cannot_complete(void **) {
  expect_report("block_returned",
                {"synccheck: kernel ", "grid.sync() for blocks that have returned",
                 "32 at grid.sync, " LINE(line_grid)});
  expect_report("not_cooperative", {"synccheck: grid.sync() in a kernel that was not launched "
                                    "cooperatively",
                                    "kernel block_returned, block ("});
}

static void test_reports_name_the_seed(void **) {
  const Child child = run_mistake("two_places", "CUDA_CPU_RACECHECK", "7");
  assert_int_equal(child.exit_code, 3);
  child_expect_text(child.errors, "different barriers");
  child_expect_text(child.errors, "16 at __syncthreads");
  child_expect_text(child.errors, "CUDA_CPU_RACECHECK=7 repeats it");
}

int main(int argc, char **argv) {
  make_mistake_if_child(argc, argv,
                        {MISTAKE(two_places), MISTAKE(three_places), MISTAKE(group_barriers),
                         MISTAKE(mask_without_caller), MISTAKE(barrier_and_collective),
                         MISTAKE(different_collectives), MISTAKE(different_masks),
                         MISTAKE(block_returned), MISTAKE(not_cooperative)});
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_different_barriers),
      cmocka_unit_test(test_warps_that_wait_in_vain),
      cmocka_unit_test(test_grid_barriers_that_cannot_complete),
      cmocka_unit_test(test_reports_name_the_seed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
