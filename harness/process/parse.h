// Values as people type them on a command line.
#ifndef HARNESS_PARSE_H
#define HARNESS_PARSE_H

#include <stdbool.h>
#include <stdint.h>

// "1000", "1e6", "64K", "1.5M", "2^28", "4Ki": K, M, G are powers of 1000; Ki, Mi, Gi of 1024. At
// most 10^15. False when the text is no whole number of that kind.
bool parse_size(const char *text, uint64_t *value);

// A comma-separated list of sizes and ranges; FROM..TO doubles, FROM..TOxF multiplies by F,
// FROM..TO+S adds S. "1K,1M..8M" is 1000, 1000000, 2000000, 4000000, 8000000. Appends to values,
// which hold *count of at most max. Returns NULL, or one sentence about the mistake in the text
// (valid until the next call).
const char *parse_sizes(const char *text, uint64_t *values, int *count, int max);

// A whole decimal number in [min, max].
bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *value);

// A percentage from 0 to 100 as a fraction: "1", "0.5", "1%".
bool parse_percent(const char *text, double *fraction);

// Seconds: "0.5", "30", "30s", "2m"; above 0 and at most a day.
bool parse_seconds(const char *text, double *seconds);

#endif
