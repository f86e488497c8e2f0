// Reads Linux's description of the processor. Plain C, so that programs built for a GPU can use it
// too.
#ifndef CUDA_CPU_CPUINFO_H
#define CUDA_CPU_CPUINFO_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// Copies the first core's value of a /proc/cpuinfo field, such as "model name" or "cpu MHz", into
// text[size]. Returns false and leaves text unchanged if the kernel does not report that field.
static inline bool cpuinfo_field(const char *field, char *text, size_t size) {
  FILE *const file = fopen("/proc/cpuinfo", "r");
  if (file == NULL) return false;
  char line[512];
  bool found = false;
  while (!found && fgets(line, sizeof line, file) != NULL) {
    const char *const colon = strchr(line, ':');
    found = colon != NULL && strncmp(line, field, strlen(field)) == 0;
    if (!found) continue;
    const char *const value = colon + 1 + strspn(colon + 1, " \t");
    snprintf(text, size, "%.*s", (int)strcspn(value, "\n"), value);
  }
  fclose(file);
  return found;
}

#endif
