// HW4's command line.
#ifndef HW4_OPTIONS_H
#define HW4_OPTIONS_H

#include "common/your_sort.h"

typedef struct Options {
  const SortVersion *version;                 // the one that HW4 contains; --set has set its knobs
  const char *image, *eye_template, *output;  // paths
  bool list_knobs;
  bool image_only;    // leave out the battery of other sorts
  double time_limit;  // seconds that one call of the sort may take
} Options;

// Parses the command line. Ends the program after --help, --version and --knobs, and with exit code
// 2 and a sentence on stderr if the command line is wrong.
Options hw4_options(int count, char **arguments, const SortVersion *version);

#endif
