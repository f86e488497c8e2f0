// mppsort: many partitions at once by ranges of keys, then a bitonic sort inside each.
//
// Build:    make mppsort
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm --set partitions=256
// New here: the keys between the least and the greatest are divided into up to 1,024 ranges of
//           equal width; one pass moves every element to the partition of its range; then each
//           partition is sorted by one block, in shared memory, by a bitonic sort that takes any
//           length. Why: every element moves twice, where an 8-bit radix sort moves it four times.
//           Beyond the report: partitions too large for a block, because there are many elements
//           or because the keys are not uniform, are partitioned again between their least
//           and greatest key, all of them in the same launches.
// Lesson:   equal ranges are equal work only if the keys are uniform. A radix sort uses every bit
//           of each key, so the distribution of the keys hardly matters to it.
#include "common/block_bitonic.cuh"
#include "common/check.h"
#include "common/device.h"
#include "common/knobs.h"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"
#include "mppsort/partition.cuh"
#include "mppsort/segments.cuh"

static const char *const stages[] = {"histogram", "scan", "vertical_scan",
                                     "partition", "sort", NULL};
static const SortKnob knobs[] = {
    {"partitions", 1024, 2, 1024, "most partitions of a segment; threads per block of the scan"},
    {"partitionSize", 1024, 32, 8192, "elements per partition to aim at"},
    {"sortSize", 9216, 32, 28672, "largest partition to sort (less where shared memory is less)"},
    {"blocksPerSM", 2, 1, 16, "blocks of the histogram and partition kernels, for each SM"},
    {"blockSize", 1024, 32, 1024, "threads per block of the histogram and partition kernels"},
    {"blockSort", 512, 32, 1024, "threads per block of the bitonic sort"},
    {"nBlocks", 1024, 1, 65535, "partitions that are sorted at a time, a block each"},
    {"steps", 3, 1, MAX_BITONIC_STEPS, "steps of the bitonic network per visit to shared memory"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "mppsort",
    .title = "multi-partition sort: equal ranges of keys, a bitonic sort inside each",
    .source = "the CUDA-MPPSort report",
    .stable = false,
    .max_n = UINT32_MAX,
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 0.1,  // the lists of segments and partitions
    .scratch_per_pair = 0.1,
};

// ---- kernel 5: sort -----------------------------------------------------------------------------

// Each block sorts every gridDim.x-th partition.
template <int STEPS, bool PAIRS>
static __global__ void __launch_bounds__(1024)
    sort_partitions(Pairs from, Pairs to, const unsigned int *start, const unsigned int *hist,
                    unsigned int partitions, unsigned int sort_size, unsigned int tile_size) {
  extern __shared__ unsigned int shared[];  // tile_size keys, then positions
  const Pairs tile = {shared, shared + tile_size};
  for (unsigned int p = blockIdx.x; p < partitions; p += gridDim.x) {
    const unsigned int length = hist[p];
    if (length == 0 || length > sort_size) continue;
    fetch_tile<PAIRS>(tile, from, start[p], length);
    block_bitonic_sort<STEPS, PAIRS>(tile, length);
    store_tile<PAIRS>(to, start[p], tile, length);
    __syncthreads();
  }
}

template <int STEPS, bool PAIRS>
static void sort_level(Pairs from, Pairs to, const unsigned int *d_start,
                       const unsigned int *d_hist, unsigned int partitions,
                       unsigned int sort_size) {
  const unsigned int n_blocks = (unsigned int)knob("nBlocks");
  const unsigned int tile_size = ceil_div(sort_size, 32) * 32;
  const size_t bytes = tile_bytes(tile_size, PAIRS);
  allow_shared_memory(sort_partitions<STEPS, PAIRS>, bytes);
  sort_partitions<STEPS, PAIRS><<<min(partitions, n_blocks), knob("blockSort"), bytes>>>(
      from, to, d_start, d_hist, partitions, sort_size, tile_size);
  LAUNCH_CHECK();
}

typedef void (*SortLevel)(Pairs from, Pairs to, const unsigned int *d_start,
                          const unsigned int *d_hist, unsigned int partitions,
                          unsigned int sort_size);
static const SortLevel sort_levels[MAX_BITONIC_STEPS][2] = {
    {sort_level<1, false>, sort_level<1, true>},
    {sort_level<2, false>, sort_level<2, true>},
    {sort_level<3, false>, sort_level<3, true>},
};

// ---- all levels ---------------------------------------------------------------------------------

// Scratch memory, enough for any level.
typedef struct Workspace {
  WorkList list, next;
  LevelSize *next_size;  // in front of hist, so that both are zeroed at once
  unsigned int *hist;    // elements of each partition
  unsigned int *start;   // where each partition starts
  unsigned int *segment_of_partition;
  unsigned int *matrix;
} Workspace;

static unsigned int *alloc_uints(size_t count) {
  return (unsigned int *)scratch_alloc(count * sizeof(unsigned int));
}

// A level has at most one segment per sort_size elements. Each segment has at most one tile and one
// partition more than its length divided by theirs.
static Workspace workspace_alloc(size_t n, Plan plan) {
  const size_t segments = n / plan.sort_size + 1, tiles = n / plan.tile + segments;
  const size_t partitions = n / plan.partition_size + segments;
  const size_t cells = n / plan.tile * plan.most_partitions + partitions;
  Workspace w;
  w.list.segments = (Segment *)scratch_alloc(segments * sizeof(Segment));
  w.next.segments = (Segment *)scratch_alloc(segments * sizeof(Segment));
  w.list.segment_of_tile = alloc_uints(tiles);
  w.next.segment_of_tile = alloc_uints(tiles);
  w.next_size = (LevelSize *)scratch_alloc(sizeof(LevelSize) + partitions * sizeof(unsigned int));
  w.hist = (unsigned int *)(w.next_size + 1);
  w.start = alloc_uints(partitions);
  w.segment_of_partition = alloc_uints(partitions);
  w.matrix = alloc_uints(cells);
  return w;
}

static void workspace_free(Workspace w) {
  scratch_free(w.matrix);
  scratch_free(w.segment_of_partition);
  scratch_free(w.start);
  scratch_free(w.next_size);
  scratch_free(w.next.segment_of_tile);
  scratch_free(w.list.segment_of_tile);
  scratch_free(w.next.segments);
  scratch_free(w.list.segments);
}

static Plan make_plan(size_t n, bool pairs) {
  const int multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
  const unsigned int blocks = (unsigned int)(multiprocessors * knob("blocksPerSM"));
  const unsigned int tile = ceil_div((unsigned int)n, blocks);
  const unsigned int sort_size = tile_that_fits((unsigned int)knob("sortSize"), pairs);
  const Plan plan = {max(tile, (unsigned int)knob("blockSize")),
                     min((unsigned int)knob("partitionSize"), sort_size),
                     (unsigned int)knob("partitions"), sort_size};
  return plan;
}

static __global__ void put_first_segment(WorkList list, unsigned int n, Plan plan) {
  const LevelSize nothing = {0, 0, 0, 0};
  put_segment(list, nothing, 0, n, plan);
}

// Runs the five kernels on all segments of a level; w.next holds the segments of the next level.
static void do_level(Workspace w, LevelSize size, Plan plan, Pairs from, Pairs to, Pairs output) {
  const int block_size = knob("blockSize");
  const size_t counters = plan.most_partitions * sizeof(unsigned int);

  stage_start("histogram");
  CUDA_CHECK(cudaMemsetAsync(w.next_size, 0,
                             sizeof(LevelSize) + size.partitions * sizeof(unsigned int), 0));
  find_range<<<size.tiles, block_size>>>(w.list, plan, from.keys);
  LAUNCH_CHECK();
  count_partitions<<<size.tiles, block_size, counters>>>(w.list, plan, from.keys, w.hist, w.matrix);
  LAUNCH_CHECK();
  stage_stop();

  stage_start("scan");
  scan_histogram<<<size.segments, plan.most_partitions>>>(
      w.list, plan, w.hist, w.start, w.segment_of_partition, w.next, w.next_size);
  LAUNCH_CHECK();
  stage_stop();

  stage_start("vertical_scan");
  enum { BLOCK = 256 };
  scan_vertically<<<blocks_for(size.partitions, BLOCK / WARP_SIZE), BLOCK>>>(
      w.list, w.hist, w.start, w.segment_of_partition, w.matrix, size.partitions);
  LAUNCH_CHECK();
  stage_stop();

  stage_start("partition");
  move_to_partitions<<<size.tiles, block_size, counters>>>(w.list, plan, from, to, w.matrix,
                                                           to.keys == output.keys);
  LAUNCH_CHECK();
  stage_stop();

  stage_start("sort");
  sort_levels[knob("steps") - 1][output.positions != NULL](to, output, w.start, w.hist,
                                                           size.partitions, plan.sort_size);
  stage_stop();
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const unsigned int n = (unsigned int)numElems;
  const Pairs output = {d_outputVals, d_outputPos};
  Pairs from = {d_inputVals, d_inputPos}, to = output;
  const Plan plan = make_plan(n, d_inputPos != NULL);
  Workspace w = workspace_alloc(n, plan);
  put_first_segment<<<1, 1>>>(w.list, n, plan);
  LAUNCH_CHECK();

  LevelSize size = size_of_segment(n, plan);
  while (size.segments > 0) {
    do_level(w, size, plan, from, to, output);
    if (n <= plan.sort_size) break;  // no partition was too large for a block
    CUDA_CHECK(cudaMemcpy(&size, w.next_size, sizeof size, cudaMemcpyDeviceToHost));
    swap_pairs(&from, &to);
    const WorkList done = w.list;
    w.list = w.next;
    w.next = done;
  }
  workspace_free(w);
}
