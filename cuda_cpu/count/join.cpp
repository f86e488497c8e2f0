// Joins what the lanes of a warp do, one after another here, to the warp's requests.
#include <cuda_cpu/counts.h>
#include <cuda_cpu/launch_calls.h>
#include <cuda_cpu/warp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>

#include "../src/diagnosis/lines.h"
#include "../src/launch/block.h"
#include "../src/launch/grid.h"
#include "count.h"
#include "tally.h"

namespace cuda_cpu::count {

bool is_on = true;
std::uint64_t copied_bytes, host_copied_bytes, host_accesses;
const Thread *last_thread = nullptr;
Log *last_log = nullptr;
Slot slots[4096];

namespace {

using AtomicsAt = std::unordered_map<std::uintptr_t, std::uint64_t>;  // number by address

struct BlockAccesses {
  std::vector<Log> logs;  // of its threads
  AtomicsAt atomics;      // in its shared memory
  bool counted;           // false: left out of a sample
};

// The running launch.
struct Launched {
  Kernel *kernel = nullptr;
  std::uint64_t number = 0;
  Sectors sectors;
  AtomicsAt atomics;
};

bool was_started = false;
// Never destroyed: report() runs behind the program's destructors.
auto &kernels = *new std::vector<std::unique_ptr<Kernel>>;
auto &blocks = *new std::unordered_map<const Block *, BlockAccesses>;  // emptied at their ends
auto &launched = *new Launched;

// COUNT_BLOCKS: 8 counts the first of each eight blocks of a kernel. 1 if it is not set.
std::uint64_t count_every() {
  static const std::uint64_t number = [] {
    const char *const text = std::getenv("COUNT_BLOCKS");
    if (text == nullptr || *text == '\0') return 1ul;
    char *end;
    const unsigned long value = std::strtoul(text, &end, 10);
    if (*end == '\0' && value >= 1 && value <= 1000000) return value;
    std::fprintf(stderr, "count: COUNT_BLOCKS is a number from 1 to 1000000, not '%s'\n", text);
    std::_Exit(2);
  }();
  return number;
}

std::uint64_t most_at_once(const AtomicsAt &atomics) {
  std::uint64_t most = 0;
  for (const auto &address : atomics) most = std::max(most, address.second);
  return most;
}

void end_launch() {
  if (launched.kernel == nullptr) return;
  Kernel &kernel = *launched.kernel;
  launched.sectors.count(&kernel.sectors_read, &kernel.sectors_written);
  kernel.global_hottest = std::max(kernel.global_hottest, most_at_once(launched.atomics));
  launched.sectors.clear();
  launched.atomics.clear();
  launched.kernel = nullptr;
}

void begin_launch(const Grid &grid) {
  end_launch();
  const Launch &launch = grid.launch;
  // "(cudaLaunchKernelEx)" and the like tell less than the debug information.
  const bool named = launch.name[0] != '(' || launch.kernel == nullptr;
  const std::string name = named ? launch.name : function_at(launch.kernel);
  std::unique_ptr<Kernel> *known = nullptr;
  for (auto &kernel : kernels)
    if (kernel->name == name) known = &kernel;
  if (known == nullptr) known = &kernels.emplace_back(std::make_unique<Kernel>());
  launched.kernel = known->get();
  launched.kernel->name = name;
  launched.kernel->launches++;
  launched.number = grid.number;
  std::fill(std::begin(slots), std::end(slots), Slot());
}

// ---- requests -----------------------------------------------------------------------------------

void add_request(Site &site, const Request &request, BlockAccesses &block) {
  const Tally before = site.tally;
  if (site.space == Space::kGlobal)
    add_global(site.tally, site.operation, request, site.bytes, launched.sectors);
  else
    add_shared(site.tally, site.operation, request, site.bytes);
  const std::uint64_t cost =
      site.tally.sectors + site.tally.wavefronts - before.sectors - before.wavefronts;
  site.least = std::min(site.least, cost), site.most = std::max(site.most, cost);
  if ((before.requests & (before.requests - 1)) == 0) site.example = request;
  if (site.operation != Operation::kAtomic) return;
  AtomicsAt &atomics = site.space == Space::kGlobal ? launched.atomics : block.atomics;
  for (unsigned i = 0; i < request.count; i++) atomics[request.address[i]]++;
}

// Accesses of a warp's lanes, each from..to of its log.
struct Part {
  const Entry *from[32], *to[32];
};
// For each lane, its accesses by one instruction.
struct Lanes {
  std::vector<const Entry *> at[32];
  std::size_t most = 0;
};

void add_request_of(BlockAccesses &block, const Lanes &lanes, std::size_t number) {
  Request request;
  const Entry *entry = nullptr;
  for (unsigned lane = 0; lane < 32; lane++)
    if (number < lanes.at[lane].size()) {
      entry = lanes.at[lane][number];
      request.add(lane, entry->address);
    }
  add_request(launched.kernel->sites[entry->site], request, block);
}

// As long as all lanes that have accesses left go the same way, each access is a request.
// Returns the lanes whose ways part then, at the beginning of what is left of them.
std::uint32_t join_equal_ways(BlockAccesses &block, Part &part) {
  for (;;) {
    Request request;
    const Entry *way[32];
    std::ptrdiff_t least = PTRDIFF_MAX, i = 0;
    std::uint32_t left = 0;
    for (unsigned lane = 0; lane < 32; lane++)
      if (part.from[lane] != part.to[lane]) {
        way[request.count] = part.from[lane];
        request.add(lane, 0);
        left |= 1u << lane;
        least = std::min(least, part.to[lane] - part.from[lane]);
      }
    if (left == 0) return 0;
    for (; i < least; i++) {
      const std::uint64_t site = way[0][i].site;
      std::uint64_t different = 0;
      for (unsigned j = 0; j < request.count; j++) {
        const Entry entry = way[j][i];
        request.address[j] = entry.address;
        different |= entry.site ^ site;
      }
      if (different != 0) break;
      add_request(launched.kernel->sites[site], request, block);
    }
    for (unsigned j = 0; j < request.count; j++) part.from[request.lane[j]] += i;
    if (i < least) return left;
  }
}

// Lanes whose ways part meet again at an instruction to which all of them come equally often, the
// n-th time of each: in a loop they do so in every round. Of several, it is the one that the kernel
// came to first, which is that of the outer loop. If there is none, the n-th accesses by one
// instruction are one request.
void join_part(BlockAccesses &block, Part part) {
  const std::uint32_t left = join_equal_ways(block, part);
  if (left == 0) return;
  std::map<std::uint64_t, Lanes> of_site;
  for (unsigned lane = 0; lane < 32; lane++)
    for (const Entry *entry = part.from[lane]; entry != part.to[lane]; entry++) {
      Lanes &lanes = of_site[entry->site];
      lanes.at[lane].push_back(entry);
      lanes.most = std::max(lanes.most, lanes.at[lane].size());
    }
  const Lanes *meeting = nullptr;
  for (const auto &site : of_site) {
    bool equal = meeting == nullptr;
    for (unsigned lane = 0; lane < 32; lane++)
      equal =
          equal && ((left >> lane & 1u) == 0 || site.second.at[lane].size() == site.second.most);
    if (equal) meeting = &site.second;
  }
  if (meeting == nullptr) {
    for (const auto &site : of_site)
      for (std::size_t i = 0; i < site.second.most; i++) add_request_of(block, site.second, i);
    return;
  }
  for (std::size_t i = 0; i < meeting->most; i++) {
    Part before = part;
    for (unsigned lane = 0; lane < 32; lane++)
      if ((left >> lane & 1u) != 0) {
        before.to[lane] = meeting->at[lane][i];
        part.from[lane] = before.to[lane] + 1;
      }
    join_part(block, before);
    add_request_of(block, *meeting, i);
  }
  join_part(block, part);
}

// The warp meets.
void join(BlockAccesses &block, unsigned warp) {
  last_thread = nullptr;
  Part part = {};
  const std::size_t count = std::min<std::size_t>(32, block.logs.size() - warp * 32);
  for (std::size_t lane = 0; lane < count; lane++) {
    const Log &log = block.logs[warp * 32 + lane];
    part.from[lane] = log.data();
    part.to[lane] = log.data() + log.size();
  }
  join_part(block, part);
  for (std::size_t lane = 0; lane < count; lane++) block.logs[warp * 32 + lane].clear();
}

}  // namespace

void find_site(Slot &slot, std::uint64_t key, Space space, Operation operation, std::size_t bytes,
               std::uintptr_t pc) {
  Kernel &kernel = *launched.kernel;
  const auto found = kernel.site_of.insert({key, kernel.sites.size()});
  if (found.second) kernel.sites.push_back({pc, bytes, space, operation, {}, {}});
  slot = {key, found.first->second};
}

void find_log() {
  last_thread = current;
  static Log left_out;
  left_out.clear();
  BlockAccesses &block = blocks[current_block];
  last_log = block.counted ? &block.logs[current->number] : &left_out;
}

// ---- blocks and warps ---------------------------------------------------------------------------

void block_begins(BlockState &block) {
  if (!is_on) return;
  const Launch &launch = block.grid->launch;
  if (launched.kernel == nullptr || launched.number != block.grid->number)
    begin_launch(*block.grid);
  Kernel &kernel = *launched.kernel;
  BlockAccesses &accesses = blocks[&block];
  accesses.counted = kernel.blocks++ % count_every() == 0;
  accesses.logs.resize(block.count);
  kernel.counted_blocks += accesses.counted;
  kernel.threads += block.count;
  kernel.dynamic_shared = std::max(kernel.dynamic_shared, std::uint64_t{launch.shared_bytes});
}

void block_synchronised(BlockState &block) {
  if (!is_on) return;
  launched.kernel->barriers++;
  BlockAccesses &accesses = blocks[&block];
  for (unsigned warp = 0; warp < block.warp_memory.size(); warp++) join(accesses, warp);
}

void warp_called(BlockState &block, unsigned warp, unsigned lanes, int operation) {
  if (!is_on) return;
  Kernel &kernel = *launched.kernel;
  (operation == kSyncWarp                             ? kernel.syncwarps
   : operation <= kShuffleXor                         ? kernel.shuffles
   : operation <= kAll                                ? kernel.votes
   : operation == kMatchAny || operation == kMatchAll ? kernel.matches
                                                      : kernel.reductions)++;
  kernel.collective_lanes += static_cast<unsigned>(__builtin_popcount(lanes));
  const Warp &state = block.warps[warp];
  if ((state.present & ~state.returned & ~lanes) != 0) return;
  join(blocks[&block], warp);
}

void block_ends(BlockState &block) {
  if (!is_on) return;
  Kernel &kernel = *launched.kernel;
  BlockAccesses &accesses = blocks[&block];
  for (unsigned warp = 0; warp < block.warp_memory.size(); warp++) join(accesses, warp);
  kernel.shared_hottest = std::max(kernel.shared_hottest, most_at_once(accesses.atomics));
  accesses.atomics.clear();
  std::uint64_t bytes = 0;
  for (int i = 0; i < block.shared.arrays; i++) bytes += block.shared.array[i].bytes;
  kernel.static_shared = std::max(kernel.static_shared, bytes);
  kernel.blocks_per_sm = resident_blocks(block.count, kernel.static_shared + kernel.dynamic_shared);
}

// ---- the program --------------------------------------------------------------------------------

void start() {
  end_launch();
  if (!was_started) kernels.clear(), copied_bytes = host_copied_bytes = host_accesses = 0;
  is_on = was_started = true;
}

void stop() {
  end_launch();
  is_on = false;
}

void report() {
  end_launch();
  const char *const path = std::getenv("CUDA_CPU_COUNT");
  if (path != nullptr && !kernels.empty()) write_json(path, kernels);
}

}  // namespace cuda_cpu::count

void cuda_cpu_take_counts(CudaCpuCounts *counts) {
  using namespace cuda_cpu::count;
  static CudaCpuCounts taken;
  CudaCpuCounts all = {};
  all.bytes = static_cast<double>(copied_bytes + host_copied_bytes + 32 * host_accesses);
  for (const auto &kernel : kernels)
    for (const Site &site : kernel->sites) {
      all.conflicts += kernel->scaled(site.tally.conflicts);
      if (site.operation == Operation::kAtomic) all.atomics += kernel->scaled(site.tally.lanes);
      if (site.space != Space::kGlobal) continue;
      all.requests += kernel->scaled(site.tally.requests);
      all.sectors += kernel->scaled(site.tally.sectors);
    }
  all.bytes += 32 * all.sectors;
  counts->bytes += all.bytes - taken.bytes;
  counts->requests += all.requests - taken.requests;
  counts->sectors += all.sectors - taken.sectors;
  counts->conflicts += all.conflicts - taken.conflicts;
  counts->atomics += all.atomics - taken.atomics;
  taken = all;
}
