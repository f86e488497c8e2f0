#include "common/lab.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/check.h"

static uint32_t pass_shift, pass_bits;
static uint64_t pass_tile;

// The descriptor for the records, or -1 outside a check.
static int channel(void) {
  static int descriptor = -2;
  if (descriptor == -2) {
    const char *const text = getenv(LAB_CHANNEL);
    descriptor = text == NULL ? -1 : (int)strtol(text, NULL, 10);
  }
  return descriptor;
}

static void write_all(const void *data, size_t bytes) {
  for (const char *next = data; bytes > 0;) {
    const ssize_t written = write(channel(), next, bytes);
    if (written <= 0) return;  // the check reports an incomplete record
    next += written;
    bytes -= (size_t)written;
  }
}

static void write_record(const char *name, const unsigned int *array, size_t count, uint64_t tile,
                         uint32_t part) {
  LabRecord record = {
      .shift = pass_shift, .bits = pass_bits, .part = part, .tile = tile, .count = count};
  memcpy(record.magic, LAB_MAGIC, sizeof record.magic);
  snprintf(record.name, sizeof record.name, "%s", name);
  write_all(&record, sizeof record);
  write_all(array, count * sizeof *array);
}

static void write_device_array(const char *name, const unsigned int *d_array, size_t count,
                               uint64_t tile, uint32_t part) {
  unsigned int *const host = MEMORY_CHECK(malloc((count + 1) * sizeof *host));
  CUDA_CHECK(cudaMemcpy(host, d_array, count * sizeof *host, cudaMemcpyDeviceToHost));
  write_record(name, host, count, tile, part);
  free(host);
}

void lab_pass(int shift, int bits, size_t tile) {
  pass_shift = (uint32_t)shift;
  pass_bits = (uint32_t)bits;
  pass_tile = tile;
}

void lab_show(const char *name, const unsigned int *d_array, size_t count) {
  if (channel() >= 0) write_device_array(name, d_array, count, pass_tile, 0);
}

void lab_show_host(const char *name, const unsigned int *array, size_t count) {
  if (channel() >= 0) write_record(name, array, count, pass_tile, 0);
}

void lab_runs(const char *name, const unsigned int *d_keys, size_t n, size_t width) {
  lab_parts(name, d_keys, n, 1, width);
}

void lab_parts(const char *name, const unsigned int *d_keys, size_t n, size_t part, size_t width) {
  if (channel() >= 0) write_device_array(name, d_keys, n, width, (uint32_t)part);
}

void lab_todo(const char *text) {
  static bool said = false;
  if (said) return;
  said = true;
  fprintf(stderr, "next: %s\n", text);
}
