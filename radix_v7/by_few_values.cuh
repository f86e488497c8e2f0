// Host side of sort_values.cuh: the launches, after evenness.cuh has found few values in a sample.
#ifndef RADIX_V7_BY_FEW_VALUES_CUH
#define RADIX_V7_BY_FEW_VALUES_CUH

#include "common/check.h"
#include "common/device.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "radix_v7/packed_sweeps.cuh"
#include "radix_v7/sort_values.cuh"

static const PairSweepShape value_sweep = {VALUE_BITS,
                                           256,
                                           256 * 20,
                                           3,
                                           sizeof(PairSweepShared<256, 20, VALUE_BITS>),
                                           sweep_pairs<256, 20, VALUE_BITS, 3, COUNTED_VALUES>,
                                           NULL};

// Allocates what `state` points to, for n elements; the result is for scratch_free().
static void *allocate_value_state(ValueState *state, size_t n, bool bare) {
  const size_t look_back = bare ? 0 : look_back_size(&value_sweep, n);
  unsigned int *const memory = (unsigned int *)scratch_alloc(
      (look_back + VALUE_BINS + 1 + 3 + (bare ? MOST_STRAYS : 0)) * sizeof *memory);
  unsigned int *const start = memory + look_back, *const words = start + VALUE_BINS + 1;
  *state = {start,
            words,
            words + 1,
            memory,
            look_back,
            words + 2,
            bare ? words + 3 : NULL,
            fresh_host_verdict(n)};
  return memory;
}

static unsigned int value_blocks(size_t n) {
  const unsigned int most = 2 * (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount),
                     wanted = blocks_for(n, 4 * VALUE_THREADS);
  return wanted < most ? wanted : most;
}

static void launch_value_count(const unsigned int *keys, size_t n, ValueState state) {
  stage_start("hist");
  launch_overlapped(count_values, value_blocks(n), VALUE_THREADS, 0, keys, n, state);
  stage_stop();
}

// Sorts n bare keys from `in` to `out`; false, with `in` as it was, if too many are strays. The
// host waits for that verdict of the count.
static bool sort_keys_by_values(const unsigned int *in, unsigned int *out, size_t n) {
  ValueState state;
  void *const memory = allocate_value_state(&state, n, true);
  launch_value_count(in, n, state);
  stage_start("sweep");
  launch_overlapped(write_values, value_blocks(n), VALUE_THREADS, 0, out, n, state);
  stage_stop();
  scratch_free(memory);
  return verdict_fits(state.host);
}

// The same for pairs, by one stable sweep.
static bool sort_pairs_by_values(Pairs input, Pairs output, size_t n) {
  if (value_sweep.shared_bytes > dynamic_shared_limit()) return false;
  ValueState state;
  void *const memory = allocate_value_state(&state, n, false);
  launch_value_count(input.keys, n, state);
  stage_start("sweep");
  const PairBuffers buffers = {input, output, {}, {}};
  const PairSweep sweep = {
      0,  state.start, state.tile_counter, state.look_back, {state.spread, 0, 1, false, NULL},
      {}, false};
  launch_sweep(&value_sweep, buffers, n, sweep);
  launch_overlapped(sort_strays, VALUE_BINS / 2, VALUE_THREADS, 0, output, state);
  stage_stop();
  scratch_free(memory);
  return verdict_fits(state.host);
}

// What a sample of n bare keys shows, where buckets do not fit and nothing else has looked at one:
// FEW_VALUES, TO_RANGE, with *range, or TOO_LARGE. The host waits.
static unsigned int why_unfit(const unsigned int *keys, size_t n, KeyRange *range) {
  volatile HostVerdict *const host = fresh_host_verdict(n);
  look_at_unfit_keys<<<1, LOOK_THREADS>>>(keys, n, host->most, host);
  LAUNCH_CHECK();
  verdict_fits(host);
  *range = range_of(host);
  return host->verdict;
}

#endif
