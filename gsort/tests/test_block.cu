// Scans of blocks of any size; the look-back, by hand, and over many tiles in one launch; the sort
// of wide buckets in place, also of such that a sample makes unlikely.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gsort/block/look_back.cuh"
#include "gsort/block/scan.cuh"
#include "gsort/kernel/sort_wide_in_place.cuh"

typedef std::vector<uint32_t> Words;

static void require(bool holds, const char *what, unsigned int a, unsigned int b) {
  if (holds) return;
  std::printf("not ok 1 pieces of blocks\n# %s, %u, %u\n", what, a, b);
  std::exit(1);
}

static unsigned int *to_device(const Words &words) {
  unsigned int *memory = NULL;
  require(cudaMalloc((void **)&memory, words.size() * 4) == cudaSuccess, "memory", 0, 0);
  cudaMemcpy(memory, words.data(), words.size() * 4, cudaMemcpyHostToDevice);
  return memory;
}

// Frees it.
static Words from_device(unsigned int *memory, size_t n) {
  Words words(n);
  const cudaError_t error = cudaMemcpy(words.data(), memory, n * 4, cudaMemcpyDeviceToHost);
  require(error == cudaSuccess, cudaGetErrorString(error), 0, 0);
  cudaFree(memory);
  return words;
}

static uint32_t draw(void) {
  static uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return state >> 4;
}

enum Scan { WARP, BLOCK, ONE_BARRIER };

// Every thread scans one value of each half of the array; the second scan reuses warp_sums.
static __global__ void scan_twice(Scan scan, const unsigned int *in, unsigned int *out) {
  __shared__ unsigned int warp_sums[MAX_WARPS];
  for (unsigned int half = 0; half < 2; half++) {
    const unsigned int i = half * blockDim.x + threadIdx.x;
    out[i] = scan == WARP    ? warp_inclusive_scan(in[i])
             : scan == BLOCK ? block_inclusive_scan(in[i], warp_sums)
                             : block_inclusive_scan_one_barrier(in[i], warp_sums);
    __syncthreads();
  }
}

static void check_scan(Scan scan, unsigned int threads) {
  Words in(2 * threads), expected(2 * threads);
  for (unsigned int i = 0; i < 2 * threads; i++) {
    in[i] = draw();
    const bool first = i % threads == 0 || (scan == WARP && i % threads % WARP_SIZE == 0);
    expected[i] = in[i] + (first ? 0 : expected[i - 1]);
  }
  unsigned int *const d_in = to_device(in), *const d_out = to_device(in);
  scan_twice<<<1, threads>>>(scan, d_in, d_out);
  require(from_device(d_out, in.size()) == expected, "kind of scan, threads", scan, threads);
  cudaFree(d_in);
}

static __global__ void sum_before(const unsigned int *published, unsigned int stride,
                                  unsigned int tile, unsigned int *sum) {
  *sum = look_back_sum(published, stride, tile);
}

static void check_sum(const Words &published, unsigned int stride, unsigned int tile,
                      unsigned int expected) {
  unsigned int *const words = to_device(published), *const sum = to_device({12345});
  sum_before<<<1, 1>>>(words, stride, tile, sum);
  require(from_device(sum, 1)[0] == expected, "look-back, expected, stride", expected, stride);
  cudaFree(words);
}

static __global__ void scan_tiles_of_bins(const unsigned int *counts, unsigned int *published,
                                          unsigned int *counter, unsigned int *before) {
  __shared__ unsigned int tile;
  if (threadIdx.x == 0) tile = atomicAdd(counter, 1u);
  __syncthreads();
  const unsigned int i = tile * blockDim.x + threadIdx.x, count = counts[i];
  look_back_publish(&published[i], count | (tile == 0 ? LOOK_BACK_INCLUSIVE : LOOK_BACK_PARTIAL));
  const unsigned int sum = look_back_sum(&published[threadIdx.x], blockDim.x, tile);
  if (tile > 0) look_back_publish(&published[i], (sum + count) | LOOK_BACK_INCLUSIVE);
  before[i] = sum;
}

static void check_tiles(unsigned int tiles, unsigned int bins) {
  Words counts((size_t)tiles * bins), before(counts.size()), inclusive(counts.size());
  for (size_t i = 0; i < counts.size(); i++) {
    counts[i] = draw() % 1000;
    before[i] = i < bins ? 0 : before[i - bins] + counts[i - bins];
    inclusive[i] = (before[i] + counts[i]) | LOOK_BACK_INCLUSIVE;
  }
  const Words zeros(counts.size());
  unsigned int *const d_counts = to_device(counts), *const published = to_device(zeros),
                      *const counter = to_device(zeros), *const d_before = to_device(zeros);
  scan_tiles_of_bins<<<tiles, bins>>>(d_counts, published, counter, d_before);
  require(from_device(d_before, counts.size()) == before, "tiles, bins", tiles, bins);
  require(from_device(published, counts.size()) == inclusive, "published", tiles, bins);
  cudaFree(d_counts);
  cudaFree(counter);
}

// Code i of a bucket: 0 any; 1 two values far apart; 2 equal; 3 crowded around one code; 4 beyond
// the map on both sides; 5 many of one value among others.
static uint64_t bucket_code(unsigned int shape, unsigned int i) {
  const uint64_t any = (uint64_t)draw() << 36 | (uint64_t)draw() << 8 | i % 256;
  return shape == 1   ? i % 2 * 1000000007
         : shape == 2 ? 77
         : shape == 3 ? (1ull << 40) + any % 5000
         : shape == 4 ? (any % 3 == 0   ? any % 7
                         : any % 3 == 1 ? ~0ull - any % 5
                                        : 1ull << 50)
         : shape == 5 ? (i % 8 == 0 ? any : 1ull << 45)
                      : any;
}

static __global__ void make_maps(BinBetween *buckets) {
  WideMap map = {};
  make_affine(1000, 1ull << 60, &map);
  buckets[threadIdx.x].map = map;
}

// Buckets of all shapes and these sizes one behind the other; of one value: they stay as they are.
// Values are numbers of the input's order.
template <class Value, int kItems, int kBlocks>
static void check_buckets(WideCode code) {
  typedef InPlaceShared<256, kItems, 10, Value> Shared;
  typedef std::pair<uint64_t, Value> Element;
  std::vector<Element> elements, expected;
  std::vector<BinBetween> buckets;
  for (unsigned int size : {0, 1, 2, 33, 255, 1000, 1792, 1793, 3328, 3329, 6656, 20000})
    for (unsigned int shape = 0; shape < 6; shape++) {
      const bool sorts = size != 33 || shape != 3;
      const size_t begin = elements.size();
      buckets.push_back({(unsigned int)begin, sorts ? size : 0, {}});
      for (unsigned int i = 0; i < size; i++)
        elements.push_back({bucket_code(shape, i), (Value)(IS_NONE<Value> ? 0 : begin + i)});
      expected.insert(expected.end(), elements.begin() + (long)begin, elements.end());
      if (!sorts) continue;
      std::sort(expected.begin() + (long)begin, expected.end());
      for (size_t i = begin; i < expected.size(); i++) {
        expected[i].first ^= code.flip;
        if (expected[i].first >> 63 == 1) expected[i].first ^= code.negative;
      }
    }
  std::vector<uint64_t> keys;
  std::vector<Value> values;
  for (const Element &element : elements) {
    keys.push_back(element.first);
    values.push_back(element.second);
  }
  const auto to_device_as_is = [](const auto &array) {
    void *memory = NULL;
    cudaMalloc(&memory, array.size() * sizeof array[0]);
    cudaMemcpy(memory, array.data(), array.size() * sizeof array[0], cudaMemcpyHostToDevice);
    return memory;
  };
  void *const out = to_device_as_is(keys), *const spare = to_device_as_is(keys),
              *const out_values = to_device_as_is(values),
              *const spare_values = to_device_as_is(values),
              *const d_buckets = to_device_as_is(buckets);
  Findings *findings = NULL;
  cudaMalloc((void **)&findings, sizeof(Findings));
  cudaMemset(findings, 0, sizeof(Findings));
  make_maps<<<1, (unsigned int)buckets.size()>>>((BinBetween *)d_buckets);
  const auto kernel = sort_wide_in_place<256, 7, kItems, 10, kBlocks, Value>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizeof(Shared));
  kernel<<<5, 256, sizeof(Shared)>>>((BinBetween *)d_buckets, (unsigned int)buckets.size(),
                                     (Wide *)out, (Value *)out_values, (Wide *)spare,
                                     (Value *)spare_values, code, findings);
  cudaMemcpy(keys.data(), out, keys.size() * sizeof(Wide), cudaMemcpyDeviceToHost);
  const cudaError_t error =
      cudaMemcpy(values.data(), out_values, values.size() * sizeof(Value), cudaMemcpyDeviceToHost);
  require(error == cudaSuccess, cudaGetErrorString(error), 0, 0);
  for (size_t i = 0; i < expected.size(); i++)
    require(keys[i] == expected[i].first && values[i] == expected[i].second,
            "buckets in place, index, bytes of a value", (unsigned int)i, sizeof(Value));
  for (void *memory : {out, spare, out_values, spare_values, d_buckets, (void *)findings})
    cudaFree(memory);
}

int main(void) {
  std::printf("1..1\n");
  for (unsigned int threads : {1,   2,   31,  32,  33,  63,  64,  65,  95,  96,   97,
                               127, 128, 129, 255, 256, 257, 511, 992, 993, 1023, 1024}) {
    check_scan(WARP, threads);
    check_scan(BLOCK, threads);
    if (threads % WARP_SIZE == 0) check_scan(ONE_BARRIER, threads);
  }
  const uint32_t partial = LOOK_BACK_PARTIAL, inclusive = LOOK_BACK_INCLUSIVE;
  const Words example = {5 | inclusive, 7 | inclusive, 4 | partial};
  const unsigned int sums[] = {0, 5, 7, 11};
  for (unsigned int tile = 0; tile < 4; tile++) check_sum(example, 1, tile, sums[tile]);
  // Behind an inclusive value nothing is added, whatever is there, and nothing is waited for.
  check_sum({0, 100 | partial, 9 | inclusive, 1 | partial, 2 | partial}, 1, 5, 12);
  check_sum({1 | inclusive, 10 | inclusive, 2 | partial, 20 | partial}, 2, 2, 3);
  check_sum({LOOK_BACK_COUNT | inclusive, 0 | partial}, 1, 2, (1u << 30) - 1);
  for (unsigned int tiles : {1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 1023, 1024, 1025}) {
    check_tiles(tiles, 1);
    check_tiles(tiles, 33);
  }
  check_tiles(65, 256);
  for (const WideCode code : {WideCode{0, 0}, WideCode{1ull << 63, ~0ull >> 1}}) {
    check_buckets<None, 13, 4>(code);
    check_buckets<unsigned int, 15, 3>(code);
    check_buckets<Wide, 13, 3>(code);
  }
  std::printf("ok 1 pieces of blocks\n");
  return 0;
}
