#include "multi/slice.h"

static void join_fault(SliceFault *fault, const SliceFault *next, uint64_t offset) {
  if (fault->count == 0 && next->count > 0) {
    *fault = *next;
    fault->first += offset;
  } else {
    fault->count += next->count;
  }
}

void slice_join(Slice *slice, const Slice *next) {
  if (next->count == 0) return;
  if (slice->count > 0) {
    // The first element of `next` follows the last one of `slice`.
    SliceFault border = {1, 0, slice->last_key, next->first_key};
    if (next->first_key < slice->last_key) join_fault(&slice->order, &border, slice->count);
    border = (SliceFault){1, 0, slice->last_position, next->first_position};
    if (next->first_key == slice->last_key && next->first_position < slice->last_position)
      join_fault(&slice->stability, &border, slice->count);
  } else {
    slice->first_key = next->first_key;
    slice->first_position = next->first_position;
  }
  join_fault(&slice->order, &next->order, slice->count);
  join_fault(&slice->stability, &next->stability, slice->count);
  for (int h = 0; h < 2; h++) slice->hash[h] += next->hash[h];
  slice->last_key = next->last_key;
  slice->last_position = next->last_position;
  slice->count += next->count;
}
