// Places in the source, by addr2line: it comes with binutils, without which nothing was compiled.
// A library (libdw) would be one more thing to install, for at most a few dozen look-ups.
#include "lines.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

namespace cuda_cpu {

namespace {

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

bool is_ours(const std::string &place) {
  return has(place, "cuda_cpu/include/") || has(place, "cuda_cpu/src/") ||
         has(place, "cuda_cpu/check/") || has(place, "/usr/");
}

bool is_cuda(const std::string &place) { return has(place, ".cu:") || has(place, ".cuh:"); }

// Paths as a user types them: below the working directory without it, and the generated headers
// as what they were made from.
std::string shortened(std::string place) {
  for (std::size_t at; (at = place.find("/./")) != std::string::npos;) place.erase(at, 2);
  if (is_ours(place)) return place;
  char directory[4096];
  if (getcwd(directory, sizeof directory) != nullptr) {
    const std::string prefix = std::string(directory) + "/";
    if (place.compare(0, prefix.size(), prefix) == 0) place.erase(0, prefix.size());
  }
  while (place.compare(0, 2, "./") == 0) place.erase(0, 2);
  const std::size_t comment = place.find(" (");  // "(discriminator 2)"
  return place.substr(0, comment);
}

// What addr2line says about a call that returns to `pc`: all its places, innermost first.
std::vector<std::string> places_of(std::uintptr_t pc, const char *options = "-i") {
  std::vector<std::string> places;
  Dl_info object = {};
  link_map *map = nullptr;
  if (dladdr1(reinterpret_cast<void *>(pc), &object, reinterpret_cast<void **>(&map),
              RTLD_DL_LINKMAP) == 0)
    return places;
  // Files of the system: debug packages may give them lines, too.
  const std::string file = map->l_name;
  if (file.compare(0, 5, "/lib/") == 0 || file.compare(0, 7, "/lib64/") == 0 ||
      file.compare(0, 9, "/usr/lib/") == 0)
    return places;
  // The program itself by its process: it may have no name, as HW4's sorter, which runs from
  // memory.
  std::string name = map->l_name;
  if (name.empty()) name = "/proc/" + std::to_string(getpid()) + "/exe";
  for (std::size_t at = 0; (at = name.find('\'', at)) != std::string::npos; at += 4)
    name.replace(at, 1, "'\\''");
  // The call, not what it returns to.
  char address[32];
  std::snprintf(address, sizeof address, "%#zx", static_cast<std::size_t>(pc - 1 - map->l_addr));
  const std::string command =
      std::string("addr2line ") + options + " -e '" + name + "' " + address + " 2>/dev/null";
  FILE *const output = popen(command.c_str(), "r");
  if (output == nullptr) return places;
  char line[4096];
  while (std::fgets(line, sizeof line, output) != nullptr) {
    line[std::strcspn(line, "\n")] = '\0';
    if (std::strncmp(line, "??", 2) != 0 && *line != ':') places.push_back(shortened(line));
  }
  pclose(output);
  return places;
}

}  // namespace

std::string line_of(std::uintptr_t pc) {
  static std::map<std::uintptr_t, std::string> known;
  std::string &line = known[pc];
  if (!line.empty()) return line;
  const std::vector<std::string> places = places_of(pc);
  std::string outermost;
  for (const std::string &place : places) {
    if (is_ours(place)) continue;
    if (line.empty()) line = place;
    outermost = place;
  }
  if (outermost != line) line += " (inlined at " + outermost + ")";
  if (line.empty() && !places.empty()) line = places.front();
  if (line.empty()) {
    char address[32];
    std::snprintf(address, sizeof address, "%#zx", static_cast<std::size_t>(pc));
    line = address;
  }
  return line;
}

std::string function_at(const void *address) {
  static std::map<const void *, std::string> known;
  std::string &name = known[address];
  if (!name.empty()) return name;
  const auto found = places_of(reinterpret_cast<std::uintptr_t>(address) + 1, "-f -C");
  name = found.empty() ? "a kernel" : found.front();
  name = name.substr(0, name.find_first_of("<("));  // "void sweep<8>(unsigned*)"
  return name = name.substr(name.find_last_of(" :") + 1);
}

std::string line_of_caller(void *const *pc, int count) {
  std::string other;
  for (int i = 0; i < count; i++) {
    std::string line = line_of(reinterpret_cast<std::uintptr_t>(pc[i]));
    if (line.compare(0, 2, "0x") == 0 || is_ours(line)) continue;
    if (is_cuda(line)) return line;
    if (other.empty()) other = line;
  }
  return other;
}

std::string line_of_user(void *const *pc, int count, const char *library) {
  for (int i = 0; i < count; i++)
    for (const std::string &place : places_of(reinterpret_cast<std::uintptr_t>(pc[i]))) {
      if (library != nullptr && has(place, library)) return "";
      if (!is_ours(place)) return place;
    }
  return kUnknownLine;
}

}  // namespace cuda_cpu
