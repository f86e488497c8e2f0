// Host side of frequent_values.cuh: the launches.
#ifndef RADIX_V7_BY_FREQUENT_VALUES_CUH
#define RADIX_V7_BY_FREQUENT_VALUES_CUH

#include "radix_v7/count_rest.cuh"
#include "radix_v7/find_frequent.cuh"
#include "radix_v7/packed_sweeps.cuh"

// Launches count_rest(), which tells `host` whether there are frequent values.
static void count_rest_of(const unsigned int *keys, size_t n, SweepState state,
                          volatile HostVerdict *host) {
  enum { STATIC_BYTES = 36 << 10 };  // more than count_rest() has
  const size_t one_copy = PASSES * BINS * sizeof(unsigned int);
  unsigned int copies = WARP_SIZE;
  while (copies * one_copy + STATIC_BYTES > dynamic_shared_limit()) copies /= 2;
  const unsigned int most = (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount),
                     wanted = blocks_for(n, 4 * HISTOGRAM_THREADS);
  allow_shared_memory(count_rest, copies * one_copy);
  launch_overlapped(count_rest, wanted < most ? wanted : most, HISTOGRAM_THREADS, copies * one_copy,
                    keys, n, state, copies, host);
}

// Four sweeps, of which the last three have only the rest, once that is counted.
static void sweep_rest(PackedLayout layout, size_t n, SweepState state, void *memory) {
  point_to_halves(&layout.of_rest, layout.of_rest.input, n, memory);
  unsigned int *look_back = state.look_back;
  stage_start("sweep");
  for (int pass = 0; pass < PASSES; pass++) {
    const PairSweepShape *const shape = pass == 0 ? &first_of_frequent : &sweep_of_rest;
    const PairSweep sweep = {pass * DIGIT_BITS,
                             state.start + pass * BINS,
                             state.tile_counter + pass,
                             look_back,
                             {state.spread, pass, PASSES, false, NULL},
                             {},
                             false};
    launch_sweep(shape, layout.of_rest, n, sweep);
    look_back += look_back_size(shape, n);
  }
  stage_stop();
}

// Sorts n pairs as sort_pairs_by_all_digits(), but if some values are frequent, these leave after
// the first sweep. looked: the table of frequent values is that of these keys; else a sample is
// looked at. The host waits until it hears whether there are any, while all keys are counted.
static bool sort_uneven_pairs(Pairs input, Pairs output, size_t n, bool looked, void *memory) {
  if (!sweeps_are_packed(n) || !may_be_frequent(n) || !hold_packed_pairs(input)) {
    sort_pairs_by_all_digits(input, output, n, memory);
    return false;
  }
  const PairSweepShape *const shape = sweeps_for(n);
  const PackedLayout layout = packed_layout(shape, input, output, n);
  const SweepState state = packed_state(layout, memory);
  volatile HostVerdict *const host = fresh_host_verdict(n);
  stage_start("hist");
  if (!looked) launch_overlapped(look_for_frequent, 1, LOOK_THREADS, 0, input.keys, n);
  count_rest_of(input.keys, n, state, host);
  stage_stop();
  const bool frequent_leave = wait_for_verdict(host, UNKNOWN) == FEW_VALUES;
  if (frequent_leave)
    sweep_rest(layout, n, state, memory);
  else
    sweep_all_packed(shape, input, output, n, memory);
  return frequent_leave;
}

#endif
