// A row of the comparison: one measurement, and of what.
#ifndef HARNESS_COMPARE_ROWS_H
#define HARNESS_COMPARE_ROWS_H

#include "common/knobs.h"
#include "harness/measure/conditions.h"
#include "harness/compare/request.h"
#include "harness/measure/measure.h"

typedef enum RowStatus {
  ROW_PENDING,    // not measured (yet)
  ROW_RIGHT,      // the verdict is a pass: there are times
  ROW_WRONG,      // the verdict is a fail
  ROW_CRASHED,    // ended by a signal, or without a result
  ROW_FAILED,     // ended with exit code 3: a CUDA call or memory failed
  ROW_STOPPED,    // took longer than STOP_FACTOR time limits
  ROW_REFUSED,    // the version does not take so large an n
  ROW_NO_MEMORY,  // the device has too little memory for so large an n
} RowStatus;

enum { STOP_FACTOR = 10 };

// The array before and after a sort, for --print.
typedef struct Printed {
  unsigned int before[MAX_PRINTED], after[MAX_PRINTED], positions[MAX_PRINTED];
} Printed;

enum { MESSAGE_SIZE = 700 };

typedef struct Row {
  const LoadedVersion *loaded;
  size_t n;
  const Source *source;
  bool pairs;             // or bare keys
  int group;              // rows of one n, source and kind of element: what a ratio compares
  int knobs[MAX_KNOBS];   // their values, in the order of version->knobs
  bool shown[MAX_KNOBS];  // those that were set or swept: named in the label
  bool swept;             // one of several rows of its version in its group
  bool is_baseline;
  bool starts_workload;  // the first of its group
  RowStatus status;
  char message[MESSAGE_SIZE];  // how it failed; empty for ROW_RIGHT
  Measurement measured;
  Printed printed;
  double ratio;  // baseline's median over this one's: 2 is twice as fast; 0 without a baseline
  bool best;     // the fastest right row of a sweep
} Row;

// A row's times relative to its n.
typedef struct Rates {
  double gkeys_per_s;
  double gb_per_s;         // of the least traffic that a sort can do: all read once, written once
  double percent_of_copy;  // of the device's copy rate
} Rates;

// All zero for a row without times.
Rates row_rates(const Row *row, const Conditions *conditions);

// Is the noise of its median above 10%?
bool row_is_noisy(const Row *row);

// Is it faster than a copy of its data, although the data exceed the caches? Then its timing is
// suspect: a sort has to read and write all of them at least once.
bool row_is_suspicious(const Row *row, const Conditions *conditions);

const char *status_name(RowStatus status);   // "ok", "wrong", "crashed", ..
const char *limit_name(MeasureLimit limit);  // "noise", "reps", "time"
const char *elements_name(const Row *row);   // "pairs", "keys", "u64 keys" or "u64+u32 pairs"

enum { VERDICT_SIZE = MESSAGE_SIZE + 20 };  // holds each of the texts below

// Each writes into text[size]: "radix_v2", "radix_v2 blockSize=512" or "seq (CPU)"; "PASS",
// "FAIL: .." or the row's message; "noisy", "suspicious", both or nothing.
void row_label(const Row *row, char *text, size_t size);
void row_verdict(const Row *row, char *text, size_t size);
void row_notes(const Row *row, const Conditions *conditions, char *text, size_t size);

// Numbers for people: each function writes into `text` and returns it.

// "1,000,000"
const char *number_grouped(size_t n, char text[32]);

// At most `digits` significant digits and `decimals` decimals, never an exponent. value >= 0.
//   3 digits, 5 decimals:  0.0123, 1.23, 1234
const char *number_short(double value, int digits, int decimals, char text[32]);

// Three digits: "0.43%", "12.3%", "104%". value in percent, >= 0.
const char *number_percent(double value, char text[32]);

#endif
