// One of the sorts of harness/typed, compiled for one type of keys and values, TYPED_KEY and
// TYPED_VALUE (harness/harness.mk).
#ifndef HARNESS_TYPED_H
#define HARNESS_TYPED_H

#include <type_traits>

#include "common/check.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"

typedef TYPED_KEY Key;
typedef TYPED_VALUE Value;

static const KeyType KEY_TYPE =
    (KeyType)((sizeof(Key) == 8 ? KEY_U64 : KEY_U32) + (std::is_floating_point<Key>::value ? KEY_F32
                                                        : std::is_signed<Key>::value       ? KEY_I32
                                                                                     : KEY_U32));

// The sort_version of each. scratch: bytes for each byte of the elements.
static inline SortVersion typed_sort(const char *name, const char *title, const char *source,
                                     const SortKnob *knobs, double scratch) {
  static const char *const stages[] = {"sort", NULL};
  return {.name = name,
          .title = title,
          .source = source,
          .stable = true,
          .max_n = UINT32_MAX,
          .slow_n = 0,
          .stages = stages,
          .knobs = knobs,
          .scratch_per_key = scratch * sizeof(Key),
          .scratch_per_pair = scratch * (sizeof(Key) + sizeof(Value)),
          .key = KEY_TYPE,
          .values64 = sizeof(Value) == 8};
}

#endif
