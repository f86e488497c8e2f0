// The pool of scratch memory.
#include "tests/unit.h"

#include "common/scratch.h"

static void free_nothing(void) { scratch_free(NULL); }

TEST(test_misuse) { expect_exit(EXIT_DEVICE, "is not a block that is in use", free_nothing); }

// On a GPU nothing watches blocks in the pool.
#ifdef CUDA_CPU
static void copy_after_free(void) {
  void *const a = scratch_alloc(1000), *const b = scratch_alloc(1000);
  scratch_free(b);
  CUDA_CHECK(cudaMemcpy(a, b, 1000, cudaMemcpyDeviceToDevice));
}
static void set_after_free(void) {
  char *const a = scratch_alloc(1000);
  scratch_free(a);
  scratch_free(scratch_alloc(1000));  // lent and returned again
  CUDA_CHECK(cudaMemset(a + 99, 0, 1));
}
#endif

TEST(test_use_after_free) {
#ifdef CUDA_CPU
  expect_exit(EXIT_DEVICE,
              "memcheck: cudaMemcpy is given an array of 1000 bytes that scratch_free has released",
              copy_after_free);
  expect_exit(EXIT_DEVICE, "memcheck: cudaMemset is given an array of 1000 bytes that scratch_free",
              set_after_free);
#else
  skip();
#endif
}

// The contents of a block that is lent again may be anything, but it is usable.
TEST(test_lent_again) {
  for (int i = 0; i < 100; i++) {
    void *const block = scratch_alloc(100000);
    CUDA_CHECK(cudaMemset(block, i, 100000));
    scratch_free(block);
  }
  scratch_trim();
}

TEST(test_reuse) {
  assert_int_equal(scratch_outstanding(), 0);
  void *const a = scratch_alloc(10000), *const b = scratch_alloc(10000);
  assert_true(a != b && (uintptr_t)a % 256 == 0 && (uintptr_t)b % 256 == 0);
  assert_int_equal(scratch_outstanding(), 2);
  scratch_free(a);
  assert_int_equal(scratch_outstanding(), 1);
  assert_ptr_equal(scratch_alloc(9000), a);
  scratch_free(a);
  assert_ptr_equal(scratch_alloc(5000), a);  // half of it: just enough
  scratch_free(a);
  void *const small = scratch_alloc(4999);
  assert_ptr_not_equal(small, a);
  void *const large = scratch_alloc(10001);
  assert_ptr_not_equal(large, a);
  assert_int_equal(scratch_outstanding(), 3);
  scratch_free(b);
  scratch_free(large);
  scratch_free(small);
  assert_int_equal(scratch_outstanding(), 0);
  // The smallest of the blocks that fit: 4,999, then 10,000 twice, then 10,001.
  assert_ptr_equal(scratch_alloc(4999), small);
  const void *const next = scratch_alloc(6000);
  assert_true(next == a || next == b);
  void *const other = next == a ? b : a;
  assert_ptr_equal(scratch_alloc(6000), other);
  assert_ptr_equal(scratch_alloc(6000), large);
  scratch_free(a);
  scratch_free(b);
  scratch_free(small);
  scratch_free(large);
  scratch_trim();
}

TEST(test_empty) {
  void *const a = scratch_alloc(0), *const b = scratch_alloc(0);
  assert_non_null(a);
  assert_non_null(b);
  assert_ptr_not_equal(a, b);
  scratch_free(a);
  assert_ptr_equal(scratch_alloc(256), a);  // an empty block has room for 256 bytes
  scratch_free(a);
  scratch_free(b);
  scratch_trim();
}

static size_t free_memory(void) {
  size_t free_bytes = 0, total_bytes = 0;
  CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  return free_bytes;
}

// Trimming frees what is in the pool, and nothing that is in use.
TEST(test_trim) {
  const size_t bytes = (size_t)64 << 20, before = free_memory();
  void *const kept = scratch_alloc(bytes), *const returned = scratch_alloc(bytes);
  assert_true(free_memory() <= before - 2 * bytes);
  scratch_free(returned);
  assert_true(free_memory() <= before - 2 * bytes);
  scratch_trim();
  assert_true(free_memory() >= before - 2 * bytes + bytes);
  assert_true(free_memory() <= before - bytes);
  CUDA_CHECK(cudaMemset(kept, 1, bytes));
  scratch_free(kept);
  scratch_trim();
  assert_true(free_memory() >= before);
}

// When the device is full, the pool is emptied.
TEST(test_full_device) {
  const size_t most = free_memory() / 10;
  void *const first = scratch_alloc(6 * most);
  scratch_free(first);
  void *const second = scratch_alloc(8 * most);  // does not fit beside the first
  scratch_free(second);
  scratch_trim();
}

int main(void) {
  setenv("CUDA_CPU_MEMORY", "200000000", 1);  // of the cpu backend, read at the first CUDA call
  return run_all_tests("scratch", NULL, NULL);
}
