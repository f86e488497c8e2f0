// gsort against std::stable_sort on inputs drawn at random: every type of keys and values, both
// directions, windows of bits, sizes around the borders of the ways, arrays at any element. Where
// there is no test for a way's inside, this one reaches it: it prints which ways it took.
//   test_gsort [--cases N] [--most N] [--seed N]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "gsort/block/sample.cuh"
#include "gsort/gsort.h"

#define CHECK(condition)                          \
  do {                                            \
    if (!(condition)) fail(#condition, __LINE__); \
  } while (0)

static void fail(const char *what, int line) {
  std::printf("not ok 1 gsort against std::stable_sort\n# %s:%d: %s\n", __FILE__, line, what);
  std::exit(1);
}

static std::mt19937_64 draw(1);

static uint32_t below(uint32_t bound) { return (uint32_t)(draw() % bound); }

// Inputs of many shapes. The names are printed with a failure.
static const char *const shapes[] = {
    "uniform", "small range", "few values", "one value",        "sorted",      "reversed",
    "zipf",    "low bits",    "hot value",  "gaussian",         "permutation", "floats",
    "zeros",   "two halves",  "staircase",  "shared high bits", "rare zeros",  "sparse bits",
    "letters", "sorted runs", "overlooked"};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint64_t letters(uint64_t random) {
  uint64_t word = 0;
  for (int i = 0; i < 8; i++, random >>= 8) word = word << 8 | ('a' + (random & 255) % 26);
  return word;
}

// A fifth of the keys are neighbours, of which the sample for splitters knows nothing: those that
// it takes are spread (kernel/splitters.cuh, kernel/few_wide.cuh).
static uint64_t overlooked(size_t i, uint64_t all) {
  return (i % 5 > 0 ? draw() : all / 3 + i) & all;
}
static void spread_sample(std::vector<uint64_t> *keys, bool wide, uint64_t all) {
  const size_t n = keys->size(), small = wide ? 215000 : 420000, middle = wide ? 450000 : 500000;
  const uint32_t samples = 16u << (n <= small ? 7 : n <= middle ? 8 : 9);
  for (uint32_t j = 0; j < samples && n > samples; j++)
    (*keys)[(uint64_t)j * n / samples + ((uint64_t)scramble(j) * (n / samples) >> 32)] =
        all / samples * j;
}

static std::vector<uint64_t> make_keys(int shape, size_t n, bool wide) {
  std::vector<uint64_t> keys(n);
  const uint32_t some = (uint32_t)draw(), range = 2 + below(1u << (1 + below(24)));
  const uint64_t all = wide ? ~0ull : 0xffffffffu;
  const uint32_t values = 1 + below(200), step = 1 + below(3000);
  const size_t run = n / (values % 64 + 1) + 1;
  for (size_t i = 0; i < n; i++) {
    const uint32_t x = (uint32_t)draw();
    const double unit = (double)(draw() >> 11) / 9007199254740992.0;
    switch (shape) {
      default: keys[i] = x; break;
      case 1: keys[i] = some + x % range; break;
      case 2: keys[i] = some * (1 + x % values); break;
      case 3: keys[i] = some; break;
      case 4:
      case 5: keys[i] = (uint32_t)((double)i / (double)n * 4294967295.0); break;
      case 6: keys[i] = (uint32_t)(1.0 / (unit + 1e-6)) * 2654435761u; break;
      case 7: keys[i] = x >> below(32); break;
      case 8: keys[i] = x % 2 == 0 ? some : (uint32_t)draw(); break;
      case 9: {
        uint64_t sum = 0;
        for (int k = 0; k < 6; k++) sum += (uint32_t)draw();
        keys[i] = (uint32_t)(sum / 6);
        break;
      }
      case 10: keys[i] = (uint32_t)i; break;
      case 11: keys[i] = bits_of((float)std::tan(3.1 * (unit - 0.5))); break;
      case 12: keys[i] = x % 3 == 0 ? 1u << 31 : x % 3 == 1 ? 0 : range % 2 == 0 ? x : 1; break;
      case 13: keys[i] = x % 2 == 0 ? x % 1000 : ~(x % 1000); break;
      case 14: keys[i] = (uint32_t)(i / step) * 77777u; break;
      case 15: keys[i] = (some & 0xfff00000u) | (x & 0xfffffu); break;
      case 16: keys[i] = x % 50000 == 0 ? x / 50000 % 2 << 31 : x; break;
      case 17: keys[i] = x & (uint32_t)draw(); break;
      case 18: keys[i] = (range % 2 == 0 || x % 20000 != 0 ? letters(draw()) : draw()) & all; break;
      case 20: keys[i] = overlooked(i, all); break;
      case 19: keys[i] = (uint32_t)((double)(i % run) / (double)run * 4294967295.0); break;
    }
  }
  if (wide)  // the same shapes, in 64 bits
    for (size_t i = 0; i < n; i++) {
      const uint64_t low = shape == 0 || shape == 9 || shape == 15 ? draw() & 0xffffffffu
                           : shape == 17                           ? draw() & draw() & 0xffffffffu
                                                                   : 0;
      float single;
      const uint32_t bits = (uint32_t)keys[i];
      std::memcpy(&single, &bits, sizeof single);
      const double value = single;
      if (shape == 11)
        std::memcpy(&keys[i], &value, sizeof value);
      else if (shape != 1 && shape != 7 && shape != 10 && shape != 18 && shape != 20)
        keys[i] = keys[i] << 32 | low;
    }
  if (shape == 20) spread_sample(&keys, wide, all);
  if (shape == 5) std::reverse(keys.begin(), keys.end());
  if (shape == 10) std::shuffle(keys.begin(), keys.end(), draw);
  return keys;
}

// The order of keys, as gsort.h says, without gsort's code for it.
static uint64_t order_of_key(uint64_t key, int type) {
  const uint64_t sign = type >= GSORT_U64 ? 1ull << 63 : 1ull << 31, all = 2 * sign - 1;
  if (type == GSORT_U32 || type == GSORT_U64) return key;
  if (type == GSORT_I32 || type == GSORT_I64) return (key + sign) & all;
  if (key == sign) key = 0;
  return key & sign ? ~key & all : key | sign;
}

struct Case {
  int type, value, shape;
  size_t n;
  int descending, begin, end, overwrite;
  int no_host_wait, captured;  // captured: into a graph that has sorted other keys before
  size_t room;                 // not 0: n is in device memory, and may be this much greater
  size_t offset[4];
};

// Device memory of n elements of `size` bytes, from element `offset` on, between guards; the one
// behind them has room for more.
struct Array {
  enum { GUARD = 256 };
  unsigned char *memory = nullptr;
  size_t n, size, begin, bytes;
  Array(size_t elements, size_t element_size, size_t at, size_t room = 0)
      : n(elements),
        size(element_size),
        begin(GUARD + at * size),
        bytes(begin + (n + room) * size + GUARD) {
    CHECK(cudaMalloc((void **)&memory, bytes) == cudaSuccess);
    CHECK(cudaMemset(memory, 0xa5, bytes) == cudaSuccess);
  }
  ~Array() { cudaFree(memory); }
  void *data() { return memory + begin; }
  void write(const std::vector<uint64_t> &from) {
    std::vector<unsigned char> raw(n * size);
    for (size_t i = 0; i < n; i++) std::memcpy(&raw[i * size], &from[i], size);  // little endian
    if (n > 0)
      CHECK(cudaMemcpy(data(), raw.data(), raw.size(), cudaMemcpyHostToDevice) == cudaSuccess);
  }
  std::vector<uint64_t> read() {
    std::vector<unsigned char> all(bytes);
    CHECK(cudaMemcpy(all.data(), memory, bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (size_t i = 0; i < begin; i++) CHECK(all[i] == 0xa5);
    for (size_t i = begin + n * size; i < bytes; i++) CHECK(all[i] == 0xa5);
    std::vector<uint64_t> elements(n);
    for (size_t i = 0; i < n; i++) std::memcpy(&elements[i], &all[begin + i * size], size);
    return elements;
  }
};

static std::map<std::string, int> taken;

static void describe(const Case &c) {
  std::printf(
      "# type %d value %d %s n %zu descending %d bits %d..%d overwrite %d no_host_wait %d captured "
      "%d room %zu offsets %zu %zu %zu %zu\n",
      c.type, c.value, shapes[c.shape], c.n, c.descending, c.begin, c.end, c.overwrite,
      c.no_host_wait, c.captured, c.room, c.offset[0], c.offset[1], c.offset[2], c.offset[3]);
}

// Ends the capture of a sort, and launches it twice: for keys of another shape, half of them if
// their number is on the device, and for `keys`.
static void replay(cudaStream_t stream, Array &keys_in, const std::vector<uint64_t> &keys,
                   Array &values_in, const std::vector<uint64_t> &values, Array &number) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  keys_in.write(make_keys((int)below(SHAPES), keys.size(), keys_in.size == 8));
  number.write({keys.size() / 2});
  CHECK(cudaGraphLaunch(executable, stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  number.write({keys.size()});
  keys_in.write(keys);
  values_in.write(values);
  CHECK(cudaGraphLaunch(executable, stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

static void run_case(const Case &c) {
  const bool has_values = c.value != GSORT_KEYS, wide = c.type >= GSORT_U64,
             reads = c.value == GSORT_VALUE32 || c.value == GSORT_VALUE64;
  const size_t key_size = wide ? 8 : 4,
               value_size = c.value == GSORT_VALUE64 || c.value == GSORT_INDEX64 ? 8 : 4;
  const std::vector<uint64_t> keys = make_keys(c.shape, c.n, wide);
  std::vector<uint64_t> values(c.n);
  for (uint64_t &value : values) value = value_size == 8 ? draw() : (uint32_t)draw();

  std::vector<uint32_t> order(c.n);
  std::iota(order.begin(), order.end(), 0u);
  const uint64_t mask = ~0ull >> (64 - (c.end - c.begin));
  const auto digit = [&](uint32_t i) {
    const uint64_t number = order_of_key(keys[i], c.type);
    return (c.descending ? ~number : number) >> c.begin & mask;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return digit(a) < digit(b); });

  gsort *sort;
  CHECK(gsort_create(&sort, c.type, c.value) == GSORT_OK);
  CHECK(gsort_set(sort, GSORT_DESCENDING, c.descending) == GSORT_OK);
  CHECK(gsort_set(sort, GSORT_BEGIN_BIT, c.begin) == GSORT_OK);
  CHECK(gsort_set(sort, GSORT_END_BIT, c.end) == GSORT_OK);
  CHECK(gsort_set(sort, GSORT_OVERWRITE, c.overwrite) == GSORT_OK);
  CHECK(gsort_set(sort, GSORT_NO_HOST_WAIT, c.no_host_wait) == GSORT_OK);
  const size_t most = c.n + c.room;
  Array number(1, sizeof(uint64_t), 0);
  number.write({c.n});
  if (c.room > 0)
    CHECK(gsort_set(sort, GSORT_N_ON_DEVICE, (int64_t)(uintptr_t)number.data()) == GSORT_OK);
  size_t bytes;
  CHECK(gsort_workspace(sort, most, &bytes) == GSORT_OK);
  taken[gsort_way(sort, most)]++;
  Array keys_in(c.n, key_size, c.offset[0], c.room), keys_out(c.n, key_size, c.offset[1], c.room),
      values_in(c.n, value_size, c.offset[2], c.room),
      values_out(c.n, value_size, c.offset[3], c.room), workspace(bytes, 1, 0);
  keys_in.write(keys);
  values_in.write(values);
  cudaStream_t stream = nullptr;
  if (c.captured) {
    CHECK(cudaStreamCreate(&stream) == cudaSuccess);
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  }
  const int error = gsort_run(sort, workspace.data(), bytes, keys_in.data(), keys_out.data(),
                              reads ? values_in.data() : nullptr,
                              has_values ? values_out.data() : nullptr, most, stream);
  if (error != GSORT_OK) {
    describe(c);
    fail(gsort_error_string(error), __LINE__);
  }
  if (c.captured) replay(stream, keys_in, keys, values_in, values, number);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  const std::vector<uint64_t> sorted = keys_out.read(), moved = values_out.read(),
                              kept = keys_in.read(), kept_values = values_in.read();
  workspace.read();
  bool right = c.overwrite || (kept == keys && kept_values == values);
  for (size_t i = 0; right && i < c.n; i++) {
    const uint32_t from = order[i];
    right = sorted[i] == keys[from] && (!has_values || moved[i] == (reads ? values[from] : from));
    if (!right)
      std::printf("# wrong at %zu: %016llx, not %016llx\n", i, (unsigned long long)sorted[i],
                  (unsigned long long)keys[from]);
  }
  if (!right) {
    describe(c);
    fail("sorted as std::stable_sort does", __LINE__);
  }
  gsort_destroy(sort);
}

static size_t draw_size(size_t most) {
  static const size_t borders[] = {0,      1,      2,      1024,   8191,   16384,  16385,
                                   100000, 215000, 235000, 420000, 450000, 500000, 1050000};
  if (below(4) == 0) {
    const size_t n = borders[below(sizeof borders / sizeof *borders)] + below(3);
    if (n <= most) return n;
  }
  const double unit = (double)(draw() >> 11) / 9007199254740992.0;
  return (size_t)std::exp(unit * std::log((double)most));
}

int main(int argc, char **argv) {
  int cases = 80, shape = -1, type = -1, value = -1;
  size_t most = 700000, n = 0;
  unsigned long seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--cases") == 0) cases = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--most") == 0) most = (size_t)std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--seed") == 0) seed = std::strtoul(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--n") == 0) n = (size_t)std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--shape") == 0) shape = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--type") == 0) type = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--value") == 0) value = std::atoi(argv[i + 1]);
  }
  draw.seed(seed);
  std::printf("1..1\n");
  static const int kinds[] = {GSORT_KEYS, GSORT_VALUE32, GSORT_INDEX32, GSORT_VALUE64,
                              GSORT_INDEX64};
  // Wide keys that are not even: in one step and in two between splitters,
  // by sweeps over the bits that vary, of which the sample may see too few, or with a -0; pairs in
  // order.
  for (int i = 0; i < SHAPES + 13 && n == 0; i++) {
    static const int of_pairs[] = {9, 6, 14, 8, 9, 6, 14, 17, 18, 18, 4, 5, 19};
    const bool pairs = i >= SHAPES;
    const int s = pairs ? of_pairs[i - SHAPES] : i;
    Case c = {};
    c.type = s == 11 || s == 12 ? GSORT_F64 : s % 3 == 0 ? GSORT_I64 : GSORT_U64;
    c.value = pairs ? kinds[1 + i % 4] : GSORT_KEYS;
    c.shape = s, c.end = 64, c.descending = s % 2;
    c.n = s == 20            ? 400000
          : i >= SHAPES + 10 ? 2000007
          : i >= SHAPES + 4  ? 1100007
          : pairs            ? 600007
          : s % 4 == 1       ? 2000003
          : s % 4 == 2       ? 310007
                             : 1100007;
    run_case(c);
  }
  // If the device decides: few values, or more than it takes for few; wide keys between splitters.
  for (int i = 0; i < 6 && n == 0; i++) {
    Case c = {};
    c.type = i == 5 ? GSORT_U64 : i % 2 == 0 ? GSORT_U32 : GSORT_F32;
    c.value = GSORT_KEYS, c.no_host_wait = 1;
    c.shape = i == 5 ? 9 : i < 4 ? 2 : 3;
    c.end = i == 5 ? 64 : 32;
    c.n = i == 5 ? 6000003 : 600007;
    run_case(c);
  }
  // In place: bytes that vary are all, or of an even or odd number.
  for (int i = 0; i < 4 && n == 0; i++) {
    Case c = {};
    c.type = i == 3 ? GSORT_F64 : GSORT_U64;
    c.value = i == 0 ? GSORT_KEYS : i == 1 ? GSORT_INDEX32 : i == 2 ? GSORT_VALUE32 : GSORT_VALUE64;
    c.begin = i == 1 ? 8 : i == 2 ? 17 : 0;
    c.end = 64;
    c.n = 500001;
    c.overwrite = c.no_host_wait = 1;
    run_case(c);
  }
  // Some bits of pairs, by packed sweeps.
  for (int i = 0; i < 2 && n == 0; i++) {
    Case c = {};
    c.type = i == 0 ? GSORT_F32 : GSORT_I32;
    c.value = i == 0 ? GSORT_VALUE32 : GSORT_INDEX32;
    c.begin = 3, c.end = i == 0 ? 16 : 32;
    c.n = 710007, c.descending = c.no_host_wait = i;
    run_case(c);
  }
  for (int i = 0; i < cases; i++) {
    Case c = {};
    c.type = type >= 0 ? type : GSORT_U32 + (int)below(6);
    const bool wide = c.type >= GSORT_U64;
    c.value = value >= 0 ? value : kinds[below(wide ? 5 : 3)];
    c.shape = shape >= 0 ? shape : (int)below(SHAPES);
    c.n = n > 0 ? n : draw_size(most);
    c.descending = (int)below(2);
    c.overwrite = (int)below(2);
    c.no_host_wait = (int)below(2);
    c.captured = c.no_host_wait && below(2) == 0;
    c.room = c.no_host_wait && below(2) == 0 ? 1 + draw_size(most) : 0;
    c.end = wide ? 64 : 32;
    if (below(5) == 0) {
      c.begin = (int)below((uint32_t)c.end);
      c.end = c.begin + 1 + (int)below((uint32_t)(c.end - c.begin));
    } else if (below(2) == 0) {  // what is sorted fastest
      c.descending = 0;
      if (type < 0) c.type = wide ? GSORT_U64 : GSORT_U32;
    }
    if (below(2) == 0)
      for (size_t &offset : c.offset) offset = below(4);
    run_case(c);
  }
  std::printf("ok 1 gsort against std::stable_sort\n#");
  for (const auto &way : taken) std::printf(" %s %d", way.first.c_str(), way.second);
  std::printf("\n");
  return 0;
}
