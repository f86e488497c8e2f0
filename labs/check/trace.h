// Watches a sort from outside: which device arrays exist, and which of their values each kernel
// changed. trace_cpu.cpp calls trace.c around each launch. Both stand between the version and the
// functions that it calls, by the linker's option --wrap.
#ifndef LABS_CHECK_TRACE_H
#define LABS_CHECK_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// True while your_sort() runs and none of the watched functions has called another.
bool trace_watching(void);

// The running kernel launch: its arguments are collected first, then the launch is written with all
// that it changed. `index` counts a kernel's parameters from 1; pointers that lead into no known
// array are left out.
void trace_argument(int index, const void *pointer);
// `name` as in the source, or NULL; `address` of the kernel, or NULL: one of both names it. grid
// and block: 3 numbers.
void trace_launched(const char *name, const void *address, const unsigned int *grid,
                    const unsigned int *block, size_t shared_bytes);

#ifdef __cplusplus
}
#endif
#endif
