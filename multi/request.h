// The command line of multi_sort.
#ifndef MULTI_REQUEST_H
#define MULTI_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/process/options.h"
#include "multi/move/bins.h"
#include "multi/move/partition.h"

enum { MAX_SIZES = 32, MAX_INPUTS = 32, MAX_SETTINGS = 16, MAX_WEIGHTS = 1024 };

typedef struct Request {
  uint64_t sizes[MAX_SIZES];  // elements of all ranks
  int size_count;
  int kinds[MAX_INPUTS];  // indices of input_kinds
  int kind_count;
  const char *input, *output, *output_positions;  // files, or NULL
  uint64_t seed;
  bool keys, pairs;
  uint64_t weights[MAX_WEIGHTS];  // of the ranks' shards; none: equal shards
  int weight_count;
  bool host;               // arrays are in host memory
  uint64_t device_memory;  // bytes that --host may take; 0: what is free
  const char *transport;   // "auto", "direct", "nccl" or "mpi"
  bool share_gpus;
  int chunks, digit_bits;
  int repetitions;
  bool stages, baselines, list;
  double timeout;                      // seconds
  const char *settings[MAX_SETTINGS];  // KNOB=VALUE
  int setting_count;
  Format format;
  Export exports[MAX_EXPORTS];
  int export_count;
} Request;

// Parses the arguments. --help, --list and mistakes end the program: with a sentence and
// EXIT_USAGE.
Request request_parse(int count, char **arguments);

// A hash of the arguments: ranks that were started with different ones must not sort together.
uint64_t request_hash(int count, char **arguments);

#endif
