#include "harness/compare/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double NOISY = 0.1;
static const double UNKNOWN_CACHE_BYTES = 256e6;  // more than a CPU or GPU usually has

static double bytes_of(const Row *row) {
  const SortVersion *const version = row->loaded->version;
  const size_t words = key_words(version) + (row->pairs ? value_words(version) : 0);
  return (double)row->n * (double)(words * sizeof(unsigned int));
}

Rates row_rates(const Row *row, const Conditions *conditions) {
  const double seconds = row->measured.median_ms * 1e-3;
  if (row->status != ROW_RIGHT || seconds <= 0.0) return (Rates){0};
  const double bytes_per_second = 2.0 * bytes_of(row) / seconds;
  return (Rates){
      .gkeys_per_s = (double)row->n / seconds / 1e9,
      .gb_per_s = bytes_per_second / 1e9,
      .percent_of_copy = 100.0 * bytes_per_second / conditions->copy_bytes_per_second,
  };
}

bool row_is_noisy(const Row *row) {
  return row->status == ROW_RIGHT && row->measured.repetitions > 1 && row->measured.noise > NOISY;
}

bool row_is_suspicious(const Row *row, const Conditions *conditions) {
  const double cache =
      conditions->cache_bytes > 0 ? (double)conditions->cache_bytes : UNKNOWN_CACHE_BYTES;
  return bytes_of(row) > cache && row_rates(row, conditions).percent_of_copy > 100.0;
}

const char *status_name(RowStatus status) {
  static const char *const names[] = {
      [ROW_PENDING] = "pending", [ROW_RIGHT] = "ok",           [ROW_WRONG] = "wrong",
      [ROW_CRASHED] = "crashed", [ROW_FAILED] = "failed",      [ROW_STOPPED] = "stopped",
      [ROW_REFUSED] = "refused", [ROW_NO_MEMORY] = "no memory"};
  return names[status];
}

const char *limit_name(MeasureLimit limit) {
  static const char *const names[] = {
      [LIMIT_NOISE] = "noise", [LIMIT_REPETITIONS] = "reps", [LIMIT_TIME] = "time"};
  return names[limit];
}

const char *elements_name(const Row *row) {
  static const char *const names[][3] = {
      [KEY_U32] = {"keys", "pairs"},
      [KEY_I32] = {"i32 keys", "i32+u32 pairs"},
      [KEY_F32] = {"f32 keys", "f32+u32 pairs"},
      [KEY_U64] = {"u64 keys", "u64+u32 pairs", "u64+u64 pairs"},
      [KEY_I64] = {"i64 keys", "i64+u32 pairs", "i64+u64 pairs"},
      [KEY_F64] = {"f64 keys", "f64+u32 pairs", "f64+u64 pairs"},
  };
  const SortVersion *const version = row->loaded->version;
  return names[version->key][row->pairs ? value_words(version) : 0];
}

void row_label(const Row *row, char *text, size_t size) {
  const SortVersion *const version = row->loaded->version;
  size_t used =
      (size_t)snprintf(text, size, "%s%s", version->name, version->on_host ? " (CPU)" : "");
  for (int i = 0; version->knobs[i].name != NULL && used < size; i++)
    if (row->shown[i])
      used += (size_t)snprintf(text + used, size - used, " %s=%d", version->knobs[i].name,
                               row->knobs[i]);
}

void row_verdict(const Row *row, char *text, size_t size) {
  if (row->status == ROW_RIGHT)
    snprintf(text, size, "PASS");
  else if (row->status == ROW_REFUSED || row->status == ROW_NO_MEMORY)
    snprintf(text, size, "refused: %s", row->message);
  else
    snprintf(text, size, "%s", row->message);
}

void row_notes(const Row *row, const Conditions *conditions, char *text, size_t size) {
  const bool noisy = row_is_noisy(row), suspicious = row_is_suspicious(row, conditions);
  snprintf(text, size, "%s%s%s", noisy ? "noisy" : "", noisy && suspicious ? ", " : "",
           suspicious ? "suspicious" : "");
}

// ---- numbers ------------------------------------------------------------------------------------

const char *number_grouped(size_t n, char text[32]) {
  char digits[24];
  const int length = snprintf(digits, sizeof digits, "%zu", n);
  int at = 0;
  for (int i = 0; i < length; i++) {
    if (i > 0 && (length - i) % 3 == 0) text[at++] = ',';
    text[at++] = digits[i];
  }
  text[at] = '\0';
  return text;
}

const char *number_short(double value, int digits, int decimals, char text[32]) {
  // The exponent after rounding: 9.996 has two digits before its point.
  char rounded[40];
  snprintf(rounded, sizeof rounded, "%.*e", digits - 1, value);
  const char *const exponent = strchr(rounded, 'e');  // NULL: infinite, or not a number
  const int wanted = exponent == NULL ? 0 : digits - 1 - (int)strtol(exponent + 1, NULL, 10);
  snprintf(text, 32, "%.*f", wanted < 0 ? 0 : wanted > decimals ? decimals : wanted, value);
  return text;
}

const char *number_percent(double value, char text[32]) {
  char digits[32];
  snprintf(text, 32, "%.30s%%", number_short(value, 3, 2, digits));
  return text;
}
