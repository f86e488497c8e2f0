// The ways that sort many pairs, called by themselves: with fewer pairs than plan.c gives them, and
// keys that make them end as they rarely do.
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

static std::mt19937 draw(1);
typedef std::vector<uint32_t> Words;

static void require(bool holds, const char *what, const char *name) {
  if (holds) return;
  std::printf("not ok 1 ways of pairs\n# %s: %s\n", name, what);
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

struct Case {
  const char *name;
  const Way *way;
  size_t n;
  Type type;
  bool overwrite, indices, odd;
  Finding known;
  KeyRange range;
  Finding expected;
  std::function<uint32_t(size_t)> key;
};

static KeyCode code_of(Type type) {
  if (type == U32) return {0, 0};
  return type == I32_DOWN ? KeyCode{0x7fffffffu, 0} : KeyCode{0x80000000u, 0x7fffffffu};
}

static uint32_t order_of_key(uint32_t key, Type type) {
  if (type == U32) return key;
  if (type == I32_DOWN) return ~(key + 0x80000000u);
  if (key == 0x80000000u) key = 0;
  return key & 0x80000000u ? ~key : key | 0x80000000u;
}

static Device this_device(void) {
  Device device = {};
  int value = 0;
  cudaGetDevice(&device.number);
  cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, device.number);
  device.multiprocessors = (unsigned int)value;
  cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, device.number);
  device.shared_limit = (size_t)value - 1024;
  cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, device.number);
  device.overlap = device.clusters = value >= 9;
  return device;
}

static void run_case(const Case &c, HostVerdict *host) {
  const Device device = this_device();
  Words keys(c.n), values(c.n), order(c.n);
  for (size_t i = 0; i < c.n; i++) keys[i] = c.key(i);
  for (uint32_t &value : values) value = draw();
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return order_of_key(keys[a], c.type) < order_of_key(keys[b], c.type);
  });

  Memory keys_in(c.n * 4, c.odd), values_in(c.n * 4, c.odd), keys_out(c.n * 4, c.odd),
      values_out(c.n * 4, c.odd);
  keys_in.write(keys);
  values_in.write(values);
  const auto words = [](Memory &memory) { return (unsigned int *)memory.data(); };
  Call call = {};
  call.input = {words(keys_in), c.indices ? NULL : words(values_in)};
  call.output = {words(keys_out), words(values_out)};
  call.n = c.n;
  call.key_bytes = call.value_bytes = 4;
  call.code = code_of(c.type);
  call.bits = 32;
  call.overwrite = c.overwrite;
  call.device = &device;
  call.host = host;
  const size_t bytes = c.way->bytes(&call, &WHOLE_RANGE);
  require(bytes > 0, "the way suits", c.name);
  Memory workspace(FINDINGS_BYTES + bytes, false);
  call.findings = (Findings *)workspace.data();
  call.workspace = (char *)workspace.data() + FINDINGS_BYTES;
  Known known = {c.known, c.range, 0, false};
  if (c.known == FEW_VALUES) {  // as a sample would have left it
    Words table(keys.begin(), keys.end());
    std::sort(table.begin(), table.end());
    table.erase(std::unique(table.begin(), table.end()), table.end());
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
    require(sorted[i] == keys[from] && moved[i] == (c.indices ? from : values[from]),
            "sorted as std::stable_sort does", c.name);
  }
}

static uint32_t any(size_t) { return draw(); }
static uint32_t any_float(size_t) {
  const float x = (float)((double)(int32_t)draw() / 65536.0);
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits == 0x80000000u ? 0 : bits;
}

int main(void) {
  HostVerdict *host;
  if (cudaMallocHost((void **)&host, sizeof *host) != cudaSuccess) return 1;
  std::printf("1..1\n");
  const KeyRange shared_8 = {8, 0x12000000u, 1, true, false, 1};
  const size_t n = 300001, many = 1200001;
  const Way *const regions = &way_pair_regions, *const prefix = &way_prefix,
                   *const sweeps = &way_sweeps;
  const std::vector<Case> cases = {
      {"regions", regions, n, U32, false, false, false, UNKNOWN, WHOLE_RANGE, SORTED, any},
      {"regions, odd", regions, n, U32, false, true, true, UNKNOWN, WHOLE_RANGE, SORTED, any},
      {"regions, larger", regions, many, I32_DOWN, false, false, true, UNKNOWN, WHOLE_RANGE, SORTED,
       any},
      {"regions, one value of three", regions, n, U32, false, false, false, UNKNOWN, WHOLE_RANGE,
       UNEVEN, [](size_t i) { return i % 3 == 0 ? 7u : (uint32_t)draw(); }},
      {"regions, few values", regions, n, U32, false, false, false, UNKNOWN, WHOLE_RANGE,
       FEW_VALUES, [](size_t) { return (uint32_t)draw() % 5 * 77777777u; }},
      {"regions, low keys", regions, n, U32, false, false, false, UNKNOWN, WHOLE_RANGE, IN_RANGE,
       [](size_t) { return (uint32_t)draw() >> 4; }},
      {"regions, a full bucket", regions, many, U32, false, false, false, UNKNOWN, WHOLE_RANGE,
       IN_RANGE, [](size_t i) { return i % 480 == 0 ? 5u << 20 : (uint32_t)draw(); }},
      {"regions, a -0", regions, n, F32, false, false, false, UNKNOWN, WHOLE_RANGE, UNEVEN,
       [n](size_t i) { return i == n / 2 ? 1u << 31 : (uint32_t)draw(); }},
      {"prefix", prefix, n, U32, false, false, true, HEAVY, WHOLE_RANGE, SORTED, any},
      {"prefix, larger", prefix, many, I32_DOWN, false, true, false, HEAVY, WHOLE_RANGE, SORTED,
       any},
      {"prefix, a range", prefix, n, U32, false, false, false, IN_RANGE, shared_8, SORTED,
       [](size_t) { return 0x12000000u | (uint32_t)draw() >> 8; }},
      {"prefix, beyond the range", prefix, n, U32, false, false, false, IN_RANGE, shared_8,
       IN_RANGE,
       [n](size_t i) { return (i == n - 7 ? 0x13000000u : 0x12000000u) | (uint32_t)draw() >> 8; }},
      {"prefix, a large bucket", prefix, n, U32, false, false, false, HEAVY, WHOLE_RANGE, UNEVEN,
       [](size_t i) { return i % 5 == 0 ? 99u : (uint32_t)draw(); }},
      {"prefix, a -0", prefix, n, F32, false, false, false, IN_RANGE, A_LITTLE_UNEVEN, UNEVEN,
       [n](size_t i) { return i == n / 2 ? 1u << 31 : (uint32_t)draw(); }},
      {"packed sweeps", sweeps, many, U32, false, false, true, UNEVEN, WHOLE_RANGE, SORTED, any},
      {"packed sweeps, one digit", sweeps, many, I32_DOWN, false, true, false, UNEVEN, WHOLE_RANGE,
       SORTED, [](size_t) { return 0x12340078u | ((uint32_t)draw() & 0xff00u); }},
      {"packed sweeps, one value", sweeps, many, U32, false, false, false, UNEVEN, WHOLE_RANGE,
       SORTED, [](size_t) { return 3u; }},
      {"packed sweeps, two digits", sweeps, many, U32, false, false, true, UNEVEN, WHOLE_RANGE,
       SORTED, [](size_t) { return (uint32_t)draw() >> 16; }},
      {"sweeps of floats", sweeps, many, F32, false, false, false, UNEVEN, WHOLE_RANGE, SORTED,
       any_float},
  };
  for (const Case &c : cases) run_case(c, host);
  std::printf("ok 1 ways of pairs\n");
  return 0;
}
