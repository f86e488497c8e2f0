// Calls of a single way, with fewer elements than plan.c gives it, and keys that make it end as it
// rarely does: tables of cases.
#ifndef GSORT_TESTS_WAY_CASES_CUH
#define GSORT_TESTS_WAY_CASES_CUH

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "gsort/block/findings.cuh"
#include "gsort/block/key_range.cuh"

static uint32_t draw(void) {
  static std::mt19937 random(1);
  return (uint32_t)random();
}

typedef std::vector<uint32_t> Words;
typedef std::function<uint32_t(size_t)> KeyOf;

static void require(bool holds, const char *what, const char *name) {
  if (holds) return;
  std::printf("not ok 1 ways called by themselves\n# %s: %s\n", name, what);
  std::exit(1);
}

// Device memory between guards; begins at an odd word if `odd`.
struct Memory {
  char *all;
  size_t bytes, before;
  Memory(size_t size, bool odd) : bytes(size), before(1024 + (odd ? 4 : 0)) {
    cudaMalloc((void **)&all, bytes + before + 1024);
    cudaMemset(all, 0xa5, bytes + before + 1024);
  }
  ~Memory() { cudaFree(all); }
  void *data() { return all + before; }
  void write(const Words &words) {
    cudaMemcpy(data(), words.data(), bytes, cudaMemcpyHostToDevice);
  }
  Words read() {
    Words words(bytes / 4);
    cudaMemcpy(words.data(), data(), words.size() * 4, cudaMemcpyDeviceToHost);
    return words;
  }
  bool is_guarded() {
    std::vector<unsigned char> copy(bytes + before + 1024);
    cudaMemcpy(copy.data(), all, copy.size(), cudaMemcpyDeviceToHost);
    const auto is_guard = [](unsigned char c) { return c == 0xa5; };
    return std::all_of(copy.begin(), copy.begin() + (long)before, is_guard) &&
           std::all_of(copy.begin() + (long)(before + bytes), copy.end(), is_guard);
  }
};

enum Type { U32, I32_DOWN, F32 };

enum Kind { VALUES, INDICES, BARE };

struct Case {
  const char *name;
  const Way *way;
  size_t n;
  Type type;
  Kind kind;
  Finding expected;
  KeyOf key;
  Finding known = UNKNOWN;
  KeyRange range = WHOLE_RANGE;
  bool overwrite = false;
};

static KeyCode code_of(Type type) {
  if (type == U32) return {0, 0};
  return type == I32_DOWN ? KeyCode{0x7fffffffu, 0} : KeyCode{0x80000000u, 0x7fffffffu};
}

static uint32_t code_of_key(uint32_t key, Type type) {
  if (type == U32) return key;
  if (type == I32_DOWN) return ~(key + 0x80000000u);
  return key & 0x80000000u ? ~key : key | 0x80000000u;
}

static uint32_t order_of_key(uint32_t key, Type type) {
  return code_of_key(type == F32 && key == 0x80000000u ? 0 : key, type);
}

// odd: arrays begin at odd words.
static void run_case(const Case &c, bool odd, HostVerdict *host) {
  Device device;
  require(find_device(&device), "there is a device", c.name);
  Words keys(c.n), values(c.n), order(c.n);
  for (size_t i = 0; i < c.n; i++) keys[i] = c.key(i);
  for (uint32_t &value : values) value = draw();
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return order_of_key(keys[a], c.type) < order_of_key(keys[b], c.type);
  });

  Memory keys_in(c.n * 4, odd), values_in(c.n * 4, odd), keys_out(c.n * 4, odd),
      values_out(c.n * 4, odd);
  keys_in.write(keys);
  values_in.write(values);
  const auto words = [](Memory &memory) { return (unsigned int *)memory.data(); };
  Call call = {};
  call.input = {words(keys_in), c.kind == VALUES ? words(values_in) : NULL};
  call.output = {words(keys_out), c.kind == BARE ? NULL : words(values_out)};
  call.n = c.n;
  call.key_bytes = 4;
  call.value_bytes = c.kind == BARE ? 0 : 4;
  call.code = code_of(c.type);
  call.bits = 32;
  call.overwrite = c.overwrite;
  call.device = &device;
  call.host = host;
  const size_t bytes = c.way->bytes(&call, &c.range);
  require(bytes > 0, "the way suits", c.name);
  Memory workspace(FINDINGS_BYTES + bytes, false);
  call.findings = (Findings *)workspace.data();
  call.workspace = (char *)workspace.data() + FINDINGS_BYTES;
  Known known = {c.known, c.range};
  if (c.known != UNKNOWN) cudaMemset(call.findings, 0, sizeof(Findings));  // as a sample would
  if (c.known == FEW_VALUES) {
    Words codes, table;  // what is there more than once
    for (uint32_t key : keys) codes.push_back(code_of_key(key, c.type));
    std::sort(codes.begin(), codes.end());
    for (size_t i = 1; i < c.n; i++)
      if (codes[i] == codes[i - 1] && (table.empty() || table.back() != codes[i]))
        table.push_back(codes[i]);
    table.resize(MOST_VALUES, ~0u);
    table.push_back(~0u);
    cudaMemcpy(call.findings->values, table.data(), table.size() * 4, cudaMemcpyHostToDevice);
  }
  const Finding finding = c.way->run(&call, &known);
  cudaDeviceSynchronize();
  require(call.error == cudaSuccess, "no CUDA error", c.name);
  if (finding != c.expected) std::printf("# finding %d, not %d\n", finding, c.expected);
  require(finding == c.expected, "the finding", c.name);
  for (Memory *memory : {&keys_in, &values_in, &keys_out, &values_out, &workspace})
    require(memory->is_guarded(), "nothing written beside an array", c.name);
  if (finding != SORTED || !c.overwrite)
    require(keys_in.read() == keys && values_in.read() == values, "the input as it was", c.name);
  if (finding != SORTED) return;
  const Words sorted = keys_out.read(), moved = values_out.read();
  for (size_t i = 0; i < c.n; i++) {
    const uint32_t from = order[i];
    require(sorted[i] == keys[from] &&
                (c.kind == BARE || moved[i] == (c.kind == INDICES ? from : values[from])),
            "sorted as std::stable_sort does", c.name);
  }
}

static int run_cases(const std::vector<Case> &cases) {
  HostVerdict *host;
  if (cudaMallocHost((void **)&host, sizeof *host) != cudaSuccess) return 1;
  std::printf("1..1\n");
  for (size_t i = 0; i < cases.size(); i++) run_case(cases[i], i % 2 == 0, host);
  std::printf("ok 1 ways called by themselves\n");
  return 0;
}

static uint32_t any_key(size_t) { return draw(); }

// Keys of which one, as a float, is a -0.
static KeyOf zero_at(size_t where) {
  return [=](size_t i) { return i == where ? 1u << 31 : draw() | 1; };
}

// Each `step`-th key is `key`, others are any odd ones.
static KeyOf often(uint32_t key, size_t step) {
  return [=](size_t i) { return i % step == 0 ? key : draw() | 1; };
}

#endif
