// For tests of what CHECK builds know about order: a kernel that is right, and the same kernel with
// one fence or barrier left out, about which a CHECK build has to name both accesses.
//
// A kernel gets the number of the part that is missing, 0 for none. Lines that a report has to name
// carry a comment: /*A*/.
#ifndef CUDA_CPU_TESTS_ORDER_H
#define CUDA_CPU_TESTS_ORDER_H

#include "device_test.h"

#include <deque>

struct Race {
  std::vector<int> missing;    // any one of these parts
  const char *first, *second;  // the comments of two lines, in either order
};

// One kernel; `run` launches it, in a child process.
struct Pattern {
  const char *name;
  void (*run)(int missing);
  std::vector<Race> races;
};

// PATTERN(name, races...) { launches the kernel without the part `missing` }
#define PATTERN(name, ...)                                                        \
  static void run_##name(int missing);                                            \
  static const AddPattern add_pattern_##name({#name, run_##name, {__VA_ARGS__}}); \
  static void run_##name(int missing)

// "FILE:LINE " of the line with this comment, as reports write it.
inline std::string place_of(const char *file, const char *comment) {
  return std::string(strrchr(file, '/') + 1) + ":" + std::to_string(marked_line(file, comment)) +
         " ";
}

inline bool is_one_report(const std::string &errors, const std::string &a, const std::string &b) {
  for (size_t begin = errors.find("racecheck: error: "); begin != std::string::npos;
       begin = errors.find("racecheck: error: ", begin + 1)) {
    const std::string report = errors.substr(begin, errors.find('\n', begin) - begin);
    const size_t first = report.find(a), second = report.rfind(b);
    if (first != std::string::npos && second != std::string::npos && (a != b || first != second))
      return true;
  }
  return false;
}

inline std::deque<Pattern> all_patterns;  // they keep their places

inline std::string child_name(const Pattern &pattern, int missing) {
  return std::string(pattern.name) + "-" + std::to_string(missing);
}

// Registers a pattern, and what its child processes run: NAME-NUMBER.
struct AddPattern {
  explicit AddPattern(const Pattern &pattern) {
    all_patterns.push_back(pattern);
    const Pattern &kept = all_patterns.back();
    add_child(kept, 0);
    for (const Race &race : kept.races)
      for (const int missing : race.missing) add_child(kept, missing);
  }

 private:
  static void add_child(const Pattern &pattern, int missing) {
    mistakes.push_back({child_name(pattern, missing), [&pattern, missing] {
                          pattern.run(missing);
                          const bool good = cudaDeviceSynchronize() == cudaSuccess &&
                                            cudaGetLastError() == cudaSuccess;
                          for (unsigned *array : zero_arrays) cudaFree(array);
                          exit(good ? 0 : 1);
                        }});
  }
};

inline void check_race(const Pattern &pattern, const Race &race, int missing, const char *file) {
  const std::string name = child_name(pattern, missing);
  const Child wrong = run_mistake(name.c_str());
  if (wrong.exit_code != 3 ||
      !is_one_report(wrong.errors, place_of(file, race.first), place_of(file, race.second)))
    fail_msg("%s: no race of lines %s and %s, exit code %d: %s", name.c_str(), race.first,
             race.second, wrong.exit_code, wrong.errors);
}

inline void check_pattern(const Pattern &pattern, const char *file) {
  const Child right = run_mistake(child_name(pattern, 0).c_str());
  if (right.exit_code != 0 || strstr(right.errors, "error: ") != NULL)
    fail_msg("%s, which is right, ends with code %d: %s", pattern.name, right.exit_code,
             right.errors);
  if (strcmp(kChecked, "all") != 0 && strcmp(kChecked, "race") != 0) return;
  for (const Race &race : pattern.races)
    for (const int missing : race.missing) check_race(pattern, race, missing, file);
}

TEST(patterns) {
  for (const Pattern &pattern : all_patterns) check_pattern(pattern, __BASE_FILE__);
}

#endif
