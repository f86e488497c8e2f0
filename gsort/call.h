// One call of gsort_run() on its way through plan.c and way/: what is to be sorted, and what is
// known of the keys. For C and CUDA.
#ifndef GSORT_CALL_H
#define GSORT_CALL_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// n keys of 32 bits on the device, and their values. values is NULL for bare keys, and in an input
// whose values are indices.
typedef struct Elements {
  unsigned int *keys;
  unsigned int *values;
} Elements;

// Maps keys of any type to unsigned numbers of the same order (block/key_code.cuh).
typedef struct KeyCode {
  unsigned int flip;      // bits that are inverted
  unsigned int negative;  // bits that are inverted, too, if the key is negative; 0: no floats
} KeyCode;

// Maps keys of 64 bits.
typedef struct WideCode {
  unsigned long long flip, negative;
} WideCode;

// What is known of the keys, or what a way has found out.
typedef enum Finding {
  UNKNOWN,     // nothing
  IN_PLACE,    // nothing, but the input is to be used as memory: no other way has so little
  SORTED,      // the call is done
  EVEN,        // a sample is even
  HEAVY,       // of wide pairs: a few values of some bits have very many keys
  IN_RANGE,    // of pairs: buckets for the density and the equal keys of `range` may fit
  FEW_VALUES,  // a sample has at most MOST_VALUES values
  UNEVEN,      // none of these, or floats with a -0, which has to count as +0
  SPARSE,      // of wide keys: bits vary that make fewer digits than bytes
  IN_ORDER,    // of wide pairs: even, but not in each part of the input
  // Between the device and a way only:
  MAPPED,    // a first sample is even within a range: RangeMap
  OVERFULL,  // of pairs: a sample was even, but some bucket of runs had no room
  STOPPED,   // UNEVEN, too, but the samples have not shown it, so that no digits are counted
} Finding;

// How keys fill their range, as far as a sample shows it.
typedef struct KeyRange {
  float density;  // keys in its fullest part, divided by the share of that
  float equals;   // keys that equal a key, itself among them, on average
} KeyRange;
static const KeyRange WHOLE_RANGE = {1, 1};

typedef struct Known {
  Finding finding;
  KeyRange range;
} Known;

// Memory, pinned if the host waits, in which the device tells what it has found.
typedef struct HostVerdict {
  unsigned int finding;  // a Finding
  KeyRange range;        // if IN_RANGE
} HostVerdict;

typedef struct Device {
  int number;
  unsigned int multiprocessors;
  size_t shared_limit;  // bytes of dynamic shared memory of a block, beside 1 KB of static memory
  bool hopper;          // or later: kernels may begin before the previous one has ended, and blocks
                        // may form clusters (capability 9.0)
} Device;

// api.c: the current device; false if there is none.
bool find_device(Device *device);

typedef struct Call {
  Elements input, output;
  size_t n;
  KeyCode code;         // of keys of 4 bytes
  WideCode wide_code;   // of keys of 8 bytes
  size_t key_bytes;     // 4 or 8
  size_t value_bytes;   // 0, 4 or 8; of indices, too
  int begin_bit, bits;  // those that count
  bool overwrite;       // the input is the spare memory of sweeps, and nothing is sampled
  bool no_host_wait;    // the device decides
  const unsigned long long *n_on_device;  // elements that there are, at most n; NULL: n
  struct Findings *findings;  // the first FINDINGS_BYTES of the workspace (block/findings.cuh)
  char *workspace;            // the rest, aligned to WORKSPACE_ALIGNMENT
  cudaStream_t stream;
  const Device *device;
  volatile HostVerdict *host;  // or in the findings, if the host does not wait for it
  cudaError_t error;           // of the first CUDA call that failed; nothing is launched after it
} Call;

enum { WORKSPACE_ALIGNMENT = 256, FINDINGS_BYTES = 92 * 1024 };

static inline size_t aligned_bytes(size_t bytes) {
  return (bytes + WORKSPACE_ALIGNMENT - 1) / WORKSPACE_ALIGNMENT * WORKSPACE_ALIGNMENT;
}

// A way to sort: host code that launches kernels (way/).
typedef struct Way {
  const char *name;
  // Bytes of workspace; 0 if the way does not suit n, the kind of elements, the range or the
  // device.
  size_t (*bytes)(const Call *call, const KeyRange *range);
  // Issues the sort of call->n elements. Returns SORTED, or, with the input as it was, what the
  // keys are; then with *known.
  Finding (*run)(Call *call, Known *known);
} Way;

extern const Way way_rank, way_splitters, way_runs, way_regions, way_pair_regions, way_values,
    way_sweeps, way_wide_buckets, way_wide_pairs, way_wide_splitters, way_wide_sweeps;

// plan.c: the way for a call of which `known` is known. Never NULL.
const Way *plan_way(const Call *call, const Known *known);
// Bytes of workspace that any keys may need; call->workspace, stream and arrays are not read, but
// whether output.values is NULL.
size_t plan_bytes(const Call *call);

#ifdef __cplusplus
}
#endif
#endif
