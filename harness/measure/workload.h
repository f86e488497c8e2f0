// An input on the device with the arrays that a sort of it needs.
#ifndef HARNESS_WORKLOAD_H
#define HARNESS_WORKLOAD_H

#include "common/your_sort.h"
#include "harness/process/message.h"
#include "harness/verdict/trial.h"

// By how many elements the arrays of a sort lie behind an aligned address, each at most
// MOST_OFFSET, in the order of your_sort()'s arguments: keys in, positions in, keys out, positions
// out.
enum { ARRAYS = 4, MOST_OFFSET = 63 };
typedef unsigned char Offsets[ARRAYS];

// n elements each, of the types that a version sorts. Position pointers are NULL for bare keys.
typedef struct Workload {
  size_t n;
  bool pairs;
  const SortVersion *version;  // one of that type
  Offsets offsets;
  unsigned int *snapshot;  // the input's keys; no sort has access to it
  unsigned int *keys_in, *positions_in, *keys_out, *positions_out;
  int kind;       // of workload_draw(); -1 after workload_load()
  uint64_t seed;  // of workload_draw()
  // Of workload_load(): key i is loaded[i mod loaded_count].
  const unsigned int *loaded;
  size_t loaded_count;
  struct WorkloadChanges *changes;  // keys of the snapshot that differ from the loaded ones
} Workload;

// Bytes of device memory while a version sorts a workload: its arrays, the verdict's scratch and
// the version's (counted as 0 if unknown). The sum, not the larger of the two scratches: if one
// were freed for the other, its next allocation would be timed. 64 MB of it do not depend on n: a
// GPU rounds every allocation up to 2 MB and loads code at its first launch, and versions have
// counters and tables per multiprocessor.
double workload_bytes(const SortVersion *version, size_t n, bool pairs);

// The largest n whose workload_bytes() are at most `bytes`; 0 if there is none.
size_t workload_largest_n(const SortVersion *version, bool pairs, double bytes);

// Allocates the arrays, with undefined contents; workload_destroy frees them. version: any that
// sorts the type. offsets: NULL if all are 0. If the device has too little memory, the program ends
// with exit code 3.
Workload workload_create(const SortVersion *version, size_t n, bool pairs, const Offsets offsets);
void workload_destroy(Workload *workload);

// Write the snapshot: keys of a kind (harness/input/input.h); or KEY_U32 from the host, where key i
// is keys[i mod count]. The host's keys must stay as they are while the workload is in use.
void workload_draw(Workload *workload, int kind, uint64_t seed);
void workload_load(Workload *workload, const unsigned int *keys, size_t count);

// Copies the snapshot to keys_in and writes 0, 1, .. n - 1 to positions_in. Waits for the device.
void workload_refresh(const Workload *workload);

// Writes number `index` of an endless series of inputs of the same kind to the snapshot. Number 0
// is the one that was drawn or loaded. Then, for both, a few keys at random indices become equal to
// the key behind them: the order is kept (a sorted file stays sorted), but the sorted output is
// another one, also of bare keys. Nothing changes where all keys are equal.
void workload_vary(const Workload *workload, uint64_t index);

// Writes uniform keys to the snapshot instead of loaded ones, so that the two have no answer in
// common; workload_vary() undoes it.
void workload_replace(const Workload *workload);

// Fills the memory before and behind the four arrays of a sort.
void workload_guard(const Workload *workload);

// Whether that memory is unchanged since workload_guard(). Otherwise writes a clause:
// "wrote outside its arrays: d_outputVals[7] of 7".
bool workload_whole(const Workload *workload, Message *reason);

// Host copies of the last run of KEY_U32: its input, and the arrays' present contents. To be freed.
Trial workload_trial(const Workload *workload);

// Overwrites the outputs, so that an output that is never written cannot be right by chance.
// Neighbouring values of `index` give different contents.
void workload_poison(const Workload *workload, uint64_t index);

#endif
