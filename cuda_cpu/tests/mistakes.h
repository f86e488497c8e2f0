// For tests of diagnoses. A mistake ends the program, so such a test runs itself again, with the
// mistake's name as its argument.
#ifndef CUDA_CPU_TESTS_MISTAKES_H
#define CUDA_CPU_TESTS_MISTAKES_H

#include "device_test.h"

#include <string>

#include "run_child.h"

struct Mistake {
  const char *name;
  void (*make)(void);
};
#define MISTAKE(name) \
  Mistake { #name, run_##name }

inline Child run_mistake(const char *name, const char *variable = NULL, const char *value = NULL) {
  Child child;
  child_run(&child, "/proc/self/exe", name, variable, value);
  return child;
}

// Exit code 3 and a report that holds all of these. On a GPU, which reports nothing: skips the
// test.
inline void expect_report(const char *name, const std::vector<std::string> &texts) {
#ifndef CUDA_CPU
  skip();
#endif
  const Child child = run_mistake(name);
  for (const std::string &text : texts) child_expect_text(child.errors, text.c_str());
  assert_int_equal(child.exit_code, 3);
}

// To begin main() with: in a child makes the mistake, and then ends as if nothing had happened.
template <size_t N>
void make_mistake_if_child(int argc, char **argv, const Mistake (&mistakes)[N]) {
  if (argc != 2) return;
  for (const Mistake &mistake : mistakes)
    if (strcmp(mistake.name, argv[1]) == 0) {
      mistake.make();
      exit(0);
    }
  fprintf(stderr, "no mistake is called '%s'\n", argv[1]);
  exit(100);
}

#endif
