// What device code uses beyond kernels and barriers: shifts as a GPU computes them, inline PTX,
// arithmetic intrinsics, groups of lanes.
#include <iostream>
#include <sstream>

#include "device_test.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
#include <cuComplex.h>
#include <math_constants.h>
#include <nvtx3/nvToolsExt.h>

#include <string>

namespace cg = cooperative_groups;

// ---- which compiler this is ---------------------------------------------------------------------

// As in headers that host compilers read, too.
#if defined(__CUDACC__) && defined(__NVCC__) && __CUDACC_VER_MAJOR__ >= 9
static __host__ __device__ const char *language() { return "CUDA C++"; }
#else
static const char *language() { return "C++"; }
#endif

TEST(macros_of_nvcc) { assert_string_equal(language(), "CUDA C++"); }

// ---- shifts -------------------------------------------------------------------------------------

template <class T>
struct Pair {
  T first, second;
};

__device__ __noinline__ int device_shift(int x, int n) { return x >> n; }
// The name of an attribute, too, as in libstdc++.
__attribute__((__noinline__)) static int host_shift(int x, int n) { return x >> n; }

__global__ void shifts(unsigned *out, int n, long long *wide) {
  const unsigned one = 1, all = 0xffffffffu;
  out[0] = one << n;
  out[1] = all >> n;
  out[2] = static_cast<unsigned>(device_shift(-8, n));
  unsigned x = all;
  x <<= n;
  out[3] = x;
  x = all;
  x >>= n - 28;
  out[4] = x;
  wide[0] = 1LL << n;
  wide[1] = (one << 4) + static_cast<unsigned>((all >> (n - 28) & 3u) << 1 << (n - 30));
  const Pair<Pair<int>> nested = {{1, 2}, {3, 4}};
  out[5] = one < all && all > one << n ? static_cast<unsigned>(nested.second.first) : 0;
}

TEST(shifts) {
  DeviceArray<unsigned> out(6);
  DeviceArray<long long> wide(2);
  shifts<<<1, 1>>>(out, 32, wide);
  ASSERT_SAME(out.read(), (std::vector<unsigned>{0, 0, 0xffffffffu, 0, 0x0fffffffu, 3}));
  ASSERT_SAME(wide.read(), (std::vector<long long>{1LL << 32, 16 + (3 << 1 << 2)}));
  assert_int_equal(host_shift(-8, 2), -2);
}

// ---- inline PTX ---------------------------------------------------------------------------------

__global__ void ptx(unsigned *out) {
  unsigned lane, below, field, high;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 \t%0, %%lanemask_lt;" : "=r"(below));
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(field) : "r"(0xabcdu), "r"(4), "r"(8));
  asm("{ bfind.u32 %0, %1; }" : "=r"(high) : "r"(threadIdx.x + 1));
  asm volatile("" ::: "memory");
  asm volatile("bar.sync 0;" ::: "memory");
  out[threadIdx.x] = lane + below + field + high;
}

TEST(inline_ptx) {
  DeviceArray<unsigned> out(64);
  ptx<<<1, 64>>>(out);
  std::vector<unsigned> expected;
  for (unsigned i = 0; i < 64; i++) {
    unsigned high = 0;
    while (i + 1 >= 2u << high) high++;
    expected.push_back(i % 32 + ((1u << i % 32) - 1) + 0xbc + high);
  }
  ASSERT_SAME(out.read(), expected);
}

// ---- packed bytes and halves --------------------------------------------------------------------

__global__ void packed(unsigned *out, unsigned a, unsigned b) {
  out[0] = __vadd4(a, b);
  out[1] = __vsub2(a, b);
  out[2] = __vmaxs4(a, b);
  out[3] = __vmaxu4(a, b);
  out[4] = __vcmpgtu2(a, b);
  out[5] = __vsadu4(a, b);
  out[6] = __vaddus4(a, b);
  out[7] = __vavgu4(a, b);
  out[8] = __vaddss4(a, b);
  out[9] = __vsubss2(a, b);
  out[10] = __vabs4(a) ^ __vabsss2(0x80000000u);
  out[11] = __vabsss4(a) + __vnegss4(0x80000000u);
  out[12] = __vavgs2(0x0001ffffu, 0x0002fffeu);  // 1.5 and -1.5: away from 0
  out[13] = __vhaddu4(a, b);
  out[14] = __vsetgts4(a, b) | __vseteq2(a, a) << 4;
  out[15] = __vsads4(a, b) + (__vsadu2(a, b) << 16);
}

TEST(packed_values) {
  DeviceArray<unsigned> out(16);
  packed<<<1, 1>>>(out, 0x80ff0110u, 0x01020304u);
  ASSERT_SAME(out.read(), (std::vector<unsigned>{
                              0x81010414u, 0x7ffdfe0cu, 0x01020310u, 0x80ff0310u, 0xffff0000u,
                              127 + 253 + 2 + 12, 0x81ff0414u, 0x4181020au, 0x81010414u,
                              0x8000fe0cu, 0x80010110u ^ 0x7fff0000u, 0x7f010110u + 0x7f000000u,
                              0x0002fffeu, 0x4080020au, 0x00100011u, 0x81f10092u}));
}

// Manipulators of streams in a function for both sides.
static std::ostream &comma(std::ostream &to) { return to << ','; }

__host__ __device__ void print(std::ostream &to, int value) {
  to << value << std::endl << std::hex << 16 << comma << std::flush;
}

TEST(manipulators) {
  std::ostringstream text;
  print(text, 3);
  assert_string_equal(text.str().c_str(), "3\n10,");
}

// ---- arithmetic ---------------------------------------------------------------------------------

__global__ void arithmetic(int *out, float *real) {
  out[0] = __mul24(-3, 0x01000005);  // the upper byte does not count
  out[1] = static_cast<int>(__umul24(0xff000002u, 3u));
  out[2] = static_cast<int>(umin(1u, 0xffffffffu));
  out[3] = __float2int_rn(2.5f);
  out[4] = __float2int_ru(2.1f);
  out[5] = __float2int_rz(-2.9f);
  out[6] = __float2int_rn(1e20f);
  out[7] = __mulhi(1 << 30, -8);
  out[8] = static_cast<int>(__sad(3, -4, 10u));
  out[9] = __hadd(0x7fffffff, 0x7fffffff);
  real[0] = __fadd_ru(1.0f, 1e-10f);
  real[1] = __fadd_rn(1.0f, 1e-10f);
  real[2] = __fdividef(1.0f, 4.0f) + rsqrtf(16.0f) + __saturatef(7.0f) + __logf(1.0f);
  real[3] = __int2float_rd(16777217);
  real[4] = norm3df(2, 3, 6) + rhypotf(0, 4) + normcdff(0);
  double sine, cosine;
  sincospi(0.5, &sine, &cosine);
  real[5] = static_cast<float>(sine + cosine + cospi(1.0) + rcbrt(8.0) + norm3d(2, 3, 6));
  real[6] = __ll2float_rz((1LL << 62) + 1) + norm4df(1, 1, 1, 1) * rnorm3df(2, 3, 6);
  out[10] = __dp4a(static_cast<int>(0xff020304u), 0x01010101, 10);
  out[12] = __dp4a(make_char4(-1, 2, 3, 4), make_char4(1, 1, 1, 1), 10) +
            static_cast<int>(__dp4a(make_uchar4(255, 0, 0, 0), make_uchar4(2, 0, 0, 0), 1u));
  out[11] = static_cast<int>(__double2ull_rn(2.5) + __dp4a(0xff000000u, 0x02000000u, 1u));
}

TEST(arithmetic) {
  DeviceArray<int> out(13);
  DeviceArray<float> real(7);
  arithmetic<<<1, 1>>>(out, real);
  ASSERT_SAME(out.read(), (std::vector<int>{-15, 6, 1, 2, 3, -2, 0x7fffffff, -2, 17, 0x7fffffff, 18,
                                            513, 18 + 511}));
  ASSERT_SAME(real.read(),
              (std::vector<float>{1.00000012f, 1.0f, 1.5f, 16777216.0f, 7.75f, 7.5f, 0x1p62f}));
}

// Differences, in units of 1e-14, from values that mpmath computed with 30 digits, and values at
// the edges of the domains.
__global__ void special_functions(double *differences, double *edges) {
  const double values[] = {erfinv(0.5), erfinv(-0.999999999), erfcinv(1e-300),
                           erfcx(1.0),  erfcx(99.999999),     erfcx(100.00001),
                           erfcx(-3.0), normcdfinv(0.975),    cyl_bessel_i0(-2.0),
                           sinpi(0.25), cospi(0.75),          cyl_bessel_i1(-1.0)};
  const double expected[] = {0.476936276204469873, -4.32000538810536205,   26.2094699605161239,
                             0.427583576155807005, 0.00564161383939993095, 0.00564161321888451287,
                             16205.9888539995866,  1.95996398454005386,    2.27958530233606727,
                             0.707106781186547524, -0.707106781186547524,  -0.565159103992485027};
  for (int i = 0; i < 12; i++) differences[i] = floor(fabs(values[i] / expected[i] - 1) * 1e14);
  const double points[] = {erfinv(1.0),     erfinv(-1.0),    erfcinv(0.0), erfcinv(2.0),
                           normcdfinv(0.0), normcdfinv(1.0), sinpi(1.0),   cospi(0.5)};
  for (int i = 0; i < 8; i++) edges[i] = points[i];
  edges[8] = isnan(erfinv(2.0)) && isnan(erfcinv(-1.0)) && isnan(normcdfinv(NAN));
  const double d[] = {1, 2, 4, 10};
  const float f[] = {1, 2, 4, 10};
  edges[9] = norm(4, d) + rnorm(4, d) + rnorm4d(d[0], d[1], d[2], d[3]);
  edges[10] = normf(4, f) + rnormf(4, f) + rnorm4df(f[0], f[1], f[2], f[3]) - edges[9];
}

TEST(special_functions) {
  DeviceArray<double> differences(12), edges(11);
  special_functions<<<1, 1>>>(differences, edges);
  ASSERT_SAME(differences.read(), std::vector<double>(12, 0));
  const double infinity = HUGE_VAL;
  const std::vector<double> at = edges.read();
  ASSERT_SAME(std::vector<double>(at.begin(), at.end() - 2),
              (std::vector<double>{infinity, -infinity, infinity, -infinity, -infinity, infinity, 0,
                                   0, 1}));
  assert_true(fabs(at[9] - (11 + 2.0 / 11)) < 1e-12 && fabs(at[10]) < 1e-5);
}

static_assert(sizeof(ulong2) == 16 && alignof(ulong2) == 16 && sizeof(long3) == 24);

// In CUDA they are overloaded for float, so that products with floats stay floats.
#define ASSERT_FLOAT(call) static_assert(std::is_same_v<decltype(call), float>, #call)
ASSERT_FLOAT(erfinv(1.0f) + erfcinv(1.0f) + erfcx(1.0f) + normcdf(1.0f) + normcdfinv(1.0f));
ASSERT_FLOAT(sinpi(1.0f) + cospi(1.0f) + rcbrt(1.0f) + exp10(1.0f) + cyl_bessel_i0(1.0f));
ASSERT_FLOAT(erfinvf(1) + erfcinvf(1) + erfcxf(1) + normcdfinvf(1) + cyl_bessel_i1f(1));

__global__ void complex_numbers(cuDoubleComplex *out, float *parts) {
  const cuDoubleComplex a = make_cuDoubleComplex(1, 2), b = make_cuDoubleComplex(3, -4);
  out[0] = cuCadd(cuCmul(a, b), cuConj(cuCsub(a, b)));
  out[1] = cuCmul(cuCdiv(a, b), b);
  out[2] = cuCfma(a, b, make_cuDoubleComplex(cuCabs(b), cuCimag(a)));
  const cuFloatComplex c = cuCmulf(make_cuComplex(3e30f, 4e30f), make_cuFloatComplex(0, 1));
  parts[0] = cuCrealf(c);
  parts[1] = cuCabsf(c);
  parts[2] = cuCrealf(cuComplexDoubleToFloat(a)) + cuCimagf(cuCdivf(c, c));
  sincos(0.0f, &parts[3], &parts[4]);
}

// Its calls do nothing without a profiler.
TEST(nvtx) {
  nvtxEventAttributes_t event = {};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = "range";
  nvtxRangePushA("range");
  nvtxRangePushEx(&event);
  nvtxRangePop();
  nvtxRangeEnd(nvtxRangeStartEx(&event));
  nvtxMark("mark");
}

TEST(complex_numbers) {
  DeviceArray<double2> out(3);
  DeviceArray<float> parts(5);
  complex_numbers<<<1, 1>>>(out, parts);
  const std::vector<double2> z = out.read();
  assert_true(z[0].x == 9 && z[0].y == -4);
  assert_true(fabs(z[1].x - 1) < 1e-15 && fabs(z[1].y - 2) < 1e-15);
  assert_true(z[2].x == 16 && z[2].y == 4);
  ASSERT_SAME(parts.read(), (std::vector<float>{-4e30f, 5e30f, 1, 0, 1}));
}

__global__ void halfs(unsigned short *out, const float *in, int n) {
  const int i = static_cast<int>(threadIdx.x);
  if (i < n) out[i] = __half_as_ushort(__float2half(in[i]));
  if (i == 0)
    out[n] = __half_as_ushort(__hfma(__half(3.0f), __half(0.5f), __half(-1.0f)) + half(2));
}

__global__ void pairs_of_halfs(half2 *out, const half2 *in) {
  out[0] = in[0] + in[1] * half2(half(2.0f), half(0.5f)) - __half2half2(half(1.0f));
  out[1] = -in[0];
  out[1] /= in[1];
  out[2] = __hmax2(__habs2(in[0]), __lowhigh2highlow(in[1]));
  out[3] = half2(half(in[0] < in[1] ? 1.0f : 0.0f), half(in[0] != in[1] ? 1.0f : 0.0f));
  out[4] = h2sqrt(half2(hceil(half(3.5f)), hrcp(half(0.25f)))) + __h2div(in[1], in[1]);
  out[5] = __hgt2(in[0], in[1]) + __hle2(in[0], __low2half2(in[1])) * __high2half2(in[1]);
  out[6] = h2rint(half2(half(2.5f), half(-3.5f))) + h2exp2(half2(half(3.0f), half(-1.0f)));
  out[7] =
      half2(__ushort2half_rn(__half2ushort_ru(half(2.5f))), __ll2half_rn(__half2ll_rd(in[0].x)));
}

TEST(pairs_of_halfs) {
  const DeviceArray<half2> in(
      std::vector<half2>{__floats2half2_rn(-3.0f, 8.0f), __floats2half2_rn(0.5f, 16.0f)});
  const DeviceArray<half2> out(8);
  pairs_of_halfs<<<1, 1>>>(out, in);
  const float expected[] = {-3.0f, 15.0f, 6.0f,  -0.5f, 16.0f, 8.0f,  1.0f, 1.0f,
                            3.0f,  3.0f,  16.0f, 0.0f,  10.0f, -3.5f, 3.0f, -3.0f};
  const std::vector<half2> values = out.read();
  for (size_t i = 0; i < 8; i++) {
    assert_true(__low2float(values[i]) == expected[2 * i]);
    assert_true(__high2float(values[i]) == expected[2 * i + 1]);
  }
}

__global__ void round_doubles(double *out) {
  out[0] = __dsqrt_ru(2.0) - __dsqrt_rd(2.0);
  out[1] = __drcp_ru(3.0) - __drcp_rd(3.0);
  out[2] = __dsub_ru(1.0, 1e-30) - __dsub_rd(1.0, 1e-30);
  out[3] = __fma_rd(1.0 / 3, 3.0, -1.0);
}

TEST(rounding_of_doubles) {
  const DeviceArray<double> out(4);
  round_doubles<<<1, 1>>>(out);
  const double third = 1.0 / 3, step = 0x1p-52;
  ASSERT_SAME(out.read(), (std::vector<double>{step, step / 4, step / 2, fma(third, 3.0, -1.0)}));
}

TEST(halfs) {
  // 1, the largest, too large, the smallest, half of it (ties to even), a bit more, a third, -0
  const std::vector<float> values = {1.0f,     65504.0f,   65520.0f,    0x1p-24f,
                                     0x1p-25f, 0x1.8p-25f, 1.0f / 3.0f, -0.0f};
  DeviceArray<float> in(values);
  DeviceArray<unsigned short> out(9);
  halfs<<<1, 32>>>(out, in, 8);
  ASSERT_SAME(out.read(), (std::vector<unsigned short>{0x3c00, 0x7bff, 0x7c00, 1, 0, 1, 0x3555,
                                                       0x8000, 0x4100}));
#ifdef CUDA_CPU
  for (unsigned bits = 0; bits < 0x7c00; bits++)  // there and back
    assert_int_equal(cuda_cpu::float_to_half(cuda_cpu::half_to_float((unsigned short)bits)), bits);
#endif
}

// ---- groups of lanes ----------------------------------------------------------------------------

__global__ void groups(int *sums, int *scans, int *odd_ranks, int *parts) {
  const int i = static_cast<int>(threadIdx.x);
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  sums[i] = cg::reduce(tile, i, cg::plus<int>());
  scans[i] = cg::exclusive_scan(tile, 1) + 100 * cg::inclusive_scan(tile, i, cg::greater<int>());
  odd_ranks[i] = -1;
  if (i % 2 == 1) {
    const cg::coalesced_group odd = cg::coalesced_threads();
    odd_ranks[i] = static_cast<int>(odd.thread_rank() + 100 * odd.size()) +
                   1000000 * (odd.shfl(i, 1) == (i < 32 ? 3 : 35));
  }
  block.sync();
  const cg::coalesced_group part = cg::binary_partition(cg::tiled_partition<32>(block), i % 3 == 0);
  parts[i] = cg::reduce(part, 1, cg::plus<int>());
}

TEST(groups_of_lanes) {
  DeviceArray<int> sums(64), scans(64), odd_ranks(64), parts(64);
  groups<<<1, 64>>>(sums, scans, odd_ranks, parts);
  std::vector<int> sum, scan, odd, part;
  for (int i = 0; i < 64; i++) {
    sum.push_back(16 * (i / 16 * 16) + 120);
    scan.push_back(i % 16 + 100 * i);
    odd.push_back(i % 2 == 1 ? i % 32 / 2 + 1600 + 1000000 : -1);
    part.push_back(i % 3 == 0 ? 11 : 21);  // of 0 to 31, and of 32 to 63
  }
  ASSERT_SAME(sums.read(), sum);
  ASSERT_SAME(scans.read(), scan);
  ASSERT_SAME(odd_ranks.read(), odd);
  ASSERT_SAME(parts.read(), part);
}

__global__ void wide_tiles(int *out, const int *in) {
  __shared__ cg::block_tile_memory<128> memory;
  __shared__ int copy[128];
  const auto block = cg::this_thread_block(memory);
  cg::memcpy_async(block, copy, in, sizeof(int) * 128);
  cg::wait(block);
  const auto tile = cg::tiled_partition<64>(block);
  out[threadIdx.x] = cg::reduce(tile, copy[threadIdx.x], cg::plus<int>());
}

TEST(tiles_of_several_warps) {
  std::vector<int> values(128, 1);
  values[100] = 11;
  DeviceArray<int> in(values), out(128);
  wide_tiles<<<1, 128>>>(out, in);
  std::vector<int> expected(128, 64);
  for (size_t i = 64; i < 128; i++) expected[i] = 74;
  ASSERT_SAME(out.read(), expected);
}

// ---- inline PTX ---------------------------------------------------------------------------------
//
// Inline PTX: statements of several instructions, types, predicates, memory, named
// barriers.

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

TEST(several_instructions) {
  DeviceArray<unsigned> out(96);
  several<<<1, 32>>>(out, 6, -2);
  std::vector<unsigned> expected;
  for (unsigned lane = 0; lane < 32; lane++) {
    expected.push_back(7 * 6);
    expected.push_back(7);
    expected.push_back((lane & 4) != 0 ? 0xf0f0f0f0u : 0x0f0f0f0fu);
  }
  ASSERT_SAME(out.read(), expected);
  several<<<1, 32>>>(out, 6, 2);
  assert_int_equal(out.read()[1], 109);
}

__global__ void sum_of_differences(unsigned *out, unsigned a, unsigned b) {
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(*out) : "r"(a), "r"(b), "r"(1000));
}

TEST(bytes) {
  DeviceArray<unsigned> out(1);
  sum_of_differences<<<1, 1>>>(out, 0x05ff0010u, 0x0700ff0fu);
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

TEST(types_and_memory) {
  DeviceArray<unsigned> out(7), memory(2);
  DeviceArray<unsigned long long> wide(1);
  types<<<1, 1>>>(out, memory, 1.0f, wide);
  ASSERT_SAME(out.read(), (std::vector<unsigned>{0x3f800000, 0, 5, 2, 0xfffffffc, 0xe, 2}));
  ASSERT_SAME(memory.read(), (std::vector<unsigned>{4, 5}));
  assert_true(wide.read()[0] == 6ULL << 31);
}

// Each pair of warps meets at a separate barrier, in several rounds.
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

TEST(named_barriers) {
  DeviceArray<int> out(128);
  pairs<<<2, 128>>>(out, 5);
  std::vector<int> expected;
  for (int i = 0; i < 128; i++) expected.push_back(i / 64 * 64 + (i % 64 + 5 + i / 64) % 64);
  ASSERT_SAME(out.read(), expected);
  produce<<<1, 64>>>(out);
  assert_int_equal(out.read()[31], 5);
}

__global__ void one_warp_missing() { asm volatile("bar.sync 2, 96;" : : : "memory"); }
MISTAKE(missing) { one_warp_missing<<<1, 64>>>(); }
__global__ void odd_count() { asm volatile("bar.sync 2, %0;" : : "r"(40) : "memory"); }
MISTAKE(odd) { odd_count<<<1, 64>>>(); }

TEST(mistakes) {
  expect_report("missing",
                {"synccheck: kernel one_warp_missing", "64 at bar.sync, ", "test_language.cu:"});
  expect_report("odd",
                {"bar.sync with barrier 2 and 40 threads: there are 16, for multiples of 32"});
}
