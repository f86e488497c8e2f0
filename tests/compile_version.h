// Compiles small versions, for tests of what loads them.
#ifndef TESTS_COMPILE_VERSION_H
#define TESTS_COMPILE_VERSION_H

#include <sys/stat.h>

#include "tests/unit.h"

// Makes the folder, and FOLDER/version.so in it: a version that sorts nothing, with these fields of
// sort_version. They may use `none` (stages), `knob` (no knobs) and `bad` (a knob outside its
// range).
static inline void compile_version(const char *folder, const char *fields) {
  const char *const source = text_of("%s/version.c", folder);
  const char *const code = text_of(
      "#include \"common/your_sort.h\"\n"
      "const char *const none[] = {NULL};\n"
      "const SortKnob knob[] = {{0}}, bad[] = {{\"k\", 9, 1, 5, \"m\"}, {0}};\n"
      "const SortVersion sort_version = {%s};\n"
      "void your_sort(unsigned int *const a, unsigned int *const b, unsigned int *const c,\n"
      "               unsigned int *const d, const size_t n) {\n"
      "  (void)a, (void)b, (void)c, (void)d, (void)n;\n"
      "}\n",
      fields);
  assert_int_equal(mkdir(folder, 0777), 0);
  write_file(source, code, strlen(code));
  assert_int_equal(
      system(text_of("cc -shared -fPIC -iquote . %s -o %s/version.so", source, folder)), 0);
}

#endif
