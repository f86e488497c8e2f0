// The arrays of host_way: input, verdict, output.
#include <cuda_runtime_api.h>
#include <string.h>

#include "common/check.h"
#include "multi/host_state.h"
#include "multi/splitters.h"

static void copy(void *to, const void *from, size_t count) {
  if (to != NULL && from != NULL && count > 0) memcpy(to, from, count * sizeof(unsigned int));
}

// Calls shard_input_write() for pieces, into the pipeline's first buffer, and each time `use`.
static void each_input_piece(HostState *state, void (*use)(HostState *, size_t, size_t, Slice *),
                             Slice *slice) {
  const Elements buffer = state->pipeline.in[0];
  for (size_t done = 0; done < state->job.input.count;) {
    const size_t left = state->job.input.count - done;
    const size_t piece = left < state->pipeline.most ? left : state->pipeline.most;
    shard_input_write(&state->job.input, done, piece, buffer.keys, buffer.positions);
    use(state, done, piece, slice);
    done += piece;
  }
}

static void store_input(HostState *state, size_t first, size_t count, Slice *unused) {
  (void)unused;
  const Elements buffer = state->pipeline.in[0], to = elements_at(state->first, first);
  const size_t bytes = count * sizeof *to.keys;
  CUDA_CHECK(cudaMemcpy(to.keys, buffer.keys, bytes, cudaMemcpyDeviceToHost));
  if (to.positions != NULL)
    CUDA_CHECK(cudaMemcpy(to.positions, buffer.positions, bytes, cudaMemcpyDeviceToHost));
}

static void add_input(HostState *state, size_t first, size_t count, Slice *slice) {
  (void)first;
  slice_add(slice, state->pipeline.in[0].keys, state->pipeline.in[0].positions, count);
}

void host_fill(void *memory) {
  HostState *const state = memory;
  memset(state->second.keys, 0xa5, state->capacity * sizeof *state->second.keys);
  each_input_piece(state, store_input, NULL);
}

Evidence host_look(void *memory) {
  HostState *const state = memory;
  const World *const world = state->job.world;
  Evidence evidence = {.begin = share_begin(state->job.input.n, world->rank, world->ranks)};
  each_input_piece(state, add_input, &evidence.input);
  const Elements buffer = state->pipeline.in[0];
  for (size_t done = 0; done < state->share;) {
    const size_t left = state->share - done;
    const size_t piece = left < state->pipeline.most ? left : state->pipeline.most;
    const Elements from = elements_at(state->result, done);
    const size_t bytes = piece * sizeof *from.keys;
    CUDA_CHECK(cudaMemcpy(buffer.keys, from.keys, bytes, cudaMemcpyHostToDevice));
    if (from.positions != NULL)
      CUDA_CHECK(cudaMemcpy(buffer.positions, from.positions, bytes, cudaMemcpyHostToDevice));
    slice_add(&evidence.output, buffer.keys, buffer.positions, piece);
    done += piece;
  }
  return evidence;
}

void host_fetch(void *memory, size_t first, size_t count, uint32_t *keys, uint32_t *positions) {
  const Elements from = elements_at(((HostState *)memory)->result, first);
  copy(keys, from.keys, count);
  copy(positions, from.positions, count);
}

void host_poke(void *memory, size_t first, size_t count, const uint32_t *keys,
               const uint32_t *positions) {
  const Elements to = elements_at(((HostState *)memory)->result, first);
  copy(to.keys, keys, count);
  if (positions != NULL) copy(to.positions, positions, count);
}
