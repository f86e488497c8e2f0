#include "multi/way.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "harness/input/input.h"
#include "multi/device/shard.h"
#include "multi/host/host_sort.h"

void shard_input_write(const ShardInput *input, size_t first, size_t count, Elements to) {
  if (count == 0) return;
  const uint64_t begin = input->begin + first;
  if (input->file_keys != NULL)
    CUDA_CHECK(cudaMemcpy(to.keys, input->file_keys + first, count * sizeof *to.keys,
                          cudaMemcpyHostToDevice));
  else
    input_keys_part(input->kind, input->seed, to.keys, begin, count, input->n);
  if (to.positions != NULL) input_positions_range(to.positions, begin, count);
}

// ---- in the devices' memory: sorting is all that is timed ---------------------------------------

typedef struct DeviceState {
  ShardInput input;
  ShardSort sort;
} DeviceState;

static void *device_create(const Job *job) {
  DeviceState *const state = MEMORY_CHECK(calloc(1, sizeof *state));
  const Request *const request = job->request;
  state->input = job->input;
  state->sort = shard_sort_create(job->world, job->exchange, job->input.n, job->input.count,
                                  job->pairs, request->chunks, request->digit_bits);
  return state;
}

static void device_destroy(void *memory) {
  DeviceState *const state = memory;
  shard_sort_destroy(&state->sort);
  free(state);
}

// All arrays get fresh contents, so that no run finds the result of an earlier one.
static void device_fill(void *memory) {
  DeviceState *const state = memory;
  const size_t bytes = state->sort.capacity * sizeof(unsigned int);
  const Elements arrays[] = {state->sort.input, state->sort.output, state->sort.spare};
  for (int i = 0; i < 3; i++) {
    if (arrays[i].keys != NULL) CUDA_CHECK(cudaMemset(arrays[i].keys, 0xa5, bytes));
    if (arrays[i].positions != NULL) CUDA_CHECK(cudaMemset(arrays[i].positions, 0xa5, bytes));
  }
  shard_input_write(&state->input, 0, state->input.count, state->sort.input);
  CUDA_CHECK(cudaDeviceSynchronize());
}

static SortResult device_run(void *memory, double *seconds) {
  DeviceState *const state = memory;
  return shard_sort_run(&state->sort, seconds);
}

static Evidence device_summarise(void *memory, const SortResult *result) {
  DeviceState *const state = memory;
  const Elements sorted = result->elements;
  Evidence evidence = {.begin = result->begin};
  slice_add(&evidence.output, sorted.keys, sorted.positions, result->count);
  // The input is made anew, in an array that does not hold the result.
  const bool swapped = sorted.keys == state->sort.input.keys;
  const Elements other = swapped ? state->sort.output : state->sort.input;
  shard_input_write(&state->input, 0, state->input.count, other);
  slice_add(&evidence.input, other.keys, other.positions, state->input.count);
  return evidence;
}

const Way device_way = {.name = "device",
                        .stages = shard_stages,
                        .create = device_create,
                        .destroy = device_destroy,
                        .fill = device_fill,
                        .run = device_run,
                        .summarise = device_summarise};

// ---- in host memory: pieces pass through the pipeline's first buffer ----------------------------

typedef struct HostState {
  ShardInput input;
  HostSort sort;
} HostState;

static void *host_create(const Job *job) {
  HostState *const state = MEMORY_CHECK(calloc(1, sizeof *state));
  state->input = job->input;
  state->sort = host_sort_create(job->world, job->exchange, job->input.n, job->input.count,
                                 job->pairs, job->request->device_memory);
  return state;
}

static void host_destroy(void *memory) {
  HostState *const state = memory;
  host_sort_destroy(&state->sort);
  free(state);
}

static size_t piece_of(const HostState *state, size_t done, size_t count) {
  const size_t left = count - done, most = state->sort.pipeline.most;
  return left < most ? left : most;
}

static void host_fill(void *memory) {
  HostState *const state = memory;
  const Elements buffer = state->sort.pipeline.in[0];
  memset(state->sort.second.keys, 0xa5, state->sort.capacity * sizeof(unsigned int));
  for (size_t done = 0, piece; done < state->input.count; done += piece) {
    piece = piece_of(state, done, state->input.count);
    shard_input_write(&state->input, done, piece, buffer);
    elements_copy(elements_at(state->sort.first, done), buffer, piece);
  }
}

static SortResult host_run(void *memory, double *seconds) {
  HostState *const state = memory;
  return host_sort_run(&state->sort, seconds);
}

static Evidence host_summarise(void *memory, const SortResult *result) {
  HostState *const state = memory;
  const Elements buffer = state->sort.pipeline.in[0];
  Evidence evidence = {.begin = result->begin};
  for (size_t done = 0, piece; done < state->input.count; done += piece) {
    piece = piece_of(state, done, state->input.count);
    shard_input_write(&state->input, done, piece, buffer);
    slice_add(&evidence.input, buffer.keys, buffer.positions, piece);
  }
  for (size_t done = 0, piece; done < result->count; done += piece) {
    piece = piece_of(state, done, result->count);
    elements_copy(buffer, elements_at(result->elements, done), piece);
    slice_add(&evidence.output, buffer.keys, buffer.positions, piece);
  }
  return evidence;
}

const Way host_way = {.name = "host",
                      .stages = host_stages,
                      .create = host_create,
                      .destroy = host_destroy,
                      .fill = host_fill,
                      .run = host_run,
                      .summarise = host_summarise};
