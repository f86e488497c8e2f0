// Cooperative groups: scans over tiles and coalesced groups.
#ifndef CUDA_CPU_COOPERATIVE_GROUPS_SCAN_H
#define CUDA_CPU_COOPERATIVE_GROUPS_SCAN_H

#include <cooperative_groups/reduce.h>

namespace cooperative_groups {

template <class Group, class T, class Op>
T inclusive_scan(const Group &group, T value, Op op) {
  const unsigned size = group.size(), rank = group.thread_rank();
  for (unsigned step = 1; step < size; step *= 2) {
    const T other = group.shfl_up(value, step);
    if (rank >= step) value = op(other, value);
  }
  return value;
}
template <class Group, class T>
T inclusive_scan(const Group &group, T value) {
  return inclusive_scan(group, value, plus<T>());
}

// The first thread gets T().
template <class Group, class T, class Op>
T exclusive_scan(const Group &group, T value, Op op) {
  const T inclusive = inclusive_scan(group, value, op);
  const T before = group.shfl_up(inclusive, 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T>
T exclusive_scan(const Group &group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups
#endif
