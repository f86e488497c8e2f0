// Inline PTX: statements of several instructions, types, predicates, memory, named barriers.
#include "mistakes.h"

#include <string>

__global__ void several(unsigned *out, unsigned a, int b) {
  const unsigned lane = threadIdx.x;
  unsigned x = a, y, z;
  // The inputs are read first, although x is written in between.
  asm("add.u32 %0, %1, 1;\n\t"
      "mul.lo.u32 %0, %0, %1;"
      : "=r"(x)
      : "r"(x));
  asm("{\n\t"
      ".reg .u32 t;\n\t"
      ".reg .pred p, q;\n\t"
      "shr.s32 t, %1, 1;\n\t"
      "setp.lt.s32 p, t, 0;\n\t"
      "not.pred q, p;\n\t"
      "selp.u32 %0, 7, 9, p;\n\t"
      "@q add.u32 %0, %0, 100;\n\t"
      "}"
      : "=r"(y)
      : "r"(b));
  asm("{ .reg .pred p; and.b32 %0, %1, %2; setp.ne.u32 p, %0, 0;"
      " vote.sync.ballot.b32 %0, p, 0xffffffff; @!p not.b32 %0, %0; }"
      : "=r"(z)
      : "r"(lane), "r"(4u));
  out[lane * 3] = x;
  out[lane * 3 + 1] = y;
  out[lane * 3 + 2] = z;
}

static void test_several_instructions(void **) {
  DeviceArray<unsigned> out(96);
  several<<<1, 32>>>(out, 6, -2);
  KERNEL_OK();
  std::vector<unsigned> expected;
  for (unsigned lane = 0; lane < 32; lane++) {
    expected.push_back(7 * 6);
    expected.push_back(7);
    expected.push_back((lane & 4) != 0 ? 0xf0f0f0f0u : 0x0f0f0f0fu);
  }
  ASSERT_SAME(out.read(), expected);
  several<<<1, 32>>>(out, 6, 2);
  KERNEL_OK();
  assert_int_equal(out.read()[1], 109);
}

__global__ void sum_of_differences(unsigned *out, unsigned a, unsigned b) {
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(*out) : "r"(a), "r"(b), "r"(1000));
}

static void test_bytes(void **) {
  DeviceArray<unsigned> out(1);
  sum_of_differences<<<1, 1>>>(out, 0x05ff0010u, 0x0700ff0fu);
  KERNEL_OK();
  assert_int_equal(out.read()[0], 1000 + 2 + 255 + 255 + 1);
}

__global__ void types(unsigned *out, unsigned *memory, float one, unsigned long long *wide) {
  int negative;
  unsigned u;
  unsigned long long product;
  float f;
  asm("mov.b32 %0, %1;" : "=r"(out[0]) : "f"(one));  // the bits
  asm("mov.b32 %0, %1;" : "=f"(f) : "r"(0x40000000));
  asm("shl.b32 %0, %1, %2;" : "=r"(out[1]) : "r"(1), "r"(40));
  asm("shr.s32 %0, %1, %2;" : "=r"(negative) : "r"(-8), "r"(1));
  asm("min.s32 %0, %1, %2;" : "=r"(negative) : "r"(negative), "r"(3));
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(0x80000000u), "r"(6));
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(u) : "r"(0xcu), "r"(0xau), "r"(0x6u));  // majority
  asm volatile("st.global.u32 [%0 + 4], %1;" : : "l"(memory), "r"(5) : "memory");
  asm volatile("ld.global.cg.u32 %0, [%1+4];" : "=r"(out[2]) : "l"(memory) : "memory");
  asm volatile("red.global.add.u32 [%0], %1;" : : "l"(memory), "r"(2) : "memory");
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(out[3]) : "l"(memory), "r"(2) : "memory");
  out[4] = static_cast<unsigned>(negative);
  out[5] = u;
  out[6] = static_cast<unsigned>(f);
  *wide = product;
}

static void test_types_and_memory(void **) {
  DeviceArray<unsigned> out(7), memory(2);
  DeviceArray<unsigned long long> wide(1);
  types<<<1, 1>>>(out, memory, 1.0f, wide);
  KERNEL_OK();
  ASSERT_SAME(out.read(), (std::vector<unsigned>{0x3f800000, 0, 5, 2, 0xfffffffc, 0xe, 2}));
  ASSERT_SAME(memory.read(), (std::vector<unsigned>{4, 5}));
  assert_true(wide.read()[0] == 6ULL << 31);
}

// Each pair of warps meets at a barrier of its own, in several rounds.
__global__ void pairs(int *out, int rounds) {
  __shared__ int values[128];
  const unsigned pair = threadIdx.x / 64, id = pair + 1;
  int value = static_cast<int>(threadIdx.x);
  for (int round = 0; round < rounds + static_cast<int>(pair); round++) {
    values[threadIdx.x] = value;
    asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(64) : "memory");
    value = values[pair * 64 + (threadIdx.x + 1) % 64];
    asm volatile("bar.sync %0, 64;" : : "r"(id) : "memory");
  }
  out[threadIdx.x] = value;
}

// Warp 0 produces and does not wait; warp 1 waits for it.
__global__ void produce(int *out) {
  __shared__ int values[32];
  if (threadIdx.x < 32) {
    values[threadIdx.x] = 5;
    asm volatile("bar.arrive 3, 64;" : : : "memory");
  } else {
    asm volatile("bar.sync 3, 64;" : : : "memory");
    out[threadIdx.x - 32] = values[threadIdx.x - 32];
  }
}

static void test_named_barriers(void **) {
  DeviceArray<int> out(128);
  pairs<<<2, 128>>>(out, 5);
  KERNEL_OK();
  std::vector<int> expected;
  for (int i = 0; i < 128; i++) expected.push_back(i / 64 * 64 + (i % 64 + 5 + i / 64) % 64);
  ASSERT_SAME(out.read(), expected);
  produce<<<1, 64>>>(out);
  KERNEL_OK();
  assert_int_equal(out.read()[31], 5);
}

__global__ void one_warp_missing() { asm volatile("bar.sync 2, 96;" : : : "memory"); }
static void run_missing(void) { one_warp_missing<<<1, 64>>>(); }
__global__ void odd_count() { asm volatile("bar.sync 2, %0;" : : "r"(40) : "memory"); }
static void run_odd(void) { odd_count<<<1, 64>>>(); }

static void test_mistakes(void **) {
  expect_report("missing",
                {"synccheck: kernel one_warp_missing", "64 at bar.sync, ", "test_ptx.cu:"});
  expect_report("odd",
                {"bar.sync with barrier 2 and 40 threads: there are 16, for multiples of 32"});
}

int main(int argc, char **argv) {
  make_mistake_if_child(argc, argv, {MISTAKE(missing), MISTAKE(odd)});
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_several_instructions),
      cmocka_unit_test(test_bytes),
      cmocka_unit_test(test_types_and_memory),
      cmocka_unit_test(test_named_barriers),
      cmocka_unit_test(test_mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
