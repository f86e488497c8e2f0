// What all formats have in common: rates, names, verdicts in words.
#include "harness/compare/compare.h"

Rates row_rates(const Row *row, const Conditions *conditions) {
  const double seconds = row->measured.median_ms * 1e-3, n = (double)row->n;
  if (row->status != ROW_RIGHT || seconds <= 0.0) return (Rates){0.0, 0.0, 0.0};
  const double bytes_per_second = 2.0 * n * (row->pairs ? 8.0 : 4.0) / seconds;
  return (Rates){n / seconds / 1e9, bytes_per_second / 1e9,
                 100.0 * bytes_per_second / conditions->copy_bytes_per_second};
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

void row_verdict(const Row *row, char *text, size_t size) {
  if (row->status == ROW_RIGHT)
    snprintf(text, size, "PASS");
  else if (row->status == ROW_REFUSED || row->status == ROW_NO_MEMORY)
    snprintf(text, size, "refused: %s", row->message);
  else
    snprintf(text, size, "%s", row->message);
}

void cuda_versions(const DeviceInfo *device, char *text, size_t size) {
  const int driver = device->driver_version, runtime = device->runtime_version;
  if (driver == 0)
    snprintf(text, size, "none");
  else
    snprintf(text, size, "%d.%d (runtime %d.%d)", driver / 1000, driver % 1000 / 10, runtime / 1000,
             runtime % 1000 / 10);
}
