#include "multi/request.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/your_sort.h"
#include "harness/input/input.h"
#include "harness/process/message.h"
#include "harness/input/mix.h"
#include "harness/process/parse.h"

// ---- options, with the text of --help -----------------------------------------------------------

enum {
  OPTION_N = 1000,
  OPTION_DIST,
  OPTION_INPUT,
  OPTION_OUTPUT,
  OPTION_OUTPUT_POSITIONS,
  OPTION_SEED,
  OPTION_KEYS,
  OPTION_PAIRS,
  OPTION_SHARDS,
  OPTION_HOST,
  OPTION_DEVICE_MEMORY,
  OPTION_TRANSPORT,
  OPTION_SHARE_GPUS,
  OPTION_CHUNKS,
  OPTION_DIGITS,
  OPTION_REPS,
  OPTION_STAGES,
  OPTION_BASELINES,
  OPTION_SET,
  OPTION_FORMAT,
  OPTION_EXPORT,
  OPTION_TIMEOUT,
  OPTION_LIST
};

static const struct argp_option option_table[] = {
    {NULL, 0, NULL, 0, "Input:", 1},
    {"n", OPTION_N, "SIZES", 0,
     "Numbers of elements of all ranks together: 1000, 64K, 2G, 2^28, ranges 1M..8M (doubling), "
     "separated by commas (1M; on the cpu backend 2^14)",
     0},
    {"dist", OPTION_DIST, "INPUTS", 0,
     "Names of inputs, separated by commas, or all (uniform); see --list", 0},
    {"seed", OPTION_SEED, "N", 0, "Seed of the inputs (1)", 0},
    {"input", OPTION_INPUT, "FILE", 0,
     "Keys of a file: raw little-endian u32, or .npy with one dimension of '<u4'; each rank reads "
     "its shard",
     0},
    {"shards", OPTION_SHARDS, "WEIGHTS", 0,
     "Sizes of the ranks' shards in proportion, such as 1,0,3 (equal)", 0},
    {"keys", OPTION_KEYS, NULL, 0, "Sort bare keys", 0},
    {"pairs", OPTION_PAIRS, NULL, 0, "Sort pairs of key and position (default; with --keys: both)",
     0},
    {"list", OPTION_LIST, NULL, 0, "List the inputs", 0},
    {NULL, 0, NULL, 0, "How it sorts:", 2},
    {"transport", OPTION_TRANSPORT, "NAME", 0,
     "How elements travel: direct (each GPU writes to the others' memory; one machine), nccl (from "
     "GPU to GPU), mpi (through host memory), or auto: the first that works (auto)",
     0},
    {"chunks", OPTION_CHUNKS, "C", 0,
     "Parts of a shard; one travels while the next is partitioned, 1 to 64 (4)", 0},
    {"digits", OPTION_DIGITS, "BITS", 0,
     "Upper bits by which bare keys are sorted on their way, if they travel directly, 0 to 8 (8); "
     "pairs are sorted by a part of their upper bits, with 0 not (only many)",
     0},
    {"share-gpus", OPTION_SHARE_GPUS, NULL, 0, "Allow more ranks than GPUs on a machine", 0},
    {"host", OPTION_HOST, NULL, 0,
     "Sort arrays in host memory, which may be larger than the device's", 0},
    {"device-memory", OPTION_DEVICE_MEMORY, "BYTES", 0,
     "Device memory that --host may take on each rank, such as 8G (three quarters of what is free)",
     0},
    {"set", OPTION_SET, "KNOB=VALUE", 0,
     "Set a knob of the version that sorts on each device (repeatable)", 0},
    {NULL, 0, NULL, 0, "Measurement:", 3},
    {"reps", OPTION_REPS, "R", 0, "Timed runs, 1 to 1000 (9)", 0},
    {"stages", OPTION_STAGES, "on|off", 0, "Time the stages too, in separate runs (on)", 0},
    {"baselines", OPTION_BASELINES, "on|off", 0,
     "Also time one device with its share, one with everything if it fits, and a sample sort by "
     "Thrust and NCCL; of --host the bare copies (on)",
     0},
    {"timeout", OPTION_TIMEOUT, "T", 0,
     "End the run if a rank makes no progress for T seconds (600; 0.5, 30, 2m)", 0},
    {NULL, 0, NULL, 0, "Output:", 4},
    {"output", OPTION_OUTPUT, "FILE", 0,
     "Write the sorted keys to FILE (.npy, or else raw), which appears complete or not at all", 0},
    {"output-positions", OPTION_OUTPUT_POSITIONS, "FILE", 0,
     "Write the positions of sorted pairs likewise", 0},
    {"format", OPTION_FORMAT, "FORMAT", 0, "Format of standard output: table, csv or json (table)",
     0},
    {"export", OPTION_EXPORT, "FORMAT=FILE", 0,
     "Also write the rows to FILE, which appears complete or not at all (repeatable)", 0},
    {0}};

// ---- values -------------------------------------------------------------------------------------

static void add_kind(Request *request, int kind) {
  if (request->kind_count == MAX_INPUTS)
    quit(EXIT_USAGE, "--dist takes at most %d inputs", MAX_INPUTS);
  request->kinds[request->kind_count++] = kind;
}

static void add_kinds(Request *request, char *names) {
  for (char *rest = names, *name; (name = strsep(&rest, ",")) != NULL;) {
    const int kind = input_find(name);
    if (strcmp(name, "all") == 0) {
      for (int i = 0; input_kinds[i].name != NULL; i++) add_kind(request, i);
    } else if (kind < 0) {
      quit(EXIT_USAGE, "there is no input '%s'; --list shows them", name);
    } else {
      add_kind(request, kind);
    }
  }
}

static void set_weights(Request *request, char *weights) {
  uint64_t sum = 0;
  request->weight_count = 0;
  for (char *rest = weights, *weight; (weight = strsep(&rest, ",")) != NULL;) {
    if (request->weight_count == MAX_WEIGHTS)
      quit(EXIT_USAGE, "--shards takes at most %d weights", MAX_WEIGHTS);
    sum += request->weights[request->weight_count++] = option_number("shards", weight, 0, 1000000);
  }
  if (sum == 0) quit(EXIT_USAGE, "--shards needs a weight above 0");
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  Request *const request = state->input;
  const char *problem = NULL;
  switch (key) {
    case ARGP_KEY_INIT:
      // getopt reports an unknown option in one sentence; argp would add a second line.
      state->err_stream = NULL;
      return 0;
    case ARGP_KEY_ARG: quit(EXIT_USAGE, "multi_sort takes options only, not '%s'", argument);
    case OPTION_N:
      problem = parse_sizes(argument, request->sizes, &request->size_count, MAX_SIZES);
      if (problem != NULL) quit(EXIT_USAGE, "--n: %s", problem);
      return 0;
    case OPTION_DIST: add_kinds(request, argument); return 0;
    case OPTION_SEED: request->seed = option_number("seed", argument, 0, INT64_MAX); return 0;
    case OPTION_INPUT: request->input = argument; return 0;
    case OPTION_SHARDS: set_weights(request, argument); return 0;
    case OPTION_KEYS: request->keys = true; return 0;
    case OPTION_PAIRS: request->pairs = true; return 0;
    case OPTION_LIST: request->list = true; return 0;
    case OPTION_TRANSPORT:
      if (strcmp(argument, "auto") != 0 && strcmp(argument, "mpi") != 0 &&
          strcmp(argument, "nccl") != 0 && strcmp(argument, "direct") != 0)
        quit(EXIT_USAGE, "--transport is auto, direct, nccl or mpi, not '%s'", argument);
      request->transport = argument;
      return 0;
    case OPTION_CHUNKS: request->chunks = (int)option_number("chunks", argument, 1, 64); return 0;
    case OPTION_DIGITS:
      request->digit_bits = (int)option_number("digits", argument, 0, SCATTER_MOST_BITS);
      return 0;
    case OPTION_SHARE_GPUS: request->share_gpus = true; return 0;
    case OPTION_HOST: request->host = true; return 0;
    case OPTION_DEVICE_MEMORY:
      if (!parse_size(argument, &request->device_memory) || request->device_memory == 0)
        quit(EXIT_USAGE, "--device-memory takes bytes like 8G or 512Mi, not '%s'", argument);
      return 0;
    case OPTION_SET:
      if (request->setting_count == MAX_SETTINGS)
        quit(EXIT_USAGE, "there are more than %d settings", MAX_SETTINGS);
      request->settings[request->setting_count++] = argument;
      return 0;
    case OPTION_REPS:
      request->repetitions = (int)option_number("reps", argument, 1, 1000);
      return 0;
    case OPTION_STAGES: request->stages = option_on_or_off("stages", argument); return 0;
    case OPTION_BASELINES: request->baselines = option_on_or_off("baselines", argument); return 0;
    case OPTION_TIMEOUT: request->timeout = option_seconds("timeout", argument); return 0;
    case OPTION_OUTPUT: request->output = argument; return 0;
    case OPTION_OUTPUT_POSITIONS: request->output_positions = argument; return 0;
    case OPTION_FORMAT: request->format = option_format(argument, FORMAT_JSON); return 0;
    case OPTION_EXPORT:
      option_add_export(request->exports, &request->export_count, argument, FORMAT_JSON);
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

static void list_inputs(void) {
  printf("Inputs:\n");
  for (int i = 0; input_kinds[i].name != NULL; i++)
    printf("  %-14s %s\n", input_kinds[i].name, input_kinds[i].meaning);
  exit(EXIT_RIGHT);
}

// Completes and checks the settings that depend on several options.
static void complete(Request *request) {
  if (request->list) list_inputs();
  if (!request->keys) request->pairs = true;
  if (request->input != NULL && (request->size_count > 0 || request->kind_count > 0))
    quit(EXIT_USAGE, "--input goes without --n and --dist: all keys of the file are sorted");
  if (request->input == NULL && request->kind_count == 0) add_kind(request, input_find("uniform"));
#ifdef CUDA_CPU
  const uint64_t size = 1 << 14;
#else
  const uint64_t size = 1000000;
#endif
  if (request->input == NULL && request->size_count == 0)
    request->sizes[request->size_count++] = size;
  if (request->device_memory > 0 && !request->host)
    quit(EXIT_USAGE, "--device-memory goes with --host");
  const bool one_row =
      (request->input != NULL || (request->size_count == 1 && request->kind_count == 1)) &&
      request->keys != request->pairs;
  if (request->output != NULL && !one_row)
    quit(EXIT_USAGE, "--output takes one input, one size, and --keys or --pairs");
  if (request->output_positions != NULL && (!one_row || !request->pairs))
    quit(EXIT_USAGE, "--output-positions takes one input, one size, and --pairs");
}

Request request_parse(int count, char **arguments) {
  static const struct argp parser = {
      .options = option_table,
      .parser = parse_option,
      .doc =
          "Sorts an array that is spread over the ranks of mpirun, each with a device, judges the "
          "result and times it."
          "\vRun: mpirun -n 2 ./multi_sort --n 2G --keys\n"
          "Exit status: 0 all right, 1 a wrong result, 2 usage or unreadable input, 3 device or "
          "memory."};
  argp_err_exit_status = EXIT_USAGE;
  Request request = {.seed = 1,
                     .transport = "auto",
                     .chunks = 4,
                     .digit_bits = DIGITS_AUTO,
                     .repetitions = 9,
                     .stages = true,
                     .baselines = true,
                     .timeout = 600.0};
  if (argp_parse(&parser, count, arguments, 0, NULL, &request) != 0) exit(EXIT_USAGE);
  complete(&request);
  return request;
}

uint64_t request_hash(int count, char **arguments) {
  uint64_t hash = mix64((uint64_t)count);
  for (int i = 1; i < count; i++) {
    for (const char *c = arguments[i]; *c != '\0'; c++)
      hash = mix64(hash ^ (uint64_t)(unsigned char)*c);
    hash = mix64(hash ^ 256);
  }
  return hash;
}
