// Wide bare keys that are even, or that a map makes even, by buckets:
//
//   one step     in -split-> regions in the workspace -sort-> out
//   two steps    in -split-> parts in `out` and behind the regions -split-> regions -sort-> out
//
// 32 or 48 bytes a key move.
#include "gsort/kernel/place_wide_buckets.cuh"
#include "gsort/kernel/sort_wide_buckets.cuh"
#include "gsort/kernel/wide_sample.cuh"
#include "gsort/way/sweeps.cuh"

typedef void SplitKernel(WideSource, WideRegions, int, const WideMap *, Findings *, bool,
                         volatile HostVerdict *, unsigned int *, unsigned int);
typedef void SortKernel(WideRegions, const unsigned int *, int, Wide *, WideCode, const WideMap *,
                        Findings *);

typedef struct SplitShape {
  int bits;
  unsigned int threads;
  size_t shared_bytes;
  SplitKernel *kernel;
} SplitShape;
#define SPLIT(threads, items, bits, places)                       \
  {                                                               \
    bits, threads, sizeof(WideSplitShared<threads, items, bits>), \
        split_wide<threads, items, bits, places>                  \
  }
// Of a single step, and of two steps.
static const SplitShape single_splits[] = {SPLIT(1024, 8, 6, true), SPLIT(1024, 8, 7, true),
                                           SPLIT(1024, 8, 8, true), SPLIT(1024, 12, 9, true),
                                           SPLIT(1024, 12, 10, true)},
                        double_splits[] = {SPLIT(1024, 16, 5, false), SPLIT(1024, 16, 6, false),
                                           SPLIT(1024, 16, 7, false), SPLIT(1024, 16, 8, false),
                                           SPLIT(1024, 16, 9, false)};
enum { SINGLE_LEAST = 6, SINGLE_MOST = 10, DOUBLE_LEAST = 5, DOUBLE_MOST = 9 };

typedef struct SortShape {
  unsigned int threads, capacity;
  size_t shared_bytes;
  SortKernel *kernel;
} SortShape;
#define SORT(threads, items, bin_bits, blocks)                                   \
  {                                                                              \
    threads, threads *items, sizeof(WideBucketShared<threads, items, bin_bits>), \
        sort_wide_buckets<threads, items, bin_bits, blocks>                      \
  }
// [from SPARING_FROM keys on]: the smallest first. The last one only saves a second step, or
// sweeps. Smaller buckets are sorted faster, but need more space for what they may exceed their
// share by.
static const SortShape sorts[2][3] = {
    {SORT(256, 10, 10, 4), SORT(256, 12, 10, 4), SORT(1024, 9, 12, 1)},
    {SORT(512, 9, 11, 2), SORT(512, 12, 11, 2), SORT(1024, 9, 12, 1)}};
enum { SPARING_FROM = 1 << 25 };

// With that many keys, the first step takes longer than the host to learn whether a sample is even.
enum { HOST_WAITS_FROM = 3000000 };

typedef struct WidePlan {
  const SplitShape *first, *second;  // second: NULL if there is one step
  const SortShape *sort;
  int bits;
  unsigned int part_count, part_capacity, whole_parts;  // those that lie in the output
  unsigned int region_count, capacity;
  size_t tail_at, words_at, bytes;
} WidePlan;

// Keys of each of 2^bits regions: what even keys have on average, and seven standard deviations,
// which one of 10^12 regions exceeds; whole sectors.
static unsigned int wide_capacity(size_t n, int bits) {
  const double average = (double)n / (double)(1 << bits);
  return ((unsigned int)(average + 7 * sqrt(average)) / SECTOR + 2) * SECTOR;
}

// The smallest blocks for 2^bits regions; NULL if there are none.
static const SortShape *sort_for(size_t n, int bits) {
  for (const SortShape &sort : sorts[n >= SPARING_FROM]) {
    const bool is_last = &sort == &sorts[n >= SPARING_FROM][2];
    if (wide_capacity(n, bits) <= sort.capacity &&
        (!is_last || bits == SINGLE_MOST || bits == 2 * DOUBLE_MOST))
      return &sort;
  }
  return NULL;
}

static bool plan_wide(const Call *call, WidePlan *plan) {
  const size_t n = call->n, limit = call->device->shared_limit;
  int bits = SINGLE_LEAST;
  while (bits < 2 * DOUBLE_MOST && sort_for(n, bits) == NULL) bits++;
  plan->sort = sort_for(n, bits);
  if (plan->sort == NULL) return false;
  const bool single = bits <= SINGLE_MOST;
  const int first_bits = single ? bits : (bits + 1) / 2;
  plan->bits = bits;
  plan->first =
      single ? &single_splits[bits - SINGLE_LEAST] : &double_splits[first_bits - DOUBLE_LEAST];
  plan->second = single ? NULL : &double_splits[bits - first_bits - DOUBLE_LEAST];
  plan->region_count = 1u << bits;
  plan->capacity = wide_capacity(n, bits);
  plan->part_count = single ? 0 : 1u << first_bits;
  plan->part_capacity = single ? 0 : wide_capacity(n, first_bits);
  // The output may begin inside a sector.
  plan->whole_parts = single ? 0 : (unsigned int)((n - SECTOR) / plan->part_capacity);
  if (plan->whole_parts > plan->part_count) plan->whole_parts = plan->part_count;
  plan->tail_at = (size_t)plan->region_count * plan->capacity * sizeof(Wide);
  plan->words_at = plan->tail_at + (size_t)(plan->part_count - plan->whole_parts) *
                                       plan->part_capacity * sizeof(Wide);
  const size_t words = 3 * (size_t)plan->region_count + 2 * (size_t)plan->part_count + 1;
  plan->bytes = aligned_bytes(plan->words_at + words * sizeof(unsigned int)) + sizeof(WideMap);
  return plan->first->shared_bytes <= limit && plan->sort->shared_bytes <= limit &&
         (single || plan->second->shared_bytes <= limit);
}

static size_t wide_buckets_bytes(const Call *call, const KeyRange *) {
  WidePlan plan;
  return plan_wide(call, &plan) ? plan.bytes : 0;
}

static Finding wide_buckets_run(Call *call, Known *) {
  WidePlan plan;
  if (!plan_wide(call, &plan)) return UNEVEN;
  const unsigned int n = (unsigned int)call->n, sms = call->device->multiprocessors;
  char *const memory = call->workspace;
  unsigned int *const words = (unsigned int *)(memory + plan.words_at);
  WideMap *const map = (WideMap *)(memory + plan.bytes - sizeof(WideMap));
  Wide *const out = (Wide *)call->output.keys;
  Wide *const sectors = (Wide *)(((uintptr_t)out + SECTOR * sizeof(Wide) - 1) /
                                 (SECTOR * sizeof(Wide)) * (SECTOR * sizeof(Wide)));
  const WideRegions regions = {(Wide *)memory, NULL,  plan.region_count,
                               plan.capacity,  words, words + plan.region_count};
  unsigned int *const start = words + 2 * plan.region_count, *const ends =
                                                                 start + plan.region_count;
  const size_t in_output = (size_t)plan.whole_parts * plan.part_capacity;
  const WideRegions parts = {sectors,
                             (Wide *)(memory + plan.tail_at) - in_output,
                             plan.whole_parts,
                             plan.part_capacity,
                             ends,
                             ends + plan.part_count};
  const WideSource input = {(const Wide *)call->input.keys, {}, call->wide_code, sms, n},
                   from_parts = {NULL, parts, {}, 0, n};
  const bool two_steps = plan.second != NULL, waits = n >= HOST_WAITS_FROM && !call->no_host_wait;
  const WideRegions &first_regions = two_steps ? parts : regions;
  const int first_bits = plan.first->bits;
  const float of_group = (float)first_regions.capacity * (float)(1 << (first_bits - GROUP_BITS));
  volatile HostVerdict *const host = fresh_verdict(call);
  const unsigned int loading = call->device->hopper ? SAMPLE_CLUSTER : 1,
                     preparing = parts_of(plan.region_count, SAMPLE_THREADS * loading);
  launch_as(call, false, loading, sample_wide, (2 + preparing) * loading, SAMPLE_THREADS, 0,
            input.input, call->n, call->wide_code, loading, (ClusterSample<Wide> *)out, of_group,
            false, UNKNOWN, parts, plan.part_count, regions, plan.region_count, map,
            call->findings);
  launch_next(call, plan.first->kernel, sms, plan.first->threads, plan.first->shared_bytes, input,
              first_regions, 32 - first_bits, (const WideMap *)map, call->findings, waits, host,
              start, plan.sort->capacity);
  // SORTED if the host has overslept EVEN: then the buckets have places.
  const Finding finding = waits ? wait_for_finding(call, UNKNOWN) : EVEN;
  if (finding != EVEN && finding != SORTED) return finding;
  if (two_steps) {
    launch_next(call, plan.second->kernel, plan.part_count, plan.second->threads,
                plan.second->shared_bytes, from_parts, regions, 32 - plan.bits,
                (const WideMap *)map, call->findings, false, host, start, plan.sort->capacity);
    launch_next(call, place_wide_buckets<WideRegions, WideRegions>, plan.part_count, PLACE_THREADS,
                0, parts, regions, 1u << plan.second->bits, plan.sort->capacity, start,
                call->findings, host);
  }
  launch_next(call, plan.sort->kernel, plan.region_count, plan.sort->threads,
              plan.sort->shared_bytes, regions, (const unsigned int *)start, plan.bits, out,
              call->wide_code, (const WideMap *)map, call->findings);
  if (call->no_host_wait) return sort_wide_if_unsorted(call);
  return wait_for_finding(call, waits ? EVEN : UNKNOWN);
}

extern "C" const Way way_wide_buckets = {"wide buckets", wide_buckets_bytes, wide_buckets_run};
