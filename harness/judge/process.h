// The child process of sorter.h: starting it, listening to it, and its end.
#ifndef JUDGE_PROCESS_H
#define JUDGE_PROCESS_H

#include "harness/judge/sorter.h"

// Descriptor of the sorter's program. program.c makes it of HW4's data; tests have their own.
int sorter_program(void);

// Starts the sorter in a process group of its own, with nothing on stdin and with stdout and stderr
// led to the judge. Ends the program with exit code 3 if the system has no process to give.
void process_start(Sorter *sorter);

// Waits for the next answer and passes on what the sorter prints meanwhile. False, with
// sorter->failure set and the process gone, if it ended, took longer than `limit` seconds, or
// answered out of turn. If sorter->patient, seconds are CPU seconds where these are fewer, but at
// least a quarter of the time that passes: a busy machine takes longer for the same sort, and a
// sorter that sleeps must end too. `doing` completes the sentence: "at n = 1000".
bool process_listen(Sorter *sorter, AnswerKind expected, double limit, const char *doing,
                    Answer *answer);

// CPU seconds of the process so far; -1 if it is gone.
double process_cpu_seconds(const Sorter *sorter);

// Waits for the process to end by itself, at most `limit` seconds, then kills its group. Returns
// its status as waitpid() writes it, or -1 if it was still running.
int process_finish(Sorter *sorter, double limit);

// The line in which a sanitizer or cuda_cpu sums up, from the finding on; or NULL.
const char *process_finding(const Sorter *sorter, int *length);

// Writes sorter->failure from what process_finish() returned.
void process_explain(Sorter *sorter, int status, const char *doing);

#endif
