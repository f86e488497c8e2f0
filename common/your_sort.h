// The contract between a version and the rest of the repository.
//
// A version is a folder with a student_func.cu that defines the two names below: the function
// your_sort() and the constant sort_version that describes it. Nothing else of a version is
// visible outside its folder, so its kernels and helpers are `static`.
#ifndef COMMON_YOUR_SORT_H
#define COMMON_YOUR_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { KEY_BITS = 32 };  // bits of a key

// Types of keys. All versions sort KEY_U32; the others are for harness/typed.
typedef enum KeyType { KEY_U32, KEY_I32, KEY_F32, KEY_U64, KEY_I64, KEY_F64 } KeyType;

// A tuning parameter that can be set at run time: `--set blockSize=512`.
typedef struct SortKnob {
  const char *name;     // as typed after --set; NULL ends a list of knobs
  int default_value;    // within [min, max]
  int min, max;         // inclusive; every integer in this range must work
  const char *meaning;  // one line, with the unit: "threads per block of ..."
} SortKnob;

// Describes a version: the single source for help texts, tables and tests.
typedef struct SortVersion {
  const char *name;    // the folder's name
  const char *title;   // one line: the idea
  const char *source;  // the report or paper it is from
  bool stable;         // equal keys keep their order; checked if true
  uint64_t max_n;   // largest n that it sorts; pairs: at most UINT32_MAX, as positions have 32 bits
  uint64_t slow_n;  // above this n `compare` leaves it out unless named; 0: never
  const char *const *stages;  // names of its stages, in printing order; ends with NULL
  const SortKnob *knobs;      // ends with an entry whose name is NULL
  // Device memory that a large sort takes besides its arguments, with default knobs: bytes per
  // element of bare keys and of pairs. Negative (the default in C++): unknown.
#ifdef __cplusplus
  double scratch_per_key = -1.0, scratch_per_pair = -1.0;
  bool on_host = false;     // sorts on the host's processor, on either backend
  bool pairs_only = false;  // it needs positions: bare keys are not given to it
  bool by_gsort = false;    // sorts as gsort does: a program may leave a part to gsort's kernels
  KeyType key = KEY_U32;    // your_sort()'s arrays hold keys of this type
  bool values64 = false;    // .. and positions of 64 bits
#else
  double scratch_per_key, scratch_per_pair;
  bool on_host, pairs_only, by_gsort;
  KeyType key;
  bool values64;
#endif
} SortVersion;

// 32-bit words of a key, and of a position.
static inline size_t key_words(const SortVersion *version) {
  return version->key < KEY_U64 ? 1 : 2;
}
static inline size_t value_words(const SortVersion *version) { return version->values64 ? 2 : 1; }

extern const SortVersion sort_version;

// Sorts numElems keys ascending, each with its position (Udacity CS344, Problem Set 4).
//
//   d_inputVals  [3 1 2]  d_inputPos  [0 1 2]
//   d_outputVals [1 2 3]  d_outputPos [1 2 0]
//
// All four are device arrays of numElems elements that do not overlap, each at any address that is
// a multiple of 4; the result is in the outputs; the inputs may be used as scratch. Both Pos
// pointers NULL: bare keys. numElems may be 0. Work is issued to the default stream; the caller
// synchronises. Every CUDA call is checked: a failure ends the program with exit code 3
// (common/check.h).
void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems);

#ifdef __cplusplus
}
#endif
#endif
