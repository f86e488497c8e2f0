// What must hold when a program ends, whichever way: its output has been written.
#ifndef HARNESS_EXIT_GUARD_H
#define HARNESS_EXIT_GUARD_H

#include <stdbool.h>

// Opens standard input, output and error if the caller has closed them; otherwise a file that the
// program writes, or a channel to another process, would get the number of one of them, and receive
// the printed text. Writing to them still fails. A file that grows beyond `ulimit -f` is an error
// of write(), no signal. To be called first.
void exit_guard_descriptors(void);

// Calls exit_guard_descriptors(). From now on, a program that would end with exit code 0 although
// standard output could not be written (a full disk, behind --list or --help too) ends with
// EXIT_USAGE and a sentence.
void exit_guard_output(void);

// While a version runs in this process: ending the program is its doing, and no success.
void exit_guard_version(bool runs);

#endif
