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
// Every function that returns int returns 0 or an error below. None ends the program, prints, or,
// after gsort_create(), allocates device memory.
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

// What moves with each key: nothing, a value of 4 or 8 bytes, or its index in the input, which is
// not read but made (an argsort). An index of 64 bits counts as GSORT_INDEX32 does.
enum { GSORT_KEYS = 1, GSORT_VALUE32, GSORT_VALUE64, GSORT_INDEX32, GSORT_INDEX64 };

// Options of gsort_set(), and their defaults.
enum {
  GSORT_DESCENDING = 1,  // 0; 1: greatest keys first. Equal keys keep their order in either case
  GSORT_BEGIN_BIT,       // 0: the lowest bit that counts; others travel along
  GSORT_END_BIT,         // bits of a key: behind the highest bit that counts
  GSORT_OVERWRITE,       // 0; 1: the sort may overwrite keys_in and values_in. From 6 million
                         // elements on, inputs with frequent values then sort faster
};

// Errors. gsort_error_string() has a sentence for each.
enum {
  GSORT_OK = 0,
  GSORT_ERROR_ARGUMENT,     // a NULL pointer, an address that is not aligned to the element
  GSORT_ERROR_TYPE,         // an unknown type of keys or values
  GSORT_ERROR_UNSUPPORTED,  // a type, or a combination with options, that this version lacks
  GSORT_ERROR_OPTION,       // an unknown option, or a value out of its range
  GSORT_ERROR_SIZE,         // n beyond 2^32 - 1
  GSORT_ERROR_OVERLAP,      // arrays or workspace share memory
  GSORT_ERROR_WORKSPACE,    // fewer bytes than gsort_workspace() says
  GSORT_ERROR_DEVICE,       // no device, another than at gsort_create(), or one that is too small
  GSORT_ERROR_MEMORY,       // no host memory
  GSORT_ERROR_CUDA,         // a CUDA call failed; cudaGetLastError() says which error it was
};

// GSORT_VERSION of the library.
int gsort_version(void);

// A sentence in English, for every number. Never NULL; not to be freed.
const char *gsort_error_string(int error);

// Makes a sort for the current device. key: GSORT_U32 ..; value: GSORT_KEYS .. *sort is NULL after
// an error. Takes pinned host memory, which gsort_destroy() returns.
int gsort_create(gsort **sort, int key, int value);

// Sets an option. Not while another thread calls gsort_run() with the same sort.
int gsort_set(gsort *sort, int option, int64_t value);

// *bytes: workspace that gsort_run() needs for n elements with the options as they are: about 4.5
// bytes a key, 8.5 a pair (README.md).
int gsort_workspace(const gsort *sort, uint64_t n, size_t *bytes);

// Sorts keys_in[0..n) to keys_out[0..n), and with them values_in to values_out, both NULL for
// GSORT_KEYS; for indices values_in is NULL. All are on the device, aligned to their elements, and
// do not overlap. workspace: `bytes` bytes on the device, aligned to 256, whose contents do not
// matter. keys_in and values_in are not overwritten without GSORT_OVERWRITE. Work is issued to
// `stream` (NULL: the default one); the caller synchronises. The call itself waits until the
// device has judged a sample of the keys. Several threads may call it with one sort at once, each
// with a stream and a workspace of its own.
// After an error other than GSORT_ERROR_CUDA nothing was launched and nothing written.
int gsort_run(gsort *sort, void *workspace, size_t bytes, const void *keys_in, void *keys_out,
              const void *values_in, void *values_out, uint64_t n, struct CUstream_st *stream);

// The way that n evenly distributed keys take, such as "runs" (README.md). Never NULL.
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
