// The counts as JSON.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <tuple>

#include "../src/diagnosis/lines.h"
#include "tally.h"

namespace cuda_cpu::count {

namespace {

constexpr const char *kSpaces[] = {"global", "shared"};
constexpr const char *kOperations[] = {"load", "store", "atomic"};

void number(std::FILE *file, const char *before, const char *name, std::uint64_t value) {
  std::fprintf(file, "%s\"%s\": %" PRIu64, before, name, value);
}

// `prefix`: "" or "global_load_".
void tally(std::FILE *file, const std::string &prefix, Space space, Operation operation,
           const Tally &t) {
  const auto field = [&](const char *name, std::uint64_t value) {
    number(file, ", ", (prefix + name).c_str(), value);
  };
  field("requests", t.requests);
  field("lanes", t.lanes);
  if (space == Space::kGlobal) {
    field("sectors", t.sectors);
  } else {
    field("wavefronts", t.wavefronts);
    field("conflicts", t.conflicts);
  }
  if (operation == Operation::kAtomic) field("longest_queue", t.queue);
}

void lines(std::FILE *file, const Kernel &kernel) {
  std::map<std::tuple<std::string, Space, Operation, std::size_t>, Tally> of_line;
  for (const Site &site : kernel.sites)
    of_line[{line_of(site.pc), site.space, site.operation, site.bytes}].add(site.tally);
  std::fprintf(file, ",\n   \"lines\": [");
  const char *before = "";
  for (const auto &[place, t] : of_line) {
    const auto &[line, space, operation, bytes] = place;
    std::fprintf(file, "%s\n    {\"line\": \"%s\", \"access\": \"%s %s\", \"bytes\": %zu", before,
                 line.c_str(), kSpaces[static_cast<int>(space)],
                 kOperations[static_cast<int>(operation)], bytes);
    tally(file, "", space, operation, t);
    std::fprintf(file, "}");
    before = ",";
  }
  std::fprintf(file, "]");
}

void kernel_as_json(std::FILE *file, const Kernel &k) {
  std::fprintf(file, "  {\"kernel\": \"%s\"", k.name.c_str());
  const std::pair<const char *, std::uint64_t> numbers[] = {
      {"launches", k.launches},
      {"blocks", k.blocks},
      {"threads", k.threads},
      {"static_shared_bytes", k.static_shared},
      {"dynamic_shared_bytes", k.dynamic_shared},
      {"blocks_per_sm", k.blocks_per_sm},
      {"barriers", k.barriers},
      {"syncwarps", k.syncwarps},
      {"shuffles", k.shuffles},
      {"votes", k.votes},
      {"matches", k.matches},
      {"reductions", k.reductions},
      {"collective_lanes", k.collective_lanes},
      {"distinct_sectors_read", k.sectors_read},
      {"distinct_sectors_written", k.sectors_written},
      {"global_atomics_at_one_address", k.global_hottest},
      {"shared_atomics_at_one_address", k.shared_hottest}};
  for (const auto &[name, value] : numbers) number(file, ", ", name, value);
  for (const Space space : {Space::kGlobal, Space::kShared})
    for (const Operation operation : {Operation::kLoad, Operation::kStore, Operation::kAtomic}) {
      Tally sum;
      for (const Site &site : k.sites)
        if (site.space == space && site.operation == operation) sum.add(site.tally);
      tally(file,
            std::string(kSpaces[static_cast<int>(space)]) + "_" +
                kOperations[static_cast<int>(operation)] + "_",
            space, operation, sum);
    }
  lines(file, k);
  std::fprintf(file, "}");
}

}  // namespace

void write_json(const char *path, const std::vector<std::unique_ptr<Kernel>> &kernels) {
  std::FILE *const file = std::fopen(path, "w");
  if (file == nullptr) {
    std::fprintf(stderr, "count: cannot write %s: %m\n", path);
    std::_Exit(3);
  }
  number(file, "{", "copied_bytes", copied_bytes);
  number(file, ", ", "host_copied_bytes", host_copied_bytes);
  number(file, ", ", "host_accesses", host_accesses);
  std::fprintf(file, ", \"kernels\": [");
  const char *before = "\n";
  for (const auto &kernel : kernels) {
    std::fputs(before, file);
    kernel_as_json(file, *kernel);
    before = ",\n";
  }
  std::fprintf(file, "]}\n");
  if (std::fclose(file) != 0) {
    std::fprintf(stderr, "count: cannot write %s: %m\n", path);
    std::_Exit(3);
  }
}

}  // namespace cuda_cpu::count
