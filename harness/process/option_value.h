// Values of options that several programs have. Each function reads the text of a value, and ends
// the program with a sentence and EXIT_USAGE on a mistake.
#ifndef HARNESS_OPTION_VALUE_H
#define HARNESS_OPTION_VALUE_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_EXPORTS = 8 };

typedef enum Format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_MD } Format;

// One --export FORMAT=FILE.
typedef struct Export {
  Format format;
  const char *path;
} Export;

// A whole number from min to max.
uint64_t option_number(const char *option, const char *text, uint64_t min, uint64_t max);

bool option_on_or_off(const char *option, const char *text);

// The name of a format, of those up to `last`.
Format option_format(const char *name, Format last);

// FORMAT=FILE to exports[*count]; a file can be named once. `text` has to outlive `exports`.
void option_add_export(Export exports[MAX_EXPORTS], int *count, const char *text, Format last);

#endif
