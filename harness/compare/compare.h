// What compare's files share: the request from the command line, the rows that follow from it, and
// who does what with them. The way of a row: compare_options.c reads the request, compare_plan.c
// makes the rows, compare_supervise.c has them measured in a child process (compare_worker.c), and
// compare_output.c prints them as they come in.
#ifndef COMPARE_H
#define COMPARE_H

#include <stdarg.h>
#include <stdio.h>

#include "common/knobs.h"
#include "harness/device_info.h"
#include "harness/input_file.h"
#include "harness/measure.h"

enum {
  MAX_SIZES = 64,
  MAX_SOURCES = 32,
  MAX_SETTINGS = 32,
  MAX_SWEEPS = 2,
  MAX_SWEEP_VALUES = 64,
  MAX_PRINTED = 64,  // the largest n of --print
};

typedef enum Format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_MD } Format;

// Where keys come from: an input that is drawn, or a file.
typedef struct Source {
  const char *name;  // as tables call it; of a file: its path
  int kind;          // index of input_kinds; -1: the file
  InputFile file;
  bool repeats;  // n may be greater than the file: it starts again
} Source;

typedef struct Sweep {
  const char *version;  // NULL: every version that has the knob
  const char *knob;
  int values[MAX_SWEEP_VALUES];
  int count;
} Sweep;

typedef struct Request {
  const char **names;  // versions, or paths of version.so; none: all
  int name_count;
  uint64_t sizes[MAX_SIZES];
  int size_count;
  Source sources[MAX_SOURCES];
  int source_count;
  bool keys, pairs;
  MeasurePlan plan;
  uint64_t seed;
  const char *settings[MAX_SETTINGS];  // "version.knob=value" or "knob=value"
  int setting_count;
  Sweep sweeps[MAX_SWEEPS];
  int sweep_count;
  const char *baseline;  // NULL: none
  bool baseline_given;
  Format format;
  bool list, print, no_color, in_process;
  const char *image;       // "IMAGE,TEMPLATE" or NULL
  const char *save_input;  // path or NULL
} Request;

typedef enum RowStatus {
  ROW_PENDING,    // not measured (yet)
  ROW_RIGHT,      // the verdict is a pass: there are times
  ROW_WRONG,      // the verdict is none
  ROW_CRASHED,    // ended by a signal, or without a result
  ROW_FAILED,     // ended with exit code 3: a CUDA call or memory failed
  ROW_STOPPED,    // took longer than STOP_FACTOR time limits
  ROW_REFUSED,    // the version does not take so large an n
  ROW_NO_MEMORY,  // the device has no room for so large an n
} RowStatus;

enum { STOP_FACTOR = 10 };

// The array before and after a sort, for --print.
typedef struct Printed {
  unsigned int before[MAX_PRINTED], after[MAX_PRINTED], positions[MAX_PRINTED];
} Printed;

// One measurement and what it was of.
typedef struct Row {
  const LoadedVersion *loaded;
  size_t n;
  const Source *source;
  bool pairs;
  int group;              // rows of one n, source and kind of element: what a ratio compares
  int knobs[MAX_KNOBS];   // their values, in the order of version->knobs
  bool shown[MAX_KNOBS];  // those that were set or swept: named in the label
  bool swept;             // one of several rows of its version in its group
  bool is_baseline;
  bool starts_workload;  // the first of its group
  RowStatus status;
  char message[256];  // how it failed; empty for ROW_RIGHT
  Measurement measured;
  Printed printed;
  double ratio;  // baseline's median over this one's: 2 is twice as fast; 0 without a baseline
  bool best;     // the fastest right row of a sweep
} Row;

// A version that was left out of a group, and why ("slow above 100000; name it to run it").
typedef struct LeftOut {
  const SortVersion *version;
  size_t n;
  int group;
  char reason[80];
} LeftOut;

typedef struct Plan {
  Row *rows;
  size_t count;
  LeftOut *left_out;
  size_t left_out_count;
} Plan;

// The header: what everything below was measured on.
typedef struct Conditions {
  DeviceInfo device;
  double copy_bytes_per_second;
  char host_cpu[128];  // the host's processor, on which versions sort whose title says "CPU"
  int host_threads;    // CPUs that this process may use
  char driver[64];     // of the device: "580.95.05"; of a CPU: the kernel's release
  char clocks[96];     // "SM 1980 MHz (most: 1980), memory 2619 MHz"; "n/a" if nobody knows
  char date[32];       // UTC, ISO 8601
  char commit[64];     // with "+changes" when the tree was not clean; "unknown" outside a checkout
} Conditions;

// ---- compare.c ---------------------------------------------------------------------------------

// Says on stderr in one sentence what is wrong and ends the program.
__attribute__((noreturn, format(printf, 2, 3))) void compare_quit(int code, const char *format,
                                                                  ...);

// ---- compare_options.c, compare_sources.c, compare_list.c, compare_scores.c ---------------------

// Reads the command line. On a mistake ends the program with EXIT_USAGE.
Request options_parse(int count, char **arguments);

// Adds an input of that name to a request, or the inputs that --dist names (the list is cut up), or
// a file of --input. On a mistake ends the program with EXIT_USAGE.
Source *source_add(Request *request, const char *name);
void sources_add_names(Request *request, char *list);
void sources_add_file(Request *request, const char *path);

// Prints all versions, or one with its knobs, as --list asks for, and the inputs.
void list_print(const VersionList *versions, const Request *request);

// The keys of --image: the scores of an image, computed in a child process so that this one stays
// without threads. On a mistake ends the program with EXIT_USAGE.
InputFile scores_of_image(const char *image_and_template);

// ---- compare_plan.c ----------------------------------------------------------------------------

// Makes the rows of a request. On a mistake ends the program with EXIT_USAGE.
Plan plan_make(const Request *request, const VersionList *versions);
void plan_free(Plan *plan);

// The n of an input that is drawn, without --n.
size_t default_size(void);

// Does a version sort on the host, on either backend? Then its title says "CPU".
bool is_cpu_code(const SortVersion *version);

// "radix_v2", "radix_v2 blockSize=512" or "seq (CPU)", into text[size].
void row_label(const Row *row, char *text, size_t size);

// ---- compare_worker.c and compare_supervise.c --------------------------------------------------

// What the measuring side says to the printing side.
typedef struct Report {
  enum { REPORT_CONDITIONS, REPORT_STARTED, REPORT_DONE } what;
  size_t row;
  Conditions conditions;  // of REPORT_CONDITIONS
  RowStatus status;       // from here on of REPORT_DONE
  char message[256];
  Measurement measured;
  Printed printed;
} Report;

typedef void Deliver(const Report *report, void *context);

// Measures rows[first..] on the device and delivers a report for each. Makes CUDA calls.
void worker_run(const Request *request, const Plan *plan, size_t first, Deliver *deliver,
                void *context);

// Measures all rows and prints them as they come in. Returns the program's exit code.
int supervise(const Request *request, Plan *plan);

// Fills in all but the copy rate. Makes CUDA calls.
Conditions conditions_now(void);

// ---- compare_output.c and the formats ----------------------------------------------------------

// What a row's times mean for its n.
typedef struct Rates {
  double gkeys_per_s;
  double gb_per_s;         // of the least traffic that a sort can do: all read once, written once
  double percent_of_copy;  // of the device's copy rate
} Rates;

Rates row_rates(const Row *row, const Conditions *conditions);
const char *status_name(RowStatus status);                  // "ok", "wrong", "crashed", ..
const char *limit_name(MeasureLimit limit);                 // "noise", "reps", "time"
void row_verdict(const Row *row, char *text, size_t size);  // "PASS", "FAIL: ..", or the message
void cuda_versions(const DeviceInfo *device, char *text, size_t size);  // "13.0 (runtime 12.8)"

// Each format gets the conditions first, then rows in order, then the end, also after Ctrl-C.
typedef struct Output {
  void (*begin)(const Conditions *conditions, const Request *request, const Plan *plan);
  void (*row)(const Row *row, const Conditions *conditions, const Request *request,
              const Plan *plan);
  void (*end)(const Conditions *conditions, const Request *request, const Plan *plan,
              bool interrupted);
} Output;

extern const Output table_output, csv_output, md_output, json_output;

// ---- compare_progress.c ------------------------------------------------------------------------

// One line on stderr, only on a terminal: which row is being measured, and the time left.
void progress_show(const Plan *plan, size_t row);
void progress_clear(void);

#endif
