// Cooperative groups: reductions over tiles and coalesced groups.
#ifndef CUDA_CPU_COOPERATIVE_GROUPS_REDUCE_H
#define CUDA_CPU_COOPERATIVE_GROUPS_REDUCE_H

#include <cooperative_groups.h>

namespace cooperative_groups {

#define CUDA_CPU_OPERATION(name, result)                          \
  template <class T = void>                                       \
  struct name {                                                   \
    T operator()(const T &a, const T &b) const { return result; } \
  };
CUDA_CPU_OPERATION(plus, a + b)
CUDA_CPU_OPERATION(less, b < a ? b : a)
CUDA_CPU_OPERATION(greater, a < b ? b : a)
CUDA_CPU_OPERATION(bit_and, (a & b))
CUDA_CPU_OPERATION(bit_or, (a | b))
CUDA_CPU_OPERATION(bit_xor, (a ^ b))
#undef CUDA_CPU_OPERATION

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
