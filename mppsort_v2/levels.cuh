// Host side: allocates the levels' memory and issues the launches.
#ifndef MPPSORT_V2_LEVELS_CUH
#define MPPSORT_V2_LEVELS_CUH

#include "common/scratch.h"
#include "common/stages.h"
#include "mppsort_v2/plan.cuh"

// Deals out parts of a memory block; `used` in bytes.
static void *deal(char *memory, size_t *used, size_t bytes) {
  void *const piece = memory == NULL ? NULL : memory + *used;
  *used += (bytes + 15) / 16 * 16;
  return piece;
}

// Points the level's arrays into `memory`; with NULL only adds up. `zero`: bytes to clear, which
// come first. Returns the bytes in all.
static size_t lay_out(Level *level, size_t n, char *memory, size_t *zero) {
  const size_t parts = level->most_parts, tiles = n / level->tile + parts;
  const size_t groups = (size_t)1 << level->group_bits, uint = sizeof(unsigned int);
  size_t used = 0;
  level->parts = (unsigned int *)deal(memory, &used, uint);
  level->tiles_dealt = (unsigned int *)deal(memory, &used, uint);
  level->counts = (unsigned int *)deal(memory, &used, parts * level->slots * uint);
  level->look_back =
      (unsigned long long *)deal(memory, &used, level->stable ? tiles * groups * uint : 0);
  *zero = used;
  level->part = (Part *)deal(memory, &used, parts * sizeof(Part));
  level->first_tile = (unsigned int *)deal(memory, &used, (parts + 1) * uint);
  level->root = (Root *)deal(memory, &used, parts * sizeof(Root));
  level->entry = (unsigned short *)deal(memory, &used, parts * level->slots * sizeof(short));
  level->order = (unsigned short *)deal(memory, &used, parts * level->slots * sizeof(short));
  level->division = (Division *)deal(memory, &used, parts * level->divisions * sizeof(Division));
  level->group_begin = (unsigned int *)deal(memory, &used, parts * groups * uint);
  return used;
}

static void *allocate_level(Level *level, size_t n) {
  size_t zero;
  char *const memory = (char *)scratch_alloc(lay_out(level, n, NULL, &zero));
  lay_out(level, n, memory, &zero);
  CUDA_CHECK(cudaMemsetAsync(memory, 0, zero, 0));
  return memory;
}

// Upper bound of the groups in the list, if the levels form at most `groups`: these, and chunks of
// equal keys.
static size_t most_listed(size_t groups, size_t n, unsigned int capacity) {
  return 2 * groups + n / capacity + 1;
}

static void *allocate_results(Results *results, size_t groups, size_t n, unsigned int capacity) {
  const size_t parts = n / capacity + 1;
  size_t used = 0;
  char *memory = NULL;
  for (int pass = 0; pass < 2; pass++) {
    used = 0;
    results->groups = (unsigned int *)deal(memory, &used, 4 * sizeof(unsigned int));
    results->group = (Group *)deal(memory, &used, most_listed(groups, n, capacity) * sizeof(Group));
    results->part = (Part *)deal(memory, &used, parts * sizeof(Part));
    if (pass == 0) memory = (char *)scratch_alloc(used);
  }
  results->parts = results->groups + 1;
  results->joined = results->groups + 2;
  CUDA_CHECK(cudaMemsetAsync(memory, 0, 4 * sizeof(unsigned int), 0));
  return memory;
}

// Partitions the level's parts, of at most n elements in all; all: n at level 0, else 0.
static void launch_level(const Level &level, Results results, Pairs from, Pairs to, size_t n,
                         unsigned int all) {
  const size_t tiles = n / level.tile + level.most_parts,
               sms = (size_t)device_attribute(cudaDevAttrMultiProcessorCount);
  const auto resident = [&](size_t each) {
    return (unsigned int)(tiles < each * sms ? tiles : each * sms);
  };
  stage_start("ranges");
  const auto split = all > 0 ? split_ranges<FIRST_SAMPLE> : split_ranges<NEXT_SAMPLE>;
  allow_shared_memory(split, split_shared_bytes(level));
  launch_overlapped(split, level.most_parts, SPLIT_THREADS, split_shared_bytes(level), from.keys,
                    level, all);
  allow_shared_memory(count_ranges, count_shared_bytes(level));
  launch_overlapped(count_ranges, resident(2), COUNT_THREADS, count_shared_bytes(level), from.keys,
                    level);
  allow_shared_memory(join_ranges, join_shared_bytes(level));
  launch_overlapped(join_ranges, level.most_parts, JOIN_THREADS, join_shared_bytes(level), level,
                    results);
  stage_stop();
  stage_start("move");
  const Move *const move = choose_move(level);
  allow_shared_memory(move->kernel, move_shared_bytes(level));
  launch_overlapped(move->kernel, resident(move->blocks), move->threads, move_shared_bytes(level),
                    from, to, level);
  stage_stop();
}

static void launch_sort(const SortShape *shape, Pairs input, Pairs output, Results results,
                        size_t listed, unsigned int n) {
  enum { BLOCKS_PER_SM = 16 };
  const size_t most = (size_t)device_attribute(cudaDevAttrMultiProcessorCount) * BLOCKS_PER_SM;
  const unsigned int blocks = (unsigned int)(listed < most ? listed : most);
  stage_start("sort");
  allow_shared_memory(shape->kernel, shape->shared_bytes);
  launch_overlapped(shape->kernel, blocks, shape->threads, shape->shared_bytes, input, output,
                    (const Group *)results.group, (const unsigned int *)results.groups, n);
  stage_stop();
}

// A number in memory that both the host and the device see. Each sort has another one: kernels of
// the last sort may still be writing theirs.
static volatile unsigned int *fresh_host_number(void) {
  enum { NUMBERS = 8 };
  static volatile unsigned int *numbers = NULL;
  static unsigned int next = 0;
  if (numbers == NULL) CUDA_CHECK(cudaMallocHost((void **)&numbers, NUMBERS * sizeof *numbers));
  volatile unsigned int *const number = &numbers[next++ % NUMBERS];
  *number = 0;
  return number;
}

// The number of parts that are too large for a block, when all else is launched.
static unsigned int wait_for_parts(volatile unsigned int *host_parts) {
  while (*host_parts == 0 && cudaStreamQuery(0) == cudaErrorNotReady) {
  }
  CUDA_CHECK(cudaPeekAtLastError());
  return *host_parts == 0 ? 0 : *host_parts - 1;
}

// Sorts `parts` parts of a list that level number - 1 has left, MOST_PARTS at a time, and what they
// leave.
static void sort_parts(const Plan &plan, Part *part, unsigned int parts, Pairs input, Pairs output,
                       size_t n, int number) {
  const Pairs from = number % 2 == 1 ? output : input, to = number % 2 == 1 ? input : output;
  for (unsigned int done = 0; done < parts; done += MOST_PARTS) {
    const unsigned int now = parts - done < MOST_PARTS ? parts - done : 0u + MOST_PARTS;
    Level level = make_level(plan, now, n / parts + 1, true, number);
    void *const memory = allocate_level(&level, n);
    Results results = {};
    const size_t groups = (size_t)now << level.group_bits;
    void *const lists = allocate_results(&results, groups, n, plan.capacity);
    results.host_parts = fresh_host_number();
    level.part = part + done;
    CUDA_CHECK(cudaMemcpyAsync(level.parts, &now, sizeof now, cudaMemcpyHostToDevice, 0));
    launch_level(level, results, from, to, n, 0);
    launch_sort(plan.shape, input, output, results, most_listed(groups, n, plan.capacity), 0);
    const unsigned int again = wait_for_parts(results.host_parts);
    if (again > 0) sort_parts(plan, results.part, again, input, output, n, number + 1);
    scratch_free(lists);
    scratch_free(memory);
  }
}

// Sorts n >= 1 elements from `input`, which is overwritten, to `output`. fine_bits: 1 to 12, or 0;
// group_size: most elements of a group, or 0.
static void sort_by_ranges(Pairs input, Pairs output, unsigned int n, int fine_bits,
                           unsigned int group_size) {
  const Plan plan = make_plan(n, fine_bits, group_size, input.positions != NULL);
  if (n <= plan.capacity) {
    launch_sort(plan.shape, input, output, Results{}, 1, n);
    return;
  }
  Level level = make_level(plan, 1, n, plan.levels == 1, 0), next = {};
  size_t groups = (size_t)1 << level.group_bits;
  if (plan.levels > 1) {
    const unsigned int parts = 1u << level.group_bits;
    next = make_level(plan, parts, n / parts + 1, true, 1);
    groups += (size_t)parts << next.group_bits;
  }
  void *const memory = allocate_level(&level, n);
  void *const next_memory = plan.levels > 1 ? allocate_level(&next, n) : NULL;
  Results results = {}, first = {};
  void *const lists = allocate_results(&results, groups, n, plan.capacity);
  if (plan.levels > 1) {
    first = results;  // the parts of level 0 are those of level 1
    first.parts = next.parts;
    first.part = next.part;
    launch_level(level, first, input, output, n, n);
    results.host_parts = fresh_host_number();
    launch_level(next, results, output, input, n, 0);
  } else {
    results.host_parts = fresh_host_number();
    launch_level(level, results, input, output, n, n);
  }
  launch_sort(plan.shape, input, output, results, most_listed(groups, n, plan.capacity), 0);
  const unsigned int parts = wait_for_parts(results.host_parts);
  if (parts > 0) sort_parts(plan, results.part, parts, input, output, n, plan.levels);
  scratch_free(lists);
  if (next_memory != NULL) scratch_free(next_memory);
  scratch_free(memory);
}

#endif
