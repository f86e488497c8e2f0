#include "multi/slice.h"

#include "common/pairs.cuh"
#include "common/scratch.h"
#include "harness/input/mix.h"

typedef unsigned long long Count;

static const unsigned int THREADS = 256, MAX_BLOCKS = 2048;
static const uint64_t SEEDS[2] = {1, 2};  // of the two hash functions

typedef struct Facts {
  Count order_count, order_first, stability_count, stability_first, hash[2];
} Facts;

static __device__ void note(Count *count, Count *first, Count i) {
  atomicAdd(count, 1ull);
  atomicMin(first, i);
}

static __global__ void summarise(const unsigned int *keys, const unsigned int *positions, size_t n,
                                 uint64_t seed0, uint64_t seed1, Facts *facts) {
  Count hash0 = 0, hash1 = 0;
  for (size_t i = global_index(); i < n; i += (size_t)gridDim.x * blockDim.x) {
    const unsigned int key = keys[i], position = positions == NULL ? 0 : positions[i];
    const uint64_t element = (uint64_t)position << 32 | key;
    hash0 += splitmix(seed0, element);
    hash1 += splitmix(seed1, element);
    if (i == 0) continue;
    if (keys[i - 1] > key) note(&facts->order_count, &facts->order_first, i);
    if (positions != NULL && keys[i - 1] == key && positions[i - 1] > position)
      note(&facts->stability_count, &facts->stability_first, i);
  }
  atomicAdd(&facts->hash[0], hash0);
  atomicAdd(&facts->hash[1], hash1);
}

static uint32_t fetch(const unsigned int *d_array, size_t i) {
  uint32_t value = 0;
  if (d_array != NULL)
    CUDA_CHECK(cudaMemcpy(&value, d_array + i, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

static SliceFault fault(Count count, Count first, const unsigned int *d_array) {
  if (count == 0) return {};
  return {count, first, fetch(d_array, first - 1), fetch(d_array, first)};
}

static void join_fault(SliceFault *fault, const SliceFault *next, uint64_t offset) {
  if (fault->count == 0 && next->count > 0) {
    *fault = *next;
    fault->first += offset;
  } else {
    fault->count += next->count;
  }
}

void slice_join(Slice *slice, const Slice *next) {
  if (next->count == 0) return;
  if (slice->count > 0) {
    // The first element of `next` follows the last one of `slice`.
    SliceFault border = {1, 0, slice->last_key, next->first_key};
    if (next->first_key < slice->last_key) join_fault(&slice->order, &border, slice->count);
    border = {1, 0, slice->last_position, next->first_position};
    if (next->first_key == slice->last_key && next->first_position < slice->last_position)
      join_fault(&slice->stability, &border, slice->count);
  } else {
    slice->first_key = next->first_key;
    slice->first_position = next->first_position;
  }
  join_fault(&slice->order, &next->order, slice->count);
  join_fault(&slice->stability, &next->stability, slice->count);
  for (int h = 0; h < 2; h++) slice->hash[h] += next->hash[h];
  slice->last_key = next->last_key;
  slice->last_position = next->last_position;
  slice->count += next->count;
}

void slice_add(Slice *slice, const unsigned int *d_keys, const unsigned int *d_positions,
               size_t n) {
  if (n == 0) return;
  Facts facts = {0, ~0ull, 0, ~0ull, {0, 0}};
  Facts *const d_facts = (Facts *)scratch_alloc(sizeof facts);
  CUDA_CHECK(cudaMemcpy(d_facts, &facts, sizeof facts, cudaMemcpyHostToDevice));
  const size_t wanted = (n + THREADS - 1) / THREADS;
  const unsigned int blocks = wanted < MAX_BLOCKS ? (unsigned int)wanted : MAX_BLOCKS;
  summarise<<<blocks, THREADS>>>(d_keys, d_positions, n, SEEDS[0], SEEDS[1], d_facts);
  LAUNCH_CHECK();
  CUDA_CHECK(cudaMemcpy(&facts, d_facts, sizeof facts, cudaMemcpyDeviceToHost));
  scratch_free(d_facts);
  Slice next = {};
  next.count = n;
  next.order = fault(facts.order_count, facts.order_first, d_keys);
  next.stability = fault(facts.stability_count, facts.stability_first, d_positions);
  for (int h = 0; h < 2; h++) next.hash[h] = facts.hash[h];
  next.first_key = fetch(d_keys, 0);
  next.first_position = fetch(d_positions, 0);
  next.last_key = fetch(d_keys, n - 1);
  next.last_position = fetch(d_positions, n - 1);
  slice_join(slice, &next);
}
