// Judges a sample of wide keys: finds the map that makes them even numbers, if there is one, and
// tells by the numbers' upper words whether they are even, as for keys of 32 bits.
#ifndef GSORT_KERNEL_WIDE_SAMPLE_CUH
#define GSORT_KERNEL_WIDE_SAMPLE_CUH

#include "gsort/block/evenness.cuh"
#include "gsort/block/varying_bits.cuh"
#include "gsort/kernel/wide_split.cuh"

// The upper words of the keys' numbers, by a map, which *map receives if there is one. All threads
// call it; false if the keys have no map by value.
template <int kEach>
static __device__ bool map_sample(const Wide (&key)[kEach], WideCode code, bool by_value,
                                  WideMap *map, unsigned int (&word)[kEach]) {
  __shared__ Wide ends[2][MAX_WARPS];
  __shared__ WideMap made;
  __shared__ bool is_made;
  Wide least, most;
  __syncthreads();
  find_ends(key, &least, &most, ends);
  if (threadIdx.x == 0) {
    is_made = !by_value || make_by_value(code, least, most, &made);
    if (!by_value) make_by_code(least, most, &made);
    if (is_made && map != NULL) *map = made;
  }
  __syncthreads();
  if (!is_made) return false;
#pragma unroll
  for (int u = 0; u < kEach; u++)
    for_kind(made.kind, [&](auto kind) {
      word[u] = (unsigned int)(number_of<decltype(kind)::kind>(made, key[u]) >> 32);
    });
  return true;
}

// Whether samples of 16 stretches of the input spread alike over 16 parts of all numbers: 32 are
// expected, 70 exceed that by more than six standard deviations. All threads call it.
static __device__ bool even_everywhere(const unsigned int (&word)[SAMPLE_EACH]) {
  constexpr unsigned int kStretches = 16, kMost = 70;
  __shared__ unsigned int count[kStretches << GROUP_BITS];
  static_assert(SAMPLE_THREADS * SAMPLE_EACH == 32 * (kStretches << GROUP_BITS), "32 are expected");
  __syncthreads();
  if (threadIdx.x < kStretches << GROUP_BITS) count[threadIdx.x] = 0;
  __syncthreads();
  const unsigned int stretch = threadIdx.x / (SAMPLE_THREADS / kStretches);
#pragma unroll
  for (int u = 0; u < SAMPLE_EACH; u++)
    atomicAdd(&count[(stretch << GROUP_BITS) + (word[u] >> (32 - GROUP_BITS))], 1u);
  __syncthreads();
  const bool many = threadIdx.x < kStretches << GROUP_BITS && count[threadIdx.x] > kMost;
  return __syncthreads_or(many) == 0;
}

// Whether most keys have few bits that are 1, or few that are 0, in the lower word and in the bits
// from 20 to 51, all of which a double has for its fraction, as the AND of random numbers has.
// Between any splitters such keys crowd together, so that no map of a bucket spreads them. All
// threads call it.
static __device__ bool keys_crowd(const Wide (&key)[SAMPLE_EACH]) {
  const auto is_sparse = [](unsigned int word) {
    const int ones = __popc((int)word), fewer = min(ones, 32 - ones);
    return fewer > 0 && fewer < 12;  // of random words, one of nine
  };
  int sparse = 0;
#pragma unroll
  for (int u = 0; u < SAMPLE_EACH; u++)
    sparse += is_sparse((unsigned int)key[u]) && is_sparse((unsigned int)(key[u] >> 20));
  return __syncthreads_count(sparse > SAMPLE_EACH / 2) > SAMPLE_THREADS / 2;
}

// The finding about the sample by the first of the maps that makes it even, for thread 0, with the
// words by the last one that was tried. The block that judges_first writes *map. The other one need
// not ask whether the keys of the only map are even. All threads call it.
static __device__ unsigned int judge_maps(const Wide (&key)[SAMPLE_EACH], size_t n, WideCode code,
                                          float capacity, bool judges_first, WideMap *map,
                                          Findings *findings, unsigned int (&word)[SAMPLE_EACH]) {
  __shared__ unsigned int judged;
  const bool is_float = code.negative != 0;
  for (int by_value = is_float ? 1 : 0; by_value >= 0; by_value--) {
    if (!map_sample(key, code, by_value == 1, judges_first ? map : NULL, word)) continue;
    if (!judges_first && !is_float) return EVEN;
    const unsigned int mine =
        judge_sample<false, false, false>(word, n, capacity, findings, &findings->ignored);
    if (threadIdx.x == 0) judged = mine;
    __syncthreads();
    const bool even = judged == EVEN;
    __syncthreads();
    if (even) return EVEN;
  }
  return UNEVEN;
}

// So few digits of bits that vary need no splitters, but of many bare keys.
enum { FEW_DIGITS = 5, FEW_DIGITS_OF_FLOATS = 3, SPLITTERS_FROM = 6000000 };
// Up to that many pairs need none either, if some agree in the first bits and so crowd in the bins
// of a bucket (LOG.md).
enum { CROWDED_PAIRS_UP_TO = 4200000 };

// The first cluster of `loading` blocks judges a sample, and the second one, at the same time, asks
// whether keys that pass for even are; all blocks prepare the regions of both steps. first_sample
// and second_sample receive EVEN, UNEVEN, SPARSE or HEAVY. capacity: keys of a group of GROUP_BITS
// first bits that the first regions can hold. pairs: if_in_order is told of keys that are even, but
// not in each part of the input.
[[maybe_unused]] static __global__ void __launch_bounds__(SAMPLE_THREADS)
    sample_wide(const Wide *keys, size_t n, WideCode code, unsigned int loading,
                ClusterSample<Wide> *samples, float capacity, bool pairs, Finding if_in_order,
                WideRegions parts, unsigned int part_count, WideRegions regions,
                unsigned int region_count, WideMap *map, Findings *findings) {
  wait_for_previous_kernel();
  for (size_t b = (size_t)blockIdx.x * blockDim.x + threadIdx.x; b < region_count;
       b += (size_t)gridDim.x * blockDim.x) {
    regions.up[b] = (unsigned int)b * regions.capacity;
    regions.down[b] = (unsigned int)(b + 1) * regions.capacity;
    if (b >= part_count) continue;
    parts.up[b] = (unsigned int)b * parts.capacity;
    parts.down[b] = (unsigned int)(b + 1) * parts.capacity;
  }
  const unsigned int cluster = blockIdx.x / loading;
  Wide key[SAMPLE_EACH], next;
  if (cluster > 1 || !load_cluster_sample(keys, n, code, 0, &samples[cluster], loading, key, &next))
    return;
  const bool judges_first = cluster == 0, same_next = next == key[0];
  if (judges_first) clear_findings(findings);
  unsigned int word[SAMPLE_EACH];  // of the last map, or the first bits if there is none
#pragma unroll
  for (int u = 0; u < SAMPLE_EACH; u++) word[u] = (unsigned int)(key[u] >> 32);
  unsigned int finding = judge_maps(key, n, code, capacity, judges_first, map, findings, word);
  if (!judges_first && finding == EVEN) {
    // 1,024 regions hardly fill up if two or three keys are equal; the regions of two steps do.
    const float most_equals = part_count == 0 ? 3.5f : MOST_EQUALS_BARE;
    finding = judge_second_sample(word, same_next ? word[0] : ~word[0], n, 1, false, most_equals,
                                  findings);
    const bool in_order = pairs && !even_everywhere(word);
    if (finding == EVEN && in_order) finding = if_in_order;
  }
  // A -0 has to equal +0, which only sweeps can do.
  bool minus_zero = false;
#pragma unroll
  for (int u = 0; u < SAMPLE_EACH; u++)
    minus_zero |= code.negative != 0 && key[u] == encode(code, WIDE_MINUS_ZERO);
  minus_zero = __syncthreads_or(minus_zero) != 0;
  const bool uneven =
      __syncthreads_or(threadIdx.x == 0 && finding != EVEN && finding != IN_ORDER) != 0;
  if (uneven) {
    const unsigned int most_digits =
        digits_for_sweeps(key, !pairs && n >= SPLITTERS_FROM ? 0
                               : code.negative != 0          ? FEW_DIGITS_OF_FLOATS
                                                             : FEW_DIGITS);
    if (most_digits > 0 && threadIdx.x == 0) findings->most_digits = most_digits;
    __shared__ unsigned int slot[SAMPLE_THREADS];
    const bool some_agree = pairs && n <= CROWDED_PAIRS_UP_TO && estimate_equals(word, n, slot) > 1;
    finding = most_digits > 0 ? SPARSE : some_agree || keys_crowd(key) ? HEAVY : UNEVEN;
  }
  if (minus_zero) finding = HEAVY;
  if (threadIdx.x == 0)
    *(judges_first ? &findings->first_sample : &findings->second_sample) = finding;
}

#endif
