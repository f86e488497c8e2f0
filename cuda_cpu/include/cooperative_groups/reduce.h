// Cooperative groups: reductions over tiles and coalesced groups.
#ifndef CUDA_CPU_COOPERATIVE_GROUPS_REDUCE_H
#define CUDA_CPU_COOPERATIVE_GROUPS_REDUCE_H

#include <cooperative_groups.h>

namespace cooperative_groups {

template <class T = void>
struct plus {
  T operator()(const T &a, const T &b) const { return a + b; }
};
template <class T = void>
struct less {
  T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <class T = void>
struct greater {
  T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <class T = void>
struct bit_and {
  T operator()(const T &a, const T &b) const { return a & b; }
};
template <class T = void>
struct bit_or {
  T operator()(const T &a, const T &b) const { return a | b; }
};
template <class T = void>
struct bit_xor {
  T operator()(const T &a, const T &b) const { return a ^ b; }
};

// Every thread of the group gets the result.
template <class Group, class T, class Op>
T reduce(const Group &group, T value, Op op) {
  const unsigned size = group.size(), rank = group.thread_rank();
  for (unsigned step = 1; step < size; step *= 2) {
    const T other = group.shfl_down(value, step);
    if (rank + step < size) value = op(value, other);
  }
  return group.shfl(value, 0);
}

}  // namespace cooperative_groups
#endif
