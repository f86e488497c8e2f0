// gsort: stable sorts of keys, and of keys with values, on an NVIDIA GPU, or on the CPU through
// cuda_cpu. A C interface: no structures cross it, and no CUDA header is needed.
//
//   gsort *sort;
//   size_t bytes;
//   gsort_create(&sort, GSORT_F32, GSORT_INDEX32);
//   gsort_workspace(sort, n, &bytes);                    // then allocate them on the device
//   gsort_run(sort, workspace, bytes, keys, sorted, NULL, order, n, stream);
//   gsort_destroy(sort);
//
// Functions that return int return 0 or an error below, except gsort_version(). None ends the
// program, prints, or allocates device memory; only gsort_create() allocates host memory.
#ifndef GSORT_H
#define GSORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)  // all else in the library is hidden
#endif

#define GSORT_VERSION 10000  // 1.0.0: major * 10,000 + minor * 100 + patch

typedef struct gsort gsort;  // a kind of sort, on one device, with its options
struct CUstream_st;          // what a cudaStream_t points to

// Types of keys. Order of GSORT_F32: -NaN, -infinity .. -0 = +0 .. infinity, NaN; NaNs by their
// bits. As CUB's radix sort.
enum { GSORT_U32 = 1, GSORT_I32, GSORT_F32, GSORT_U64, GSORT_I64, GSORT_F64 };

// What moves with each key: nothing, a value of 4 or 8 bytes, or its index in the input as an
// unsigned number of 32 or 64 bits, which is not read but made (an argsort).
enum { GSORT_KEYS = 1, GSORT_VALUE32, GSORT_VALUE64, GSORT_INDEX32, GSORT_INDEX64 };

// Options of gsort_set(), and their defaults.
enum {
  GSORT_DESCENDING = 1,  // 0; 1: greatest keys first. Equal keys keep their order in either case
  GSORT_BEGIN_BIT,       // 0: the lowest bit that counts; others travel along
  GSORT_END_BIT,         // bits of a key: behind the highest bit that counts
  GSORT_OVERWRITE,       // 0; 1: keys_in and values_in are overwritten. More than 500,000 elements
                         // then take little workspace, and are sorted by sweeps over all digits,
                         // which takes longer (README.md); fewer are sorted as without it
  GSORT_NO_HOST_WAIT,    // 0; 1: gsort_run() returns at once, and may be captured into a graph; the
                         // device decides how it sorts
  GSORT_N_ON_DEVICE,     // 0; else the address of a uint64_t in device memory, in which the kernels
                         // read the number of elements. gsort_run()'s n is then the most that it
                         // may be, for which memory is laid out; more count as n. Includes
                         // GSORT_NO_HOST_WAIT, and sorts by sweeps only, which GSORT_OVERWRITE
                         // does not change
};

// Errors. gsort_error_string() has a sentence for each. After any error but one of CUDA nothing was
// launched and nothing written. If several apply, the one that is listed first is returned, except
// that gsort_run() with n = 0 does nothing and looks at neither arrays nor workspace nor device.
enum {
  GSORT_OK = 0,
  GSORT_ERROR_ARGUMENT,     // a pointer is NULL, or not NULL where there is no such array, or not
                            // aligned to the elements
  GSORT_ERROR_TYPE,         // an unknown type of keys or values
  GSORT_ERROR_UNSUPPORTED,  // a type that this version lacks
  GSORT_ERROR_OPTION,       // an unknown option, a value out of its range, or no bit that counts
  GSORT_ERROR_SIZE,         // n beyond 2^32 - 1
  GSORT_ERROR_WORKSPACE,    // fewer bytes than gsort_workspace() says
  GSORT_ERROR_OVERLAP,      // arrays or the part of the workspace that is used share memory
  GSORT_ERROR_DEVICE,       // no device, or another one is current than was at gsort_create()
  GSORT_ERROR_MEMORY,       // no host memory
  GSORT_ERROR_CUDA = 1000,  // and the cudaError_t added to it: a CUDA call failed. What was
                            // launched before it may have written to the outputs and the workspace
};

// GSORT_VERSION of the library.
int gsort_version(void);

// A sentence in English, for every number. Never NULL; not to be freed.
const char *gsort_error_string(int error);

// Makes a sort for the current device. key: GSORT_U32 ..; value: GSORT_KEYS .. *sort is NULL after
// an error. Takes 16 KB of pinned host memory, which gsort_destroy() returns.
int gsort_create(gsort **sort, int key, int value);

// Sets an option. Not while another thread calls a function with the same sort.
// GSORT_BEGIN_BIT has to be less than GSORT_END_BIT when the sort is used, not when they are set.
int gsort_set(gsort *sort, int option, int64_t value);

// *bytes: workspace that gsort_run() needs for n elements with the options as they are. At most 8
// MB and 50% more than the keys and values; with GSORT_OVERWRITE and more than 500,000 elements at
// most 8 MB, 0.75 bytes an element, and the indices of an argsort (README.md). Fewer elements may
// need a little more, as the ways change with n: a workspace for several n is one for the greatest
// of their answers.
int gsort_workspace(const gsort *sort, uint64_t n, size_t *bytes);

// Sorts keys_in[0..n) to keys_out[0..n), and with them values_in to values_out, both NULL for
// GSORT_KEYS; for indices values_in is NULL. All are on the device, aligned to their elements, and
// do not overlap. workspace: `bytes` bytes on the device, aligned to 256, whose contents do not
// matter. keys_in and values_in are not overwritten without GSORT_OVERWRITE. Work is issued to
// `stream` (NULL: the legacy default stream), and the arrays and the workspace have to stay until
// it is done: the caller synchronises. Without GSORT_NO_HOST_WAIT the call itself waits until the
// device has judged a sample of the keys, and so for work that `stream` has before it. Any number
// of threads may call it with one sort at once, each with a separate stream and workspace; up
// to 64 of those that wait run at a time.
int gsort_run(gsort *sort, void *workspace, size_t bytes, const void *keys_in, void *keys_out,
              const void *values_in, void *values_out, uint64_t n, struct CUstream_st *stream);

// The way that n evenly distributed keys take, such as "runs" (README.md); "none" where gsort_run()
// would do nothing. Never NULL; not to be freed.
const char *gsort_way(const gsort *sort, uint64_t n);

// Frees the sort; NULL is allowed. Not before its gsort_run() calls have returned.
void gsort_destroy(gsort *sort);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
