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
static const char *const shapes[] = {"uniform",   "small range", "few values",  "one value",
                                     "sorted",    "reversed",    "zipf",        "low bits",
                                     "hot value", "gaussian",    "permutation", "floats",
                                     "zeros",     "two halves",  "staircase",   "shared high bits"};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

static std::vector<uint32_t> make_keys(int shape, size_t n) {
  std::vector<uint32_t> keys(n);
  const uint32_t some = (uint32_t)draw(), range = 2 + below(1u << (1 + below(24)));
  const uint32_t values = 1 + below(200), step = 1 + below(3000);
  for (size_t i = 0; i < n; i++) {
    const uint32_t x = (uint32_t)draw();
    const double unit = (double)(draw() >> 11) / 9007199254740992.0;
    switch (shape) {
      default:
        keys[i] = x;
        break;
      case 1:
        keys[i] = some + x % range;
        break;
      case 2:
        keys[i] = some * (1 + x % values);
        break;
      case 3:
        keys[i] = some;
        break;
      case 4:
      case 5:
        keys[i] = (uint32_t)((double)i / (double)n * 4294967295.0);
        break;
      case 6:
        keys[i] = (uint32_t)(1.0 / (unit + 1e-6)) * 2654435761u;
        break;
      case 7:
        keys[i] = x >> below(32);
        break;
      case 8:
        keys[i] = x % 2 == 0 ? some : (uint32_t)draw();
        break;
      case 9: {
        uint64_t sum = 0;
        for (int k = 0; k < 6; k++) sum += (uint32_t)draw();
        keys[i] = (uint32_t)(sum / 6);
        break;
      }
      case 10:
        keys[i] = (uint32_t)i;
        break;
      case 11:
        keys[i] = bits_of((float)std::tan(3.1 * (unit - 0.5)));
        break;
      case 12:
        keys[i] = x % 3 == 0 ? 1u << 31 : x % 3 == 1 ? 0 : x;
        break;
      case 13:
        keys[i] = x % 2 == 0 ? x % 1000 : ~(x % 1000);
        break;
      case 14:
        keys[i] = (uint32_t)(i / step) * 77777u;
        break;
      case 15:
        keys[i] = (some & 0xfff00000u) | (x & 0xfffffu);
        break;
    }
  }
  if (shape == 5) std::reverse(keys.begin(), keys.end());
  if (shape == 10) std::shuffle(keys.begin(), keys.end(), draw);
  return keys;
}

// The order of keys, as gsort.h says, without gsort's code for it.
static uint32_t order_of_key(uint32_t key, int type) {
  if (type == GSORT_U32) return key;
  if (type == GSORT_I32) return key + 0x80000000u;
  if (key == 0x80000000u) key = 0;
  return key & 0x80000000u ? ~key : key | 0x80000000u;
}

struct Case {
  int type, value, shape;
  size_t n;
  int descending, begin, end, overwrite;
  size_t offset[4];
};

// Device memory from element `offset` on, with a guard of words before and behind.
struct Array {
  enum { GUARD = 64 };
  uint32_t *memory = nullptr;
  size_t n, offset;
  Array(size_t elements, size_t at) : n(elements), offset(at) {
    CHECK(cudaMalloc((void **)&memory, (n + offset + 2 * GUARD) * 4) == cudaSuccess);
    CHECK(cudaMemset(memory, 0xa5, (n + offset + 2 * GUARD) * 4) == cudaSuccess);
  }
  ~Array() { cudaFree(memory); }
  uint32_t *data() { return memory + GUARD + offset; }
  void write(const std::vector<uint32_t> &from) {
    if (n > 0) CHECK(cudaMemcpy(data(), from.data(), n * 4, cudaMemcpyHostToDevice) == cudaSuccess);
  }
  std::vector<uint32_t> read() {
    std::vector<uint32_t> all(n + offset + 2 * GUARD);
    CHECK(cudaMemcpy(all.data(), memory, all.size() * 4, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (size_t i = 0; i < GUARD + offset; i++) CHECK(all[i] == 0xa5a5a5a5u);
    for (size_t i = GUARD + offset + n; i < all.size(); i++) CHECK(all[i] == 0xa5a5a5a5u);
    return {all.begin() + (long)(GUARD + offset), all.begin() + (long)(GUARD + offset + n)};
  }
};

static std::map<std::string, int> taken;

static void describe(const Case &c) {
  std::printf(
      "# type %d value %d %s n %zu descending %d bits %d..%d overwrite %d offsets %zu %zu %zu "
      "%zu\n",
      c.type, c.value, shapes[c.shape], c.n, c.descending, c.begin, c.end, c.overwrite, c.offset[0],
      c.offset[1], c.offset[2], c.offset[3]);
}

static void run_case(const Case &c) {
  const bool has_values = c.value != GSORT_KEYS, reads = c.value == GSORT_VALUE32;
  const std::vector<uint32_t> keys = make_keys(c.shape, c.n);
  std::vector<uint32_t> values(c.n);
  for (uint32_t &value : values) value = (uint32_t)draw();

  std::vector<uint32_t> order(c.n);
  std::iota(order.begin(), order.end(), 0u);
  const uint32_t mask = ~0u >> (32 - (c.end - c.begin));
  const auto digit = [&](uint32_t i) {
    const uint32_t number = order_of_key(keys[i], c.type);
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
  size_t bytes;
  CHECK(gsort_workspace(sort, c.n, &bytes) == GSORT_OK);
  taken[gsort_way(sort, c.n)]++;
  Array keys_in(c.n, c.offset[0]), keys_out(c.n, c.offset[1]), values_in(c.n, c.offset[2]),
      values_out(c.n, c.offset[3]), workspace(bytes / 4 + 64, 0);
  keys_in.write(keys);
  values_in.write(values);
  char *const aligned = (char *)(((uintptr_t)workspace.data() + 255) / 256 * 256);
  const int error = gsort_run(sort, aligned, bytes, keys_in.data(), keys_out.data(),
                              reads ? values_in.data() : nullptr,
                              has_values ? values_out.data() : nullptr, c.n, nullptr);
  if (error != GSORT_OK) {
    describe(c);
    fail(gsort_error_string(error), __LINE__);
  }
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  const std::vector<uint32_t> sorted = keys_out.read(), moved = values_out.read(),
                              kept = keys_in.read(), kept_values = values_in.read();
  workspace.read();
  bool right = c.overwrite || (kept == keys && kept_values == values);
  for (size_t i = 0; right && i < c.n; i++) {
    const uint32_t from = order[i];
    right = sorted[i] == keys[from] && (!has_values || moved[i] == (reads ? values[from] : from));
    if (!right) std::printf("# wrong at %zu: %08x, not %08x\n", i, sorted[i], keys[from]);
  }
  if (!right) {
    describe(c);
    fail("sorted as std::stable_sort does", __LINE__);
  }
  gsort_destroy(sort);
}

static size_t draw_size(size_t most) {
  static const size_t borders[] = {0, 1, 2, 1024, 16384, 16385, 100000, 235000, 420000, 500000};
  if (below(4) == 0) {
    const size_t n = borders[below(sizeof borders / sizeof *borders)] + below(3);
    if (n <= most) return n;
  }
  const double unit = (double)(draw() >> 11) / 9007199254740992.0;
  return (size_t)std::exp(unit * std::log((double)most));
}

int main(int argc, char **argv) {
  int cases = 200, shape = -1, type = -1, value = -1;
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
  static const int kinds[] = {GSORT_KEYS, GSORT_VALUE32, GSORT_INDEX32};
  for (int i = 0; i < cases; i++) {
    Case c = {GSORT_U32 + (int)below(3),
              kinds[below(3)],
              (int)below(SHAPES),
              draw_size(most),
              (int)below(2),
              0,
              32,
              (int)below(2),
              {}};
    if (below(5) == 0) {
      c.begin = (int)below(32);
      c.end = c.begin + 1 + (int)below((uint32_t)(32 - c.begin));
    }
    if (below(2) == 0)
      for (size_t &offset : c.offset) offset = below(4);
    if (below(2) == 0) c.type = GSORT_U32, c.descending = 0, c.begin = 0, c.end = 32;
    if (n > 0) c.n = n;
    if (shape >= 0) c.shape = shape;
    if (type >= 0) c.type = type;
    if (value >= 0) c.value = value;
    run_case(c);
  }
  std::printf("ok 1 gsort against std::stable_sort\n#");
  for (const auto &way : taken) std::printf(" %s %d", way.first.c_str(), way.second);
  std::printf("\n");
  return 0;
}
