// Keys with few distinct values, which a sample has found (block/few_values.cuh).
#include "gsort/kernel/values.cuh"
#include "gsort/way/launch.cuh"

static size_t values_bytes(const Call *call, const KeyRange *) {
  return has_values(call) ? 0 : (VALUE_BINS + 1 + 2 + MOST_STRAYS) * sizeof(unsigned int);
}

static ValueState value_state(Call *call) {
  unsigned int *const start = (unsigned int *)call->workspace, *const words =
                                                                   start + VALUE_BINS + 1;
  return {call->code, call->findings,     start, words, words + 1, NULL, 0,
          words + 2,  fresh_verdict(call)};
}

// The host waits for the count.
static Finding values_run(Call *call, Known *) {
  const ValueState state = value_state(call);
  const unsigned int blocks =
      least_of(parts_of(call->n, 4 * VALUE_THREADS), 2 * call->device->multiprocessors);
  launch_next(call, count_values, blocks, VALUE_THREADS, 0, call->input.keys, call->n, state);
  launch_next(call, write_values, blocks, VALUE_THREADS, 0, call->output.keys, call->n, state);
  return wait_for_finding(call, UNKNOWN);
}

extern "C" const Way way_values = {"values", values_bytes, values_run};
