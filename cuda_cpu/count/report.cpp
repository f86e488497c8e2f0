// The counts as JSON.
#include <jansson.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <tuple>

#include "../src/diagnosis/lines.h"
#include "tally.h"

namespace cuda_cpu::count {

namespace {

constexpr const char *kSpaces[] = {"global", "shared"};
constexpr const char *kOperations[] = {"load", "store", "atomic"};

void set(json_t *object, const std::string &name, std::uint64_t value) {
  json_object_set_new(object, name.c_str(), json_integer(static_cast<json_int_t>(value)));
}
void set(json_t *object, const char *name, const std::string &text) {
  json_object_set_new(object, name, json_string(text.c_str()));
}

void set_scaled(json_t *object, const std::string &name, const Kernel &kernel,
                std::uint64_t number) {
  set(object, name, static_cast<std::uint64_t>(std::llround(kernel.scaled(number))));
}

// `prefix`: "" or "global_load_".
void set_tally(json_t *object, const std::string &prefix, Space space, Operation operation,
               const Kernel &kernel, const Tally &t) {
  set_scaled(object, prefix + "requests", kernel, t.requests);
  set_scaled(object, prefix + "lanes", kernel, t.lanes);
  if (space == Space::kGlobal) {
    set_scaled(object, prefix + "sectors", kernel, t.sectors);
  } else {
    set_scaled(object, prefix + "wavefronts", kernel, t.wavefronts);
    set_scaled(object, prefix + "conflicts", kernel, t.conflicts);
  }
  if (operation == Operation::kAtomic) set(object, prefix + "longest_queue", t.queue);
}

json_t *example(const Site &site) {
  json_t *const lanes = json_array(), *const addresses = json_array();
  for (unsigned i = 0; i < site.example.count; i++) {
    json_array_append_new(lanes, json_integer(site.example.lane[i]));
    json_array_append_new(addresses,
                          json_integer(static_cast<json_int_t>(site.example.address[i])));
  }
  json_t *const object = json_object();
  json_object_set_new(object, "lanes", lanes);
  json_object_set_new(object, "addresses", addresses);
  set(object, "least", site.least);
  set(object, "most", site.most);
  return object;
}

json_t *lines(const Kernel &kernel) {
  struct Line {
    Tally tally;
    const Site *site;  // with the most requests
  };
  std::map<std::tuple<std::string, Space, Operation, std::size_t>, Line> of_line;
  for (const Site &site : kernel.sites) {
    const auto [found, is_new] = of_line.insert(
        {{line_of(site.pc), site.space, site.operation, site.bytes}, {Tally(), &site}});
    Line &line = found->second;
    line.tally.add(site.tally);
    if (site.tally.requests > line.site->tally.requests) line.site = &site;
  }
  json_t *const array = json_array();
  for (const auto &[place, sites] : of_line) {
    const auto &[line, space, operation, bytes] = place;
    json_t *const object = json_object();
    set(object, "line", line);
    set(object, "access",
        std::string(kSpaces[static_cast<int>(space)]) + " " +
            kOperations[static_cast<int>(operation)]);
    set(object, "bytes", bytes);
    set_tally(object, "", space, operation, kernel, sites.tally);
    json_object_set_new(object, "example", example(*sites.site));
    json_array_append_new(array, object);
  }
  return array;
}

json_t *json_of(const Kernel &k) {
  json_t *const object = json_object();
  set(object, "kernel", k.name);
  set(object, "launches", k.launches);
  set(object, "blocks", k.blocks);
  if (k.counted_blocks < k.blocks) set(object, "counted_blocks", k.counted_blocks);
  set(object, "threads", k.threads);
  set(object, "static_shared_bytes", k.static_shared);
  set(object, "dynamic_shared_bytes", k.dynamic_shared);
  set(object, "blocks_per_sm", k.blocks_per_sm);
  set(object, "barriers", k.barriers);
  set(object, "syncwarps", k.syncwarps);
  set(object, "shuffles", k.shuffles);
  set(object, "votes", k.votes);
  set(object, "matches", k.matches);
  set(object, "reductions", k.reductions);
  set(object, "collective_lanes", k.collective_lanes);
  set_scaled(object, "distinct_sectors_read", k, k.sectors_read);
  set_scaled(object, "distinct_sectors_written", k, k.sectors_written);
  set(object, "global_atomics_at_one_address", k.global_hottest);
  set(object, "shared_atomics_at_one_address", k.shared_hottest);
  for (const Space space : {Space::kGlobal, Space::kShared})
    for (const Operation operation : {Operation::kLoad, Operation::kStore, Operation::kAtomic}) {
      Tally sum;
      for (const Site &site : k.sites)
        if (site.space == space && site.operation == operation) sum.add(site.tally);
      set_tally(object,
                std::string(kSpaces[static_cast<int>(space)]) + "_" +
                    kOperations[static_cast<int>(operation)] + "_",
                space, operation, k, sum);
    }
  json_object_set_new(object, "lines", lines(k));
  return object;
}

}  // namespace

void write_json(const char *path, const std::vector<std::unique_ptr<Kernel>> &kernels) {
  json_t *const root = json_object();
  set(root, "copied_bytes", copied_bytes);
  set(root, "host_copied_bytes", host_copied_bytes);
  set(root, "host_accesses", host_accesses);
  json_t *const array = json_array();
  for (const auto &kernel : kernels) json_array_append_new(array, json_of(*kernel));
  json_object_set_new(root, "kernels", array);
  if (json_dump_file(root, path, 0) != 0) {
    std::fprintf(stderr, "count: cannot write %s: %s\n", path, std::strerror(errno));
    std::_Exit(3);
  }
  json_decref(root);
}

}  // namespace cuda_cpu::count
