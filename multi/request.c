#include "multi/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/your_sort.h"
#include "harness/input/input.h"
#include "harness/process/message.h"
#include "harness/input/mix.h"
#include "harness/process/parse.h"

static Request request;  // which the options fill in

// ---- values of options --------------------------------------------------------------------------

static void add_sizes(char *text) {
  const char *const problem = parse_sizes(text, request.sizes, &request.size_count, MAX_SIZES);
  if (problem != NULL) quit(EXIT_USAGE, "--n: %s", problem);
}

static void add_kind(int kind) {
  if (request.kind_count == MAX_INPUTS)
    quit(EXIT_USAGE, "--dist takes at most %d inputs", MAX_INPUTS);
  request.kinds[request.kind_count++] = kind;
}

static void add_kinds(char *names) {
  for (char *rest = names, *name; (name = strsep(&rest, ",")) != NULL;) {
    const int kind = input_find(name);
    if (strcmp(name, "all") == 0) {
      for (int i = 0; input_kinds[i].name != NULL; i++) add_kind(i);
    } else if (kind < 0) {
      quit(EXIT_USAGE, "there is no input '%s'; --list shows them", name);
    } else {
      add_kind(kind);
    }
  }
}

static void set_weights(char *weights) {
  uint64_t sum = 0;
  request.weight_count = 0;
  for (char *rest = weights, *weight; (weight = strsep(&rest, ",")) != NULL;) {
    if (request.weight_count == MAX_WEIGHTS)
      quit(EXIT_USAGE, "--shards takes at most %d weights", MAX_WEIGHTS);
    sum += request.weights[request.weight_count++] = option_number("shards", weight, 0, 1000000);
  }
  if (sum == 0) quit(EXIT_USAGE, "--shards needs a weight above 0");
}

static void set_transport(char *name) {
  if (strcmp(name, "auto") != 0 && strcmp(name, "mpi") != 0 && strcmp(name, "nccl") != 0 &&
      strcmp(name, "direct") != 0)
    quit(EXIT_USAGE, "--transport is auto, direct, nccl or mpi, not '%s'", name);
  request.transport = name;
}

static void set_device_memory(char *text) {
  if (!parse_size(text, &request.device_memory) || request.device_memory == 0)
    quit(EXIT_USAGE, "--device-memory takes bytes like 8G or 512Mi, not '%s'", text);
}

static void add_setting(char *text) {
  if (request.setting_count == MAX_SETTINGS)
    quit(EXIT_USAGE, "there are more than %d settings", MAX_SETTINGS);
  request.settings[request.setting_count++] = text;
}

static void set_format(char *name) { request.format = option_format(name, FORMAT_JSON); }

static void add_export(char *text) {
  option_add_export(request.exports, &request.export_count, text, FORMAT_JSON);
}

// ---- the options, with the text of --help -------------------------------------------------------

static const Option options[] = {
    {.help = "Input:"},
    {"n", "SIZES",
     "Numbers of elements of all ranks together: 1000, 64K, 2G, 2^28, ranges 1M..8M (doubling), "
     "separated by commas (1M; on the cpu backend 2^14)",
     .set = add_sizes},
    {"dist", "INPUTS", "Names of inputs, separated by commas, or all (uniform); see --list",
     .set = add_kinds},
    {"seed", "N", "Seed of the inputs (1)", .seed = &request.seed},
    {"input", "FILE",
     "Keys of a file: raw little-endian u32, or .npy with one dimension of '<u4'; each rank reads "
     "its shard",
     .text = &request.input},
    {"shards", "WEIGHTS", "Sizes of the ranks' shards in proportion, such as 1,0,3 (equal)",
     .set = set_weights},
    {"keys", NULL, "Sort bare keys", .flag = &request.keys},
    {"pairs", NULL, "Sort pairs of key and position (default; with --keys: both)",
     .flag = &request.pairs},
    {"list", NULL, "List the inputs", .flag = &request.list},
    {.help = "How it sorts:"},
    {"transport", "NAME",
     "How elements travel: direct (each GPU writes to the others' memory; one machine), nccl (from "
     "GPU to GPU), mpi (through host memory), or auto: the first that works (auto)",
     .set = set_transport},
    {"chunks", "C", "Parts of a shard; one travels while the next is partitioned, 1 to 64 (4)",
     .number = &request.chunks, .min = 1, .max = 64},
    {"digits", "BITS",
     "Upper bits by which bare keys are sorted on their way, if they travel directly, 0 to 8 (8); "
     "pairs are sorted by a part of their upper bits, with 0 not (only many)",
     .number = &request.digit_bits, .min = 0, .max = SCATTER_MOST_BITS},
    {"share-gpus", NULL, "Allow more ranks than GPUs on a machine", .flag = &request.share_gpus},
    {"host", NULL, "Sort arrays in host memory, which may be larger than the device's",
     .flag = &request.host},
    {"device-memory", "BYTES",
     "Device memory that --host may take on each rank, such as 8G (three quarters of what is free)",
     .set = set_device_memory},
    {"set", "KNOB=VALUE", "Set a knob of the version that sorts on each device (repeatable)",
     .set = add_setting},
    {.help = "Measurement:"},
    {"reps", "R", "Timed runs, 1 to 1000 (9)", .number = &request.repetitions, .min = 1,
     .max = 1000},
    {"stages", "on|off", "Time the stages too, in separate runs (on)", .flag = &request.stages},
    {"baselines", "on|off",
     "Also time one device with its share, one with everything if it fits, and a sample sort by "
     "Thrust and NCCL; of --host the bare copies (on)",
     .flag = &request.baselines},
    {"timeout", "T", "End the run if a rank makes no progress for T seconds (600; 0.5, 30, 2m)",
     .seconds = &request.timeout},
    {.help = "Output:"},
    {"output", "FILE",
     "Write the sorted keys to FILE (.npy, or else raw), which appears complete or not at all",
     .text = &request.output},
    {"output-positions", "FILE", "Write the positions of sorted pairs likewise",
     .text = &request.output_positions},
    {"format", "FORMAT", "Format of standard output: table, csv or json (table)",
     .set = set_format},
    {"export", "FORMAT=FILE",
     "Also write the rows to FILE, which appears complete or not at all (repeatable)",
     .set = add_export},
    {0}};

// ---- the command line ---------------------------------------------------------------------------

static void list_inputs(void) {
  printf("Inputs:\n");
  for (int i = 0; input_kinds[i].name != NULL; i++)
    printf("  %-14s %s\n", input_kinds[i].name, input_kinds[i].meaning);
  exit(EXIT_RIGHT);
}

// Completes and checks the settings that depend on several options.
static void complete(void) {
  if (request.list) list_inputs();
  if (!request.keys) request.pairs = true;
  if (request.input != NULL && (request.size_count > 0 || request.kind_count > 0))
    quit(EXIT_USAGE, "--input goes without --n and --dist: all keys of the file are sorted");
  if (request.input == NULL && request.kind_count == 0) add_kind(input_find("uniform"));
#ifdef CUDA_CPU
  const uint64_t size = 1 << 14;
#else
  const uint64_t size = 1000000;
#endif
  if (request.input == NULL && request.size_count == 0) request.sizes[request.size_count++] = size;
  if (request.device_memory > 0 && !request.host)
    quit(EXIT_USAGE, "--device-memory goes with --host");
  const bool one_row =
      (request.input != NULL || (request.size_count == 1 && request.kind_count == 1)) &&
      request.keys != request.pairs;
  if (request.output != NULL && !one_row)
    quit(EXIT_USAGE, "--output takes one input, one size, and --keys or --pairs");
  if (request.output_positions != NULL && (!one_row || !request.pairs))
    quit(EXIT_USAGE, "--output-positions takes one input, one size, and --pairs");
}

Request request_parse(int count, char **arguments) {
  request = (Request){.seed = 1,
                      .transport = "auto",
                      .chunks = 4,
                      .digit_bits = DIGITS_AUTO,
                      .repetitions = 9,
                      .stages = true,
                      .baselines = true,
                      .timeout = 600.0};
  const int first = options_parse(
      options, NULL,
      "Sorts an array that is spread over the ranks of mpirun, each with a device, judges the "
      "result and times it."
      "\vRun: mpirun -n 2 ./multi_sort --n 2G --keys\n"
      "Exit status: 0 all right, 1 a wrong result, 2 usage or unreadable input, 3 device or "
      "memory.",
      count, arguments);
  if (first < count) quit(EXIT_USAGE, "multi_sort takes options only, not '%s'", arguments[first]);
  complete();
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
