// Reads and checks the CUDA_CPU_* variables.
#include "settings.h"

#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "check.h"

namespace cuda_cpu {

namespace {

constexpr const char *kPrefix = "CUDA_CPU_";
constexpr const char *kRacecheck = "CUDA_CPU_RACECHECK";
constexpr const char *kMemory = "CUDA_CPU_MEMORY";
constexpr const char *kProtect = "CUDA_CPU_PROTECT";
constexpr const char *kCount = "CUDA_CPU_COUNT";  // read by ../../count

// The value of a variable, or null if it is not set or empty.
const char *value_of(const char *name) {
  const char *const text = std::getenv(name);
  return text == nullptr || *text == '\0' ? nullptr : text;
}

std::uint64_t whole_number(const char *name, std::uint64_t least, std::uint64_t otherwise) {
  const char *const text = value_of(name);
  if (text == nullptr) return otherwise;
  errno = 0;
  const std::uint64_t value = std::strtoumax(text, nullptr, 10);
  // strtoumax() alone would accept spaces, signs and trailing letters.
  const bool digits = text[std::strspn(text, "0123456789")] == '\0';
  if (!digits || errno != 0 || value < least) {
    std::fprintf(stderr, "%s takes a whole number from %" PRIu64 " to %" PRIu64 ", not '%s'\n",
                 name, least, UINT64_MAX, text);
    std::exit(2);
  }
  return value;
}

Protection protect_from_environment() {
  const char *const text = value_of(kProtect);
  if (text == nullptr || std::strcmp(text, "keys") == 0) return Protection::kKeys;
  if (std::strcmp(text, "pages") == 0) return Protection::kPages;
  if (std::strcmp(text, "off") == 0) return Protection::kOff;
  std::fprintf(stderr, "%s takes keys, pages or off, not '%s'\n", kProtect, text);
  std::exit(2);
}

// A misspelt variable would otherwise switch off a check without a word.
void refuse_unknown_names() {
  for (char **variable = environ; variable != nullptr && *variable != nullptr; variable++) {
    const std::size_t length = std::strcspn(*variable, "=");
    const auto is = [&](const char *name) {
      return std::strlen(name) == length && std::strncmp(*variable, name, length) == 0;
    };
    if (std::strncmp(*variable, kPrefix, std::strlen(kPrefix)) != 0) continue;
    if (is(kRacecheck) || is(kMemory) || is(kProtect)) continue;
    if (check::kCounts && is(kCount)) continue;
    std::fprintf(stderr, "%.*s is not a setting; there are %s, %s, %s and, in COUNT builds, %s\n",
                 static_cast<int>(length), *variable, kRacecheck, kMemory, kProtect, kCount);
    std::exit(2);
  }
}

Settings read_settings() {
  refuse_unknown_names();
  const std::uint64_t ram = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                            static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  Settings from_environment;
  from_environment.shuffle = value_of(kRacecheck) != nullptr;
  from_environment.seed = whole_number(kRacecheck, 0, 0);
  from_environment.memory_limit = whole_number(kMemory, 1, ram / 10 * 9);
  from_environment.protect = protect_from_environment();
  return from_environment;
}

}  // namespace

const Settings &settings() {
  static const Settings from_environment = read_settings();
  return from_environment;
}

}  // namespace cuda_cpu
