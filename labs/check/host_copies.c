#include "labs/check/host_copies.h"

#include <cuda_runtime_api.h>

#include "harness/input/mix.h"

enum { LEAST = 4096, MOST_ORDERS = 64 };
// What a call can say beside what it copies: an address and a number.
enum { CALL_BYTES = 16 };
// A kernel's arguments may be so large without being data.
enum { USUAL_ARGUMENTS = 256 };

// Of the sort under way.
static size_t size;                   // 0: none, or too small
static uint64_t all_keys;             // hash of the keys in any order
static uint64_t orders[MOST_ORDERS];  // hashes of the orders that the host did not make
static size_t order_count;
static bool unknown;  // there may be other such orders
static bool found;
static HostTraffic traffic;

static uint64_t hash_of_all(const uint32_t *keys) {
  uint64_t sum = 0;
  for (size_t i = 0; i < size; i++) sum += mix64(keys[i]);
  return sum;
}

static uint64_t hash_of_order(const uint32_t *keys) {
  uint64_t hash = 0;
  for (size_t i = 0; i < size; i++) hash = mix64(hash ^ keys[i]);
  return hash;
}

static void add_order(const uint32_t *keys) {
  if (hash_of_all(keys) != all_keys) return;
  if (order_count < MOST_ORDERS)
    orders[order_count++] = hash_of_order(keys);
  else
    unknown = true;
}

void host_copies_begin(const uint32_t *keys, size_t n) {
  size = n < LEAST ? 0 : n;
  order_count = 0;
  unknown = found = false;
  traffic = (HostTraffic){0, 0, 0};
  if (size == 0) return;
  all_keys = hash_of_all(keys);
  add_order(keys);
}

bool host_copies_found(void) { return found; }

HostTraffic host_copies_traffic(void) { return traffic; }

void host_copies_end(void) { size = 0; }

static void count(size_t bytes, enum cudaMemcpyKind kind) {
  const bool unsaid = kind == cudaMemcpyDefault;
  traffic.in_calls += CALL_BYTES;
  if (kind == cudaMemcpyDeviceToHost || unsaid) traffic.to_host += bytes;
  if (kind == cudaMemcpyHostToDevice || unsaid) traffic.to_device += bytes;
}

void host_copies_launched(size_t argument_bytes) {
  traffic.in_calls += CALL_BYTES + argument_bytes;
  if (argument_bytes > USUAL_ARGUMENTS) traffic.to_device += argument_bytes - USUAL_ARGUMENTS;
}

static bool holds_all_keys(size_t bytes) { return size > 0 && bytes >= size * sizeof(uint32_t); }

static void note_to_device(const void *from, size_t bytes) {
  if (!holds_all_keys(bytes) || hash_of_all(from) != all_keys) return;
  const uint64_t order = hash_of_order(from);
  for (size_t i = 0; i < order_count; i++)
    if (orders[i] == order) return;
  if (!unknown) found = true;
}

// ---- calls of a submission ----------------------------------------------------------------------

// A submission is linked with --wrap, which leads its calls to these.
cudaError_t __wrap_cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t __wrap_cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                   enum cudaMemcpyKind kind, cudaStream_t stream);

cudaError_t __wrap_cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
  const cudaError_t error = cudaMemcpy(to, from, bytes, kind);
  if (error != cudaSuccess) return error;
  count(bytes, kind);
  if (kind == cudaMemcpyHostToDevice) note_to_device(from, bytes);
  if (kind == cudaMemcpyDeviceToHost && holds_all_keys(bytes)) add_order(to);
  if (kind == cudaMemcpyDefault && holds_all_keys(bytes)) unknown = true;
  return error;
}

cudaError_t __wrap_cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                   enum cudaMemcpyKind kind, cudaStream_t stream) {
  const cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, stream);
  if (error != cudaSuccess) return error;
  count(bytes, kind);
  if (kind == cudaMemcpyHostToDevice) note_to_device(from, bytes);
  if ((kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDefault) && holds_all_keys(bytes))
    unknown = true;
  return error;
}

cudaError_t __wrap_cudaMemset(void *to, int value, size_t bytes);
cudaError_t __wrap_cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream);

cudaError_t __wrap_cudaMemset(void *to, int value, size_t bytes) {
  traffic.in_calls += CALL_BYTES;
  return cudaMemset(to, value, bytes);
}

cudaError_t __wrap_cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
  traffic.in_calls += CALL_BYTES;
  return cudaMemsetAsync(to, value, bytes, stream);
}
