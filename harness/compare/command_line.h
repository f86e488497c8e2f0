// compare's command line and its help.
#ifndef HARNESS_COMPARE_COMMAND_LINE_H
#define HARNESS_COMPARE_COMMAND_LINE_H

#include "harness/compare/request.h"

// Reads and checks the command line. Ends the program with EXIT_USAGE on a mistake, and with
// EXIT_RIGHT after --help.
Request command_line_parse(int count, char **arguments);

#endif
