// Few wide keys, in one block and one launch (kernel/sort_wide_block.cuh).
#include "gsort/kernel/sort_wide_block.cuh"
#include "gsort/way/launch.cuh"

template <class Value>
static void sort_block(Call *call) {
  const auto launch = [&](auto kernel, unsigned int threads, size_t shared_bytes) {
    launch_first(call, kernel, 1, threads, shared_bytes, (const Wide *)call->input.keys,
                 (const Value *)call->input.values, (unsigned int)call->n,
                 WideBits{call->wide_code, call->begin_bit, ~0ull >> (64 - call->bits)},
                 (Wide *)call->output.keys, (Value *)call->output.values);
  };
  if (call->n <= 256 * 9)
    launch(sort_wide_block<256, 9, 10, Value>, 256, sizeof(WideBucketShared<256, 9, 10>));
  else
    launch(sort_wide_block<1024, 9, 12, Value>, 1024, sizeof(WideBucketShared<1024, 9, 12>));
}

static size_t wide_block_bytes(const Call *call, const KeyRange *) {
  return call->n <= ONE_WIDE_BLOCK && call->n_on_device == NULL &&
                 sizeof(WideBucketShared<1024, 9, 12>) <= call->device->shared_limit
             ? 1
             : 0;
}

static Finding wide_block_run(Call *call, Known *) {
  if (call->value_bytes == 8)
    sort_block<Wide>(call);
  else
    sort_block<unsigned int>(call);
  return SORTED;
}

extern "C" const Way way_wide_block = {"wide block", wide_block_bytes, wide_block_run};
