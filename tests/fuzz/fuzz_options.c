// Fuzzes what reads numbers and knobs from the command line. What is accepted is inside its range.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/knobs.h"
#include "harness/process/parse.h"
#include "harness/versions/version_check.h"

static const char *const stages[] = {NULL};
static const SortKnob knobs[] = {
    {"blockSize", 256, 32, 1024, "threads per block"}, {"bits", -4, -8, 8, "an offset"}, {0}};
static const SortVersion version = {.name = "fuzz", .stages = stages, .knobs = knobs};

// common/check.c refers to it.
const char *cudaGetErrorString(cudaError_t error) { return error == cudaSuccess ? "" : "error"; }

static void read_numbers(const char *text) {
  uint64_t value = 0, values[64];
  int count = 0;
  double number = -1.0;
  if (parse_size(text, &value) && value > 1000000000000000) abort();
  const char *const mistake = parse_sizes(text, values, &count, 64);
  if (count < 0 || count > 64 || (mistake == NULL && count == 0)) abort();
  if (parse_number(text, 3, 77, &value) && (value < 3 || value > 77)) abort();
  if (parse_percent(text, &number) && !(number >= 0.0 && number <= 1.0)) abort();
  if (parse_seconds(text, &number) && !(number > 0.0 && number <= 86400.0)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *const text = malloc(size + 1);
  if (text == NULL) return 0;
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  read_numbers(text);
  Message message = {.text = ""};
  knobs_begin(&version);
  const bool good = knob_option(&version, text, &message);
  const int block = knob("blockSize"), bits = knob("bits");
  if (block < 32 || block > 1024 || bits < -8 || bits > 8) abort();
  if (!good && (message.text[0] == '\0' || block != 256 || bits != -4)) abort();
  free(text);
  return 0;
}
