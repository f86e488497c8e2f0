// Few elements, in one launch: an element's place is the number of elements before it. Each block
// counts for kOwn elements of its own, which it sorts; every other element of the input is looked
// up among them.
//
//   own      30 10 20      sorted 10 20 30
//   others   25 10 40 5    looked up 2 1 3 0 (number of own elements before it)
//   so before 10 there is one other (5), before 20 two (10, too), before 30 three (25, too):
//   places   10 -> 0 + 1, 20 -> 1 + 2, 30 -> 2 + 3
//
// Equal keys count by their index, so the sort is stable. The time does not depend on the keys.
// Source: D. E. Muller and F. P. Preparata, "Bounds to Complexities of Networks for Sorting and for
// Switching", Journal of the ACM 22(2), 1975: sorting by enumeration.
#ifndef GSORT_KERNEL_RANK_CUH
#define GSORT_KERNEL_RANK_CUH

#include "gsort/block/digits.cuh"
#include "gsort/block/overlap.cuh"
#include "gsort/warp/scan.cuh"

enum { RANK_THREADS = 1024 };  // as many warps as a warp has lanes

template <int kOwn, class Key = unsigned int>
struct RankShared {
  Key key[kOwn];  // the block's own elements, sorted
  unsigned int value[kOwn];
  // [j * WARP_SIZE + lane]: others that come before own element j, but after j - 1. A counter for
  // each lane: no two lanes of a warp meet, whatever the keys.
  unsigned int others[kOwn * WARP_SIZE];
  unsigned int of_warp[MAX_WARPS];
};

// Elements of an array, as what is ranked.
struct ElementsOf {
  Elements in;
  __device__ __forceinline__ unsigned int key(unsigned int i) const { return in.keys[i]; }
  __device__ __forceinline__ unsigned int value(unsigned int i) const { return in.values[i]; }
};

// An array as where they go.
template <bool kPairs>
struct PlacesOf {
  Elements out;
  __device__ __forceinline__ void put(unsigned int place, unsigned int key,
                                      unsigned int value) const {
    out.keys[place] = key;
    if (kPairs) out.values[place] = value;
  }
};

// Keys of any type, by the bits that count: ranked with their indices as values.
template <class Key, class NumberOf>
struct CodesOf {
  const Key *keys;
  NumberOf number_of;
  __device__ __forceinline__ Key key(unsigned int i) const { return number_of(keys[i]); }
  __device__ __forceinline__ unsigned int value(unsigned int i) const { return i; }
};

// Where they go: keys and values are fetched by index. values: NULL: none, or, if there are
// out_values, indices.
template <class Key, class Value>
struct PlacesByIndex {
  const Key *keys;
  const Value *values;
  Key *out_keys;
  Value *out_values;
  static PlacesByIndex of(Elements in, Elements out) {
    return {(const Key *)in.keys, (const Value *)in.values, (Key *)out.keys, (Value *)out.values};
  }
  __device__ __forceinline__ void put(unsigned int place, Key, unsigned int index) const {
    out_keys[place] = keys[index];
    if (out_values != NULL) out_values[place] = values == NULL ? (Value)index : values[index];
  }
};

// Sorts the block's own elements, from index `first` on, by the same method; those behind n become
// the largest keys. A warp places one element at a time.
template <int kOwn, bool kPairs, class Key, class Source>
static __device__ __forceinline__ void sort_own(RankShared<kOwn, Key> &shared, Source in,
                                                unsigned int first, unsigned int n) {
  constexpr int kEach = kOwn / WARP_SIZE;
  const unsigned int lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  Key key[kEach];
  unsigned int value[kEach];
#pragma unroll
  for (int g = 0; g < kEach; g++) {
    const unsigned int i = first + lane + g * WARP_SIZE;
    key[g] = i < n ? in.key(i) : ~(Key)0;
    value[g] = kPairs && i < n ? in.value(i) : 0;
  }
#pragma unroll
  for (int g = 0; g < kEach; g++) {
    const Key mine = __shfl_sync(0xffffffffu, key[g], (int)warp);
    const unsigned int moved = kPairs ? __shfl_sync(0xffffffffu, value[g], (int)warp) : 0;
    unsigned int place = 0;
#pragma unroll
    for (int h = 0; h < kEach; h++) {
      const bool earlier = h < g || (h == g && lane < warp);
      const bool before = earlier ? key[h] <= mine : key[h] < mine;
      place += (unsigned int)__popc((int)__ballot_sync(0xffffffffu, before));
    }
    if (lane > 0) continue;
    shared.key[place] = mine;
    if (kPairs) shared.value[place] = moved;
  }
}

// Number of own keys less than `key`.
template <int kOwn, class Key>
static __device__ __forceinline__ unsigned int own_keys_below(const Key *own, Key key) {
  unsigned int below = 0;
#pragma unroll
  for (int step = kOwn / 2; step > 0; step /= 2)
    if (own[below + step - 1] < key) below += step;
  return below + (own[below] < key ? 1 : 0);
}

// Moves each of n elements to its place: block b those from index b * kOwn on.
template <int kRows, int kOwn, bool kPairs, class Key, class Source, class Places>
static __device__ __forceinline__ void rank_and_move(RankShared<kOwn, Key> &shared, Source in,
                                                     Places out, unsigned int n) {
  constexpr int kEach = kOwn / WARP_SIZE;  // own elements that a warp moves
  const unsigned int lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  const unsigned int first = blockIdx.x * kOwn;
#pragma unroll
  for (int i = 0; i < kEach; i++) shared.others[threadIdx.x + i * RANK_THREADS] = 0;
  wait_for_previous_kernel();
  Key key[kRows];
#pragma unroll
  for (int u = 0; u < kRows; u++) {
    const unsigned int i = threadIdx.x + u * RANK_THREADS;
    key[u] = i < n ? in.key(i) : 0;
  }
  sort_own<kOwn, kPairs>(shared, in, first, n);
  __syncthreads();
#pragma unroll
  for (int u = 0; u < kRows; u++) {
    const unsigned int i = threadIdx.x + u * RANK_THREADS;
    // An equal own key comes before those behind the block's own.
    const Key bound = key[u] + (i > first ? 1 : 0);
    const unsigned int below = own_keys_below<kOwn>(shared.key, bound);
    const bool counts = i < n && i - first >= kOwn && bound >= key[u] && below < kOwn;
    if (counts) atomicAdd(&shared.others[below * WARP_SIZE + lane], 1u);
  }
  __syncthreads();
  unsigned int others[kEach], sum = 0;
#pragma unroll
  for (int g = 0; g < kEach; g++) {
    sum += warp_sum(shared.others[(warp * kEach + g) * WARP_SIZE + lane]);
    others[g] = sum;
  }
  if (lane == 0) shared.of_warp[warp] = sum;
  __syncthreads();
  const unsigned int before = warp_sum(lane < warp ? shared.of_warp[lane] : 0);
#pragma unroll
  for (int g = 0; g < kEach; g++) {
    const unsigned int j = warp * kEach + g, place = j + before + others[g];
    if (lane != (unsigned int)g || first + j >= n) continue;
    out.put(place, shared.key[j], kPairs ? shared.value[j] : 0);
  }
}

template <int kRows, int kOwn, bool kPairs>
static __global__ void __launch_bounds__(RANK_THREADS)
    rank_elements(Elements in, Elements out, unsigned int n) {
  __shared__ RankShared<kOwn> shared;
  rank_and_move<kRows, kOwn, kPairs>(shared, ElementsOf{in}, PlacesOf<kPairs>{out}, n);
}

template <int kRows, int kOwn, class Key, class NumberOf, class Value>
static __global__ void __launch_bounds__(RANK_THREADS)
    rank_codes(CodesOf<Key, NumberOf> in, PlacesByIndex<Key, Value> out, unsigned int n) {
  __shared__ RankShared<kOwn, Key> shared;
  rank_and_move<kRows, kOwn, true>(shared, in, out, n);
}

#endif
