// Wide keys with values that are even, or that a map makes even: two stable steps, and a block per
// bucket.
//
//   in -split-> parts in the output arrays and behind the regions -split-> regions -sort-> out
//
// 6 x (8 + value) bytes a pair move. Of pairs in some order the parts are counted first.
#include "gsort/kernel/count_wide_parts.cuh"
#include "gsort/kernel/place_wide_buckets.cuh"
#include "gsort/kernel/sort_wide_pair_buckets.cuh"
#include "gsort/kernel/wide_sample.cuh"
#include "gsort/way/sweeps.cuh"

// Bits of the two steps; blocks that share a part in the second.
typedef struct PairPlan {
  int first_bits, second_bits;
  unsigned int first_blocks, blocks_of_part;
  unsigned int part_capacity, parts, slots_in_output;
  unsigned int capacity, regions;
  int doublings;  // a bucket fits a block of LEAST_BLOCK << doublings pairs
  size_t values_at, tail_keys_at, tail_values_at, words_at, bytes;
} PairPlan;

enum {
  BLOCK_ITEMS = 10,  // of a thread that sorts a bucket
  LEAST_BLOCK = 256 * BLOCK_ITEMS,
  SPARING_FROM = 8000000,  // with larger buckets, which need less space
  MOST_STEP_BITS = 8,
  LEAST_PIECE = 450,
  LEAST_BLOCKS = 16,  // of counted parts, which may leave the space free that a block's pairs need
  IN_ORDER_FROM = 2000000,
  MAP_BYTES = WORKSPACE_ALIGNMENT  // in front of all else, for a second try
};
static_assert(sizeof(WideMap) <= MAP_BYTES, "space for the map");

// Whole sectors for `average` pairs and some standard deviations.
static unsigned int capacity_for(double average, double deviations) {
  return ((unsigned int)(average + deviations * sqrt(average)) / SECTOR + 2) * SECTOR;
}

static bool plan_pairs(const Call *call, bool in_order, PairPlan *plan) {
  const size_t n = call->n;
  const auto block_for = [&](int bits) {
    int doublings = n < SPARING_FROM ? 0 : 1;
    while (capacity_for((double)n / (double)(1 << bits), 7) > (unsigned int)LEAST_BLOCK
                                                                  << doublings)
      doublings++;
    return doublings;
  };
  const int least = block_for(2 * MOST_STEP_BITS);
  // If a part is in order, its first half may go to other bins than its second half, so that two
  // blocks would have unlike shares of a bin. So each block has a part, and there are more parts.
  int bits = in_order ? 12 : 10;
  while (block_for(bits) > least) bits++;
  plan->doublings = least;
  if (least > 2 || (in_order && n < IN_ORDER_FROM)) return false;
  plan->first_bits = in_order && bits < 14 ? 7 : (bits + 1) / 2;
  plan->second_bits = bits - plan->first_bits;
  // A warp's rows lie in two pieces at most, so these may not be too short, unless they are
  // counted.
  const size_t most = n >> plan->first_bits;
  const unsigned int blocks = least_of(call->device->multiprocessors, MOST_PIECES);
  plan->first_blocks = in_order ? (unsigned int)greatest_of(blocks, LEAST_BLOCKS)
                                : least_of(blocks, (unsigned int)(most / LEAST_PIECE) + 1);
  plan->blocks_of_part = plan->first_bits < 7 ? 2 : 1;  // so that all multiprocessors have work
  plan->parts = plan->first_blocks << plan->first_bits;
  plan->regions = plan->blocks_of_part << bits;
  plan->part_capacity = in_order ? ~0u : capacity_for((double)n / plan->parts, 6);
  plan->capacity = capacity_for((double)n / plan->regions, 7);
  // Counted parts end inside a sector. One that does not fit into the rest of the output begins
  // behind it.
  const size_t slots = in_order ? n + (size_t)SECTOR * plan->parts + n / plan->first_blocks + SECTOR
                                : (size_t)plan->parts * plan->part_capacity;
  const unsigned int unit = in_order ? (unsigned int)SECTOR : plan->part_capacity;
  // The output arrays may begin inside sectors.
  plan->slots_in_output = (unsigned int)least_of((n - SECTOR) / unit * unit, slots);
  const size_t in_regions = (size_t)plan->regions * plan->capacity,
               in_tail = slots - plan->slots_in_output;
  plan->values_at = aligned_bytes(in_regions * sizeof(Wide));
  plan->tail_keys_at = plan->values_at + aligned_bytes(in_regions * call->value_bytes);
  plan->tail_values_at = plan->tail_keys_at + aligned_bytes(in_tail * sizeof(Wide));
  plan->words_at = plan->tail_values_at + aligned_bytes(in_tail * call->value_bytes);
  const size_t words = 2 * (size_t)plan->parts + plan->regions + ((size_t)1 << bits);
  plan->bytes = MAP_BYTES + plan->words_at + words * sizeof(unsigned int);
  return true;
}

// `address`, or the next multiple of a sector of four elements.
template <class Element>
static Element *at_sector(void *address) {
  const uintptr_t sector = SECTOR * sizeof(Element);
  return (Element *)(((uintptr_t)address + sector - 1) / sector * sector);
}

// Pairs of a thread in a tile: more need registers that it lacks.
template <class Value>
static constexpr int SPLIT_ITEMS = sizeof(Value) == 8 ? 7 : 9;

template <int kBits, class Parts, class Regions>
static void launch_split(Call *call, const PairSource<Parts> &source, const Regions &regions,
                         unsigned int blocks, int shift, const WideMap *map,
                         volatile HostVerdict *host) {
  constexpr int kThreads = 1024, kItems = SPLIT_ITEMS<typename Parts::Value>;
  const size_t bytes = sizeof(StableSplitShared<kThreads, kItems, kBits, typename Parts::Value>);
  launch_next(call, split_wide_pairs<kThreads, kItems, kBits, Parts, Regions>, blocks, kThreads,
              bytes, source, regions, shift, map, call->findings,
              !call->no_host_wait && !Regions::kCounted, host);
}

template <class Parts, class Regions>
static void launch_step(Call *call, int bits, const PairSource<Parts> &source,
                        const Regions &regions, unsigned int blocks, int shift, const WideMap *map,
                        volatile HostVerdict *host) {
  if constexpr (!Regions::kCounted) {  // counted parts are 2^7 at least
    if (bits == 5) launch_split<5>(call, source, regions, blocks, shift, map, host);
    if (bits == 6) launch_split<6>(call, source, regions, blocks, shift, map, host);
  }
  if (bits == 7) launch_split<7>(call, source, regions, blocks, shift, map, host);
  if (bits == 8) launch_split<8>(call, source, regions, blocks, shift, map, host);
}

template <class Value, int kThreads, int kBinBits, int kBlocksPerSm>
static void launch_sort(Call *call, const PairRegions<Value> &regions, const unsigned int *start,
                        int bits, const WideMap *map) {
  const size_t bytes = sizeof(WidePairShared<kThreads, BLOCK_ITEMS, kBinBits, Value>);
  launch_next(call, sort_wide_pair_buckets<kThreads, BLOCK_ITEMS, kBinBits, kBlocksPerSm, Value>,
              1u << bits, kThreads, bytes, regions, start, bits, (Wide *)call->output.keys,
              (Value *)call->output.values, call->wide_code, map, call->findings);
}

// Parts: PairRegions, after a sample; or CountedRegions, if it is known that pairs are in order.
template <class Parts>
static Finding sort_pairs(Call *call, const PairPlan &plan) {
  typedef typename Parts::Value Value;
  WideMap *const map = (WideMap *)call->workspace;
  char *const memory = call->workspace + MAP_BYTES;
  const int bits = plan.first_bits + plan.second_bits;
  unsigned int *const counts = (unsigned int *)(memory + plan.words_at), *const start =
                                                                             counts + plan.parts +
                                                                             plan.regions;
  Parts parts = {};
  parts.first_keys = at_sector<Wide>(call->output.keys);
  parts.second_keys = (Wide *)(memory + plan.tail_keys_at) - plan.slots_in_output;
  parts.first_values = at_sector<Value>(call->output.values);
  parts.second_values = (Value *)(memory + plan.tail_values_at) - plan.slots_in_output;
  parts.blocks = plan.first_blocks;
  parts.capacity = plan.part_capacity;
  parts.count = counts;
  const PairRegions<Value> regions = {(Wide *)memory,
                                      NULL,
                                      (Value *)(memory + plan.values_at),
                                      NULL,
                                      plan.regions,
                                      plan.capacity,
                                      plan.blocks_of_part,
                                      counts + plan.parts};
  const PairSource<PairRegions<Value>> input = {(const Wide *)call->input.keys,
                                                (const Value *)call->input.values,
                                                call->wide_code,
                                                {},
                                                plan.first_blocks,
                                                (unsigned int)call->n};
  const unsigned int part_count = 1u << plan.first_bits;
  const bool waits = !call->no_host_wait;
  volatile HostVerdict *const host = fresh_verdict(call);
  if constexpr (Parts::kCounted) {
    clear_words(call, &call->findings->stop, 2 * sizeof(unsigned int));  // and `arrived`
    parts.split = plan.slots_in_output;
    parts.begin = start + ((size_t)1 << bits);
    launch_next(call, count_wide_parts<Value>, plan.first_blocks, COUNT_PARTS_THREADS, 0, input,
                parts, plan.first_bits, (const WideMap *)map, call->findings);
  } else {
    parts.split = plan.slots_in_output / plan.part_capacity;
    const float of_group = (float)plan.part_capacity * (float)plan.first_blocks *
                           (float)part_count / (float)(1 << GROUP_BITS);
    const unsigned int loading = call->device->hopper ? SAMPLE_CLUSTER : 1;
    launch_as(call, false, loading, sample_wide, 2 * loading, SAMPLE_THREADS, 0, input.keys,
              call->n, call->wide_code, loading, (ClusterSample<Wide> *)call->output.keys, of_group,
              true, waits && call->n >= IN_ORDER_FROM ? IN_ORDER : UNEVEN, WideRegions(), 0u,
              WideRegions(), 0u, map, call->findings);
  }
  launch_step(call, plan.first_bits, input, parts, plan.first_blocks, 32 - plan.first_bits, map,
              host);
  // The first step takes longer than the host to learn whether the rest is of use.
  const Finding finding = waits && !Parts::kCounted ? wait_for_finding(call, UNKNOWN) : EVEN;
  if (finding != EVEN) return finding;
  const PairSource<Parts> from_parts = {NULL, NULL, {}, parts, plan.blocks_of_part, 0};
  launch_step(call, plan.second_bits, from_parts, regions, part_count * plan.blocks_of_part,
              32 - bits, map, host);
  launch_next(call, place_wide_buckets<Parts, PairRegions<Value>>, part_count, PLACE_THREADS, 0,
              parts, regions, 1u << plan.second_bits, (unsigned int)LEAST_BLOCK << plan.doublings,
              start, call->findings, host);
  if (plan.doublings == 0) launch_sort<Value, 256, 10, 4>(call, regions, start, bits, map);
  if (plan.doublings == 1) launch_sort<Value, 512, 11, 2>(call, regions, start, bits, map);
  if (plan.doublings == 2) launch_sort<Value, 1024, 12, 1>(call, regions, start, bits, map);
  return waits ? wait_for_finding(call, Parts::kCounted ? UNKNOWN : EVEN)
               : sort_wide_if_unsorted(call);
}

static size_t wide_pairs_bytes(const Call *call, const KeyRange *) {
  PairPlan plan, in_order = {};
  if (!plan_pairs(call, false, &plan)) return 0;
  if (!call->no_host_wait) plan_pairs(call, true, &in_order);
  const size_t most = greatest_of(sizeof(WidePairShared<1024, BLOCK_ITEMS, 12, Wide>),
                                  sizeof(StableSplitShared<1024, SPLIT_ITEMS<Wide>, 8, Wide>));
  return most <= call->device->shared_limit ? greatest_of(plan.bytes, in_order.bytes) : 0;
}

template <class Value>
static Finding sort_in_any_order(Call *call) {
  PairPlan plan;
  if (!plan_pairs(call, false, &plan)) return UNEVEN;
  const Finding finding = sort_pairs<PairRegions<Value>>(call, plan);
  if (finding != IN_ORDER) return finding;
  const bool in_order =
      plan_pairs(call, true, &plan) && sort_pairs<CountedRegions<Value>>(call, plan) == SORTED;
  return in_order ? SORTED : UNEVEN;
}

static Finding wide_pairs_run(Call *call, Known *) {
  return call->value_bytes == 8 ? sort_in_any_order<Wide>(call)
                                : sort_in_any_order<unsigned int>(call);
}

extern "C" const Way way_wide_pairs = {"wide pairs", wide_pairs_bytes, wide_pairs_run};
