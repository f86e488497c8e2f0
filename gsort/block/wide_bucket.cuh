// Sorts the wide codes of a bucket in a block. Whole codes wait in shared memory by their place in
// the bucket. Words of 32 bits, the next bits of a code's number above its place, go to bins of
// about two, which a thread sorts. Words whose bits are equal are in order already unless the whole
// codes say otherwise; then these are compared.
//
//   codes       7a91.. 7a13.. 7a98..     words  91.0 13.1 98.2     sorted  13.1 91.0 98.2
//   fetched by place                     7a13.. 7a91.. 7a98..
//
// A block with a crowded bin merges whole codes.
#ifndef GSORT_BLOCK_WIDE_BUCKET_CUH
#define GSORT_BLOCK_WIDE_BUCKET_CUH

#include "gsort/block/bins.cuh"
#include "gsort/block/wide_map.cuh"
#include "gsort/block/wide_merge.cuh"
#include "gsort/warp/small_sorts.cuh"

enum { CROWDED = 32 };  // words of a bin, up to which a thread sorts it

template <int kBlockThreads, int kItems, int kBits>
struct WideBucketShared {
  static constexpr int kThreads = kBlockThreads, kBinBits = kBits;
  static constexpr int kCapacity = kThreads * kItems, kPlaceBits = kCapacity <= 1 << 12   ? 12
                                                                   : kCapacity <= 1 << 13 ? 13
                                                                                          : 14;
  static constexpr unsigned int kPlaces = (1u << kPlaceBits) - 1;  // the part of a word for a place
  Wide code[kThreads * kItems];
  unsigned int word[kThreads * kItems];
  __align__(16) unsigned int bin[1 << kBinBits];  // counts; then where a bin begins
  unsigned int sums[MAX_WARPS], ignored[1];
};

template <int kThreads, int kItems, int kBinBits, class Value>
struct WidePairShared : WideBucketShared<kThreads, kItems, kBinBits> {
  Value value[kThreads * kItems];
};

// Values to the places of their keys.
template <int kThreads, int kItems, class Value, class Shared>
static __device__ __forceinline__ void put_values(Shared &shared, const Value (&value)[kItems],
                                                  unsigned int count) {
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int p = threadIdx.x + u * kThreads;
    if (p < count) shared.value[p] = value[u];
  }
}

// Sorts words[0..count) by insertion: by whole codes, then by place.
template <int kPlaceBits>
static __device__ __forceinline__ void insert_by_code(unsigned int *words, unsigned int count,
                                                      const Wide *code) {
  constexpr unsigned int kPlaces = (1u << kPlaceBits) - 1;
  for (unsigned int i = 1; i < count; i++) {
    const unsigned int word = words[i];
    const Wide mine = code[word & kPlaces];
    unsigned int to = i;
    for (; to > 0 && code[words[to - 1] & kPlaces] > mine; to--) words[to] = words[to - 1];
    words[to] = word;
  }
}

template <int kPlaceBits>
static __device__ __forceinline__ bool codes_in_order(const unsigned int *words, unsigned int count,
                                                      const Wide *code) {
  constexpr unsigned int kPlaces = (1u << kPlaceBits) - 1;
  for (unsigned int i = 1; i < count; i++)
    if ((words[i - 1] ^ words[i]) >> kPlaceBits == 0 &&
        code[words[i - 1] & kPlaces] > code[words[i] & kPlaces])
      return false;
  return true;
}

// Sorts words[0..count), count <= kSlots. Returns how many equal the one in front of them, but for
// their places.
template <int kPlaceBits, int kSlots>
static __device__ __forceinline__ int sort_few_words(unsigned int *words, unsigned int count) {
  unsigned int sorted[kSlots];
  sort_few<kSlots>(words, (int)count, sorted);
  int ties = 0;
#pragma unroll
  for (unsigned int i = 1; i < kSlots; i++)
    ties += i < count && (sorted[i - 1] ^ sorted[i]) >> kPlaceBits == 0;
  return ties;
}

// Sorts the words of each bin that is not crowded. bin[b] is where bin b begins; all: number of
// words; exact: words of unequal codes differ. False if some bin is left unsorted:
// it has equal words of unequal codes, and more of them than a thread should sort by insertion.
template <int kPlaceBits, int kThreads, int kItems, int kBinBits>
static __device__ __forceinline__ bool sort_wide_bins(
    WideBucketShared<kThreads, kItems, kBinBits> &shared, unsigned int all, bool exact) {
  constexpr unsigned int kBins = 1u << kBinBits, kMostToInsert = 16;
  constexpr int kMostTies = 6;
  bool done = true;
#pragma unroll 1
  for (unsigned int b = threadIdx.x; b < kBins; b += kThreads) {
    const unsigned int first = shared.bin[b],
                       count = (b + 1 < kBins ? shared.bin[b + 1] : all) - first;
    if (count < 2 || count > CROWDED) continue;  // of equal codes
    unsigned int *const words = &shared.word[first];
    int ties;
    if (count <= 4)
      ties = sort_few_words<kPlaceBits, 4>(words, count);
    else if (count <= 8)
      ties = sort_few_words<kPlaceBits, 8>(words, count);
    else if (count <= 16)
      ties = sort_few_words<kPlaceBits, 16>(words, count);
    else
      ties = sort_few_words<kPlaceBits, 32>(words, count);
    if (ties == 0 || exact || codes_in_order<kPlaceBits>(words, count, shared.code)) continue;
    if (count <= kMostToInsert && ties <= kMostTies)
      insert_by_code<kPlaceBits>(words, count, shared.code);
    else
      done = false;
  }
  return done;
}

// Sorts codes by merging, for crowded bins. Of pairs, places go with them: equal codes stay in
// their order. Value: None for bare keys.
template <int kItems, class Value, class Shared>
static __device__ __forceinline__ void sort_by_merging(Shared &shared, unsigned int count) {
  constexpr int kThreads = Shared::kThreads;
  if constexpr (IS_NONE<Value>)
    merge_sort_codes<kThreads, kItems>(shared.code, (None *)NULL, count);
  for (unsigned int p = threadIdx.x; p < count; p += kThreads) shared.word[p] = p;
  __syncthreads();
  if constexpr (!IS_NONE<Value>) {
    merge_sort_codes<kThreads, kItems>(shared.code, shared.word, count);
    // Each code back to its place, where the word looks for it.
    Wide code[kItems] = {};
#pragma unroll
    for (int u = 0; u < kItems; u++)
      if (threadIdx.x + u * kThreads < count) code[u] = shared.code[threadIdx.x + u * kThreads];
    __syncthreads();
#pragma unroll
    for (int u = 0; u < kItems; u++)
      if (threadIdx.x + u * kThreads < count)
        shared.code[shared.word[threadIdx.x + u * kThreads]] = code[u];
    __syncthreads();
  }
}

// Whether some crowded bin has unequal codes. All threads call it, with their codes and words.
template <int kThreads, int kMost, int kBinBits, int kItems>
static __device__ __forceinline__ bool has_unequal_crowd(
    const WideBucketShared<kThreads, kMost, kBinBits> &shared, const Wide (&mine)[kItems],
    const unsigned int (&word)[kItems], unsigned int count) {
  bool unequal = false;
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    if (threadIdx.x + u * kThreads >= count) break;
    const unsigned int b = word[u] >> (32 - kBinBits), first = shared.bin[b],
                       end = b + 1 < 1u << kBinBits ? shared.bin[b + 1] : count;
    unequal |= end - first > CROWDED && mine[u] != shared.code[shared.word[first] & shared.kPlaces];
  }
  return __syncthreads_or(unequal) != 0;
}

// word[u]: of mine[u], the 32 bits behind the first `bits` of its number.
template <MapKind kKind, int kItems>
static __device__ __forceinline__ void find_words(const WideMap &map, const Wide (&mine)[kItems],
                                                  int bits, unsigned int (&word)[kItems]) {
#pragma unroll
  for (int u = 0; u < kItems; u++) word[u] = word_behind(number_of<kKind>(map, mine[u]), bits);
}

// Puts codes into shared memory, mine[u] to place threadIdx.x + u * kThreads if that is below
// `count`, and sorts their words: then the lowest kPlaceBits of shared.word[i] are the place of the
// code that comes i-th. Of pairs, equal codes stay in the order of places. exact: of
// sort_wide_bins(). All threads call it after a barrier; shared.bin is 0 before.
template <class Value, int kItems, class Shared>
static __device__ __forceinline__ void sort_codes(Shared &shared, const Wide (&mine)[kItems],
                                                  const unsigned int (&word)[kItems],
                                                  unsigned int count, bool exact = false) {
  constexpr int kThreads = Shared::kThreads, kBinBits = Shared::kBinBits,
                kPlaceBits = Shared::kPlaceBits;
  constexpr unsigned int kPlaces = (1u << kPlaceBits) - 1;
  unsigned int rank[(kItems + 1) / 2] = {};  // two in a register
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int p = threadIdx.x + u * kThreads;
    if (p >= count) continue;
    rank[u / 2] |= atomicAdd(&shared.bin[word[u] >> (32 - kBinBits)], 1u) << u % 2 * 16;
    shared.code[p] = mine[u];
  }
  __syncthreads();
  const unsigned int largest =
      scan_counters<(1 << kBinBits) / kThreads>(shared.bin, shared.sums, 1, shared.ignored, 0);
  const bool is_crowded = __syncthreads_or(largest > CROWDED) != 0;
  if (is_crowded && !IS_NONE<Value>) {
    sort_by_merging<kItems, Value>(shared, count);
    return;
  }
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int p = threadIdx.x + u * kThreads;
    if (p >= count) continue;
    const unsigned int to =
        shared.bin[word[u] >> (32 - kBinBits)] + (rank[u / 2] >> u % 2 * 16 & 0xffffu);
    shared.word[to] = (word[u] << kBinBits & ~kPlaces) | p;
  }
  __syncthreads();
  if (is_crowded && has_unequal_crowd(shared, mine, word, count)) {
    sort_by_merging<kItems, Value>(shared, count);
    return;
  }
  if (!__syncthreads_and(sort_wide_bins<kPlaceBits>(shared, count, exact)))
    sort_by_merging<kItems, Value>(shared, count);
}

// Writes a sorted bucket of at most kItems * kThreads codes to out[to..). Lines of memory are
// written as wholes.
template <int kItems, class Value, class Shared>
static __device__ __forceinline__ void write_sorted_bucket(const Shared &shared, unsigned int count,
                                                           Wide *out, Value *out_values,
                                                           unsigned int to, WideCode code) {
  const unsigned int lead = to % 16;
  const size_t first = (size_t)to - lead + threadIdx.x;
  Wide *const my_keys = opaque_address(out + first);
  [[maybe_unused]] Value *const my_values = opaque_address(out_values + first);
#pragma unroll
  for (int u = 0; u <= kItems; u++) {
    const unsigned int i = threadIdx.x + u * Shared::kThreads - lead;
    if (i >= count) continue;  // also in front of the bucket
    const unsigned int p = shared.word[i] & Shared::kPlaces;
    __stcs(&my_keys[u * Shared::kThreads], decode(code, shared.code[p]));
    if constexpr (!IS_NONE<Value>) __stcs(&my_values[u * Shared::kThreads], shared.value[p]);
  }
}

#endif
