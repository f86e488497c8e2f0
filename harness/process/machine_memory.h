// The machine's memory. Where Linux overcommits, malloc() and mmap() grant any size, and a program
// that uses it is killed, or takes the memory of all others.
#ifndef HARNESS_MACHINE_MEMORY_H
#define HARNESS_MACHINE_MEMORY_H

#include <stddef.h>
#include <unistd.h>

// Bytes.
static inline size_t machine_memory(void) {
  return (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

#endif
