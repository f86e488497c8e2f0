// The shards are in the devices' memory; sorting is all that is timed.
#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "common/check.h"
#include "harness/input/input.h"
#include "multi/shard_sort.h"
#include "multi/way.h"

void shard_input_write(const ShardInput *input, size_t first, size_t count, unsigned int *d_keys,
                       unsigned int *d_positions) {
  if (count == 0) return;
  const uint64_t begin = input->begin + first;
  if (input->file_keys != NULL)
    CUDA_CHECK(cudaMemcpy(d_keys, input->file_keys + first, count * sizeof *d_keys,
                          cudaMemcpyHostToDevice));
  else
    input_keys_part(input->kind, input->seed, d_keys, begin, count, input->n);
  if (d_positions != NULL) input_positions_range(d_positions, begin, count);
}

typedef struct DeviceState {
  ShardInput input;
  ShardSort sort;
  ShardResult result;
} DeviceState;

static void *create(const Job *job) {
  DeviceState *const state = MEMORY_CHECK(calloc(1, sizeof *state));
  state->input = job->input;
  state->sort = shard_sort_create(job->world, job->exchange, job->input.n, job->input.count,
                                  job->pairs, job->chunks, job->digit_bits, job->stretch);
  return state;
}

static void destroy(void *memory) {
  DeviceState *const state = memory;
  shard_sort_destroy(&state->sort);
  free(state);
}

// All arrays get fresh contents, so that no run finds the result of an earlier one.
static void fill(void *memory) {
  DeviceState *const state = memory;
  const size_t bytes = state->sort.capacity * sizeof(unsigned int);
  const Elements arrays[] = {state->sort.input, state->sort.output, state->sort.spare};
  for (int i = 0; i < 3; i++) {
    if (arrays[i].keys != NULL) CUDA_CHECK(cudaMemset(arrays[i].keys, 0xa5, bytes));
    if (arrays[i].positions != NULL) CUDA_CHECK(cudaMemset(arrays[i].positions, 0xa5, bytes));
  }
  shard_input_write(&state->input, 0, state->input.count, state->sort.input.keys,
                    state->sort.input.positions);
  CUDA_CHECK(cudaDeviceSynchronize());
}

static RunFacts run(void *memory, double *seconds) {
  DeviceState *const state = memory;
  state->result = shard_sort_run(&state->sort, seconds);
  const RunFacts facts = {state->result.moved, state->result.count};
  return facts;
}

static Evidence look(void *memory) {
  DeviceState *const state = memory;
  const ShardResult *const result = &state->result;
  Evidence evidence = {.begin = result->begin};
  slice_add(&evidence.output, result->elements.keys, result->elements.positions, result->count);
  // The input is made anew, in an array that does not hold the result.
  const bool swapped = result->elements.keys == state->sort.input.keys;
  const Elements free_array = swapped ? state->sort.output : state->sort.input;
  shard_input_write(&state->input, 0, state->input.count, free_array.keys, free_array.positions);
  slice_add(&evidence.input, free_array.keys, free_array.positions, state->input.count);
  return evidence;
}

static void copy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind) {
  if (to != NULL && from != NULL && count > 0)
    CUDA_CHECK(cudaMemcpy(to, from, count * sizeof(uint32_t), kind));
}

static void fetch(void *memory, size_t first, size_t count, uint32_t *keys, uint32_t *positions) {
  const Elements from = ((DeviceState *)memory)->result.elements;
  copy(keys, from.keys + first, count, cudaMemcpyDeviceToHost);
  if (positions != NULL) copy(positions, from.positions + first, count, cudaMemcpyDeviceToHost);
}

static void poke(void *memory, size_t first, size_t count, const uint32_t *keys,
                 const uint32_t *positions) {
  const Elements to = ((DeviceState *)memory)->result.elements;
  copy(to.keys + first, keys, count, cudaMemcpyHostToDevice);
  if (positions != NULL) copy(to.positions + first, positions, count, cudaMemcpyHostToDevice);
}

const Way device_way = {.name = "device",
                        .stages = stage_names,
                        .create = create,
                        .destroy = destroy,
                        .fill = fill,
                        .run = run,
                        .look = look,
                        .fetch = fetch,
                        .poke = poke};
