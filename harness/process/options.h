// The command line of a program: a table of its options, which argp reads.
#ifndef HARNESS_OPTIONS_H
#define HARNESS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Option {
  const char *name;      // NULL: `help` is a heading
  const char *argument;  // its name in the help; NULL: the option takes none
  const char *help;      // NULL ends the table
  // What it sets, one of these:
  bool *flag;               // to true; an option with an argument takes on or off
  const char **text;        // to the argument
  int *number, min, max;    // to a whole number from min to max
  uint64_t *seed;           // to a whole number up to INT64_MAX
  double *seconds;          // parse_seconds()
  void (*set)(char *text);  // whatever this function sets
} Option;

// Reads the options. Returns the index of the first of the other arguments, which are moved behind
// them. Ends the program with a sentence and EXIT_USAGE on a mistake, and with EXIT_RIGHT after
// --help. `arguments_name` and `description` are argp's args_doc and doc.
int options_parse(const Option *options, const char *arguments_name, const char *description,
                  int count, char **arguments);

// ---- values that several programs take ----------------------------------------------------------
// Each function ends the program with a sentence and EXIT_USAGE on a mistake.

enum { MAX_EXPORTS = 8 };

typedef enum Format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_MD } Format;

// One --export FORMAT=FILE.
typedef struct Export {
  Format format;
  const char *path;
} Export;

// A whole number from min to max.
uint64_t option_number(const char *option, const char *text, uint64_t min, uint64_t max);

// The name of a format, of those up to `last`.
Format option_format(const char *name, Format last);

// FORMAT=FILE to exports[*count]; a file can be named once. `text` has to outlive `exports`.
void option_add_export(Export exports[MAX_EXPORTS], int *count, const char *text, Format last);

#endif
