// compare's options: their names, and the texts of --help.
#ifndef HARNESS_COMPARE_OPTION_TABLE_H
#define HARNESS_COMPARE_OPTION_TABLE_H

#include <argp.h>

// Above all characters, so that no option has a one-letter form.
enum {
  OPTION_N = 256,
  OPTION_DIST,
  OPTION_INPUT,
  OPTION_IMAGE,
  OPTION_SEED,
  OPTION_KEYS,
  OPTION_PAIRS,
  OPTION_OFFSET,
  OPTION_REPS,
  OPTION_NOISE,
  OPTION_TIME_LIMIT,
  OPTION_STAGES,
  OPTION_SET,
  OPTION_SWEEP,
  OPTION_BASELINE,
  OPTION_FORMAT,
  OPTION_EXPORT,
  OPTION_SORT,
  OPTION_NO_COLOR,
  OPTION_PRINT,
  OPTION_SAVE_INPUT,
  OPTION_LIST,
  OPTION_NO_FORK,
};

// In the order of --help; ends with an entry of zeros.
extern const struct argp_option option_table[];

#endif
