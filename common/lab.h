// For labs: shows intermediate arrays to `make check-lab`, which compares them with a reference in
// plain C. Outside such a check the calls return at once: they neither copy nor wait.
//
//   lab_pass(shift, n_bits, block_size);              // a pass begins
//   lab_show("hist", d_hist, bins * tiles);           // an array of this pass, on the device
//
// The names that the check knows are in labs/README.md.
#ifndef COMMON_LAB_H
#define COMMON_LAB_H

#include <stddef.h>
#include <stdint.h>

// A record of the channel to the check; `count` 32-bit values follow it.
typedef struct LabRecord {
  char magic[4];         // LAB_MAGIC
  uint32_t shift, bits;  // of the digit of the current pass
  uint32_t part;         // 0: the array `name` of a pass; else lab_parts' argument
  uint64_t tile;         // elements per tile, or the width of the runs; 0: the whole array
  uint64_t count;
  char name[24];  // ends with a zero
} LabRecord;

#define LAB_MAGIC "LAB\n"
#define LAB_CHANNEL "LAB_CHANNEL"  // environment: number of the file descriptor for the records

#ifdef __cplusplus
extern "C" {
#endif

// A radix pass over the digit of `bits` bits at `shift` begins; `tile` elements per block are
// counted together. 0: one histogram of the whole array.
void lab_pass(int shift, int bits, size_t tile);

// Shows `count` values of a device array.
void lab_show(const char *name, const unsigned int *d_array, size_t count);

// Shows `count` values of an array in host memory.
void lab_show_host(const char *name, const unsigned int *array, size_t count);

// Shows n keys that should now be sorted within each run of `width` elements. `name` is that of
// the step.
void lab_runs(const char *name, const unsigned int *d_keys, size_t n, size_t width);

// The same, but within each `part` elements in any order.
void lab_parts(const char *name, const unsigned int *d_keys, size_t n, size_t part, size_t width);

// Stands where a starter's code is missing: prints `text` on stderr, once per process.
void lab_todo(const char *text);

#ifdef __cplusplus
}
#endif
#endif
