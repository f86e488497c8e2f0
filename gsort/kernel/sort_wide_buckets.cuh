// A block per bucket of wide keys. Whole codes wait in shared memory by their place in the bucket.
// Words of 32 bits, the next bits of a code's number above its place, go to bins of about two,
// which a thread sorts. Words whose bits are equal are in order already unless the whole codes say
// otherwise; then these are compared.
//
//   codes       7a91.. 7a13.. 7a98..     words  91.0 13.1 98.2     sorted  13.1 91.0 98.2
//   fetched by place                     7a13.. 7a91.. 7a98..
//
// A block with a crowded bin sorts places by whole codes, by a merge exchange. Moves 16 bytes a
// key.
#ifndef GSORT_KERNEL_SORT_WIDE_BUCKETS_CUH
#define GSORT_KERNEL_SORT_WIDE_BUCKETS_CUH

#include "gsort/block/bins.cuh"
#include "gsort/kernel/wide_split.cuh"
#include "gsort/warp/small_sorts.cuh"

enum { CROWDED = 32 };  // words of a bin, up to which a thread sorts it

template <int kThreads, int kItems, int kBinBits>
struct WideBucketShared {
  static constexpr int kCapacity = kThreads * kItems, kPlaceBits = kCapacity <= 1 << 12   ? 12
                                                                   : kCapacity <= 1 << 13 ? 13
                                                                                          : 14;
  static constexpr unsigned int kPlaces = (1u << kPlaceBits) - 1;  // the part of a word for a place
  Wide code[kThreads * kItems];
  unsigned int word[kThreads * kItems];
  unsigned int bin[1 << kBinBits];  // counts; then where a bin ends
  unsigned int sums[MAX_WARPS], ignored[1];
};

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

// Sorts the words of each bin; bin[b] is where those of bin b end.
template <int kPlaceBits, int kThreads, int kItems, int kBinBits>
static __device__ __forceinline__ void sort_wide_bins(
    WideBucketShared<kThreads, kItems, kBinBits> &shared) {
#pragma unroll 1
  for (unsigned int b = threadIdx.x; b < 1u << kBinBits; b += kThreads) {
    const unsigned int first = b == 0 ? 0 : shared.bin[b - 1], count = shared.bin[b] - first;
    if (count < 2) continue;
    unsigned int *const words = &shared.word[first];
    if (count <= 4)
      sort_few<4>(words, (int)count);
    else if (count <= 8)
      sort_few<8>(words, (int)count);
    else
      sort_by_insertion(words, (int)count);
    if (!codes_in_order<kPlaceBits>(words, count, shared.code))
      insert_by_code<kPlaceBits>(words, count, shared.code);
  }
}

// Batcher's merge exchange by a block (Knuth, "The Art of Computer Programming" 3, 5.2.2, algorithm
// M): sorts place[0..count) by their codes and then as numbers, whatever the codes are.
template <int kThreads>
static __device__ void merge_exchange_places(unsigned int *place, const Wide *code,
                                             unsigned int count) {
  if (count < 2) return;
  const unsigned int top = 1u << (31 - __clz((int)(count - 1)));
  for (unsigned int p = top; p > 0; p /= 2) {
    unsigned int r = 0, d = p;
    for (unsigned int q = top;; q /= 2) {
      __syncthreads();
      for (unsigned int i = threadIdx.x; i + d < count; i += kThreads) {
        if ((i & p) != r) continue;
        const unsigned int a = place[i], b = place[i + d];
        const Wide code_a = code[a], code_b = code[b];
        if (code_a < code_b || (code_a == code_b && a < b)) continue;
        place[i] = b;
        place[i + d] = a;
      }
      if (q == p) break;
      d = q - p;
      r = p;
    }
  }
  __syncthreads();
}

// Puts codes into shared memory, mine[u] to place threadIdx.x + u * kThreads if that is below
// `count`, and sorts their words: then the lowest kPlaceBits of word[i] are the place of the code
// that comes i-th. Equal codes stay in the order of places. bits: of a number, by which the buckets
// are numbered. All threads call it after a barrier; shared.bin is 0 before.
template <bool kByValue, int kThreads, int kItems, int kBinBits>
static __device__ __forceinline__ void sort_codes(
    WideBucketShared<kThreads, kItems, kBinBits> &shared, const Wide (&mine)[kItems],
    unsigned int count, const WideMap &map, int bits) {
  constexpr int kPlaceBits = WideBucketShared<kThreads, kItems, kBinBits>::kPlaceBits;
  constexpr unsigned int kPlaces = (1u << kPlaceBits) - 1;
  unsigned int word[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int p = threadIdx.x + u * kThreads;
    word[u] = 0;
    if (p >= count) continue;
    word[u] = word_behind(number_of<kByValue>(map, mine[u]), bits);
    atomicAdd(&shared.bin[word[u] >> (32 - kBinBits)], 1u);
    shared.code[p] = mine[u];
  }
  __syncthreads();
  const unsigned int largest =
      scan_counters<(1 << kBinBits) / kThreads>(shared.bin, shared.sums, 1, shared.ignored, 0);
  if (__syncthreads_or(largest > CROWDED) != 0) {
    for (unsigned int p = threadIdx.x; p < count; p += kThreads) shared.word[p] = p;
    merge_exchange_places<kThreads>(shared.word, shared.code, count);
    return;
  }
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int p = threadIdx.x + u * kThreads;
    if (p >= count) continue;
    const unsigned int to = atomicAdd(&shared.bin[word[u] >> (32 - kBinBits)], 1u);
    shared.word[to] = (word[u] << kBinBits & ~kPlaces) | p;
  }
  __syncthreads();
  sort_wide_bins<kPlaceBits>(shared);
  __syncthreads();
}

// bits: of a number, by which the buckets are numbered; start: where each begins in the output.
template <int kThreads, int kItems, int kBinBits, int kBlocksPerSm, bool kByValue>
static __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    sort_wide_buckets(WideRegions regions, const unsigned int *start, int bits, Wide *out,
                      WideCode code, const WideMap *map_of_keys, Findings *findings) {
  typedef WideBucketShared<kThreads, kItems, kBinBits> Shared;
  constexpr unsigned int kBins = 1u << kBinBits;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  Shared &shared = *(Shared *)shared_memory;
  for (unsigned int b = threadIdx.x; b < kBins; b += kThreads) shared.bin[b] = 0;
  wait_for_previous_kernel();
  if (findings->first_sample != EVEN || findings->second_sample != EVEN || findings->stop != 0)
    return;
  const WideMap map = *map_of_keys;
  if (map.by_value != kByValue) return;
  const unsigned int base = blockIdx.x * regions.capacity, in_front = regions.up[blockIdx.x] - base,
                     down = regions.down[blockIdx.x],
                     count = in_front + (base + regions.capacity - down);
  const Wide *const memory = regions.of(blockIdx.x);
  Wide mine[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int p = threadIdx.x + u * kThreads;
    if (p < count) mine[u] = __ldcs(&memory[p < in_front ? base + p : down + p - in_front]);
  }
  __syncthreads();
  sort_codes<kByValue>(shared, mine, count, map, bits);
  const unsigned int to = start[blockIdx.x], lead = to % 16;
#pragma unroll 4
  for (unsigned int i = threadIdx.x; i < count + lead; i += kThreads) {
    if (i < lead) continue;
    const Wide sorted = shared.code[shared.word[i - lead] & Shared::kPlaces];
    __stcs(&out[(size_t)to - lead + i], is_plain(code) ? sorted : decode(code, sorted));
  }
}

#endif
