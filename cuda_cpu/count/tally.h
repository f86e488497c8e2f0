// One request of a warp in the units of Nsight Compute: sectors, wavefronts, bank conflicts.
#ifndef CUDA_CPU_COUNT_TALLY_H
#define CUDA_CPU_COUNT_TALLY_H

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "count.h"

namespace cuda_cpu::count {

// What the requests of one instruction, or of several, add up to.
struct Tally {
  std::uint64_t requests = 0;                   // of warps
  std::uint64_t lanes = 0;                      // that took part in them
  std::uint64_t sectors = 0;                    // of 32 bytes, of global memory
  std::uint64_t wavefronts = 0, conflicts = 0;  // of shared memory, and those above the least
  unsigned queue = 0;  // atomics: the most lanes of one request at one address
  void add(const Tally &other);
};

// The lanes of one request.
struct Request {
  unsigned count = 0;  // of lanes
  unsigned lane[32];   // ascending
  std::uintptr_t address[32];
  void add(unsigned l, std::uintptr_t a) {
    lane[count] = l;
    address[count++] = a;
  }
};

// Sectors that a launch has read and written.
class Sectors {
 public:
  void add(std::uint64_t sector, bool reads, bool writes);
  void count(std::uint64_t *read, std::uint64_t *written) const;
  void clear();

 private:
  struct Page {  // 64 sectors
    std::uint64_t read = 0, written = 0;
  };
  std::unordered_map<std::uint64_t, Page> pages_;
  std::uint64_t last_ = ~std::uint64_t{0};
  Page *page_ = nullptr;
};

void add_global(Tally &tally, Operation operation, const Request &request, std::size_t bytes,
                Sectors &touched);
void add_shared(Tally &tally, Operation operation, const Request &request, std::size_t bytes);

// ---- kernels ------------------------------------------------------------------------------------

// An instruction that accesses memory.
struct Site {
  std::uintptr_t pc;
  std::size_t bytes;
  Space space;
  Operation operation;
  Tally tally;
  Request example;  // a usual one: the latest whose number is a power of two
  std::uint64_t least = ~std::uint64_t{0}, most = 0;  // sectors or wavefronts of a request
};

struct Kernel {
  std::string name;
  std::uint64_t launches = 0, blocks = 0, threads = 0;
  std::uint64_t counted_blocks = 0;  // whose accesses are counted
  std::uint64_t static_shared = 0,
                dynamic_shared = 0;  // bytes of a block, the most of all launches
  unsigned blocks_per_sm = 0;        // that threads and shared memory allow
  std::uint64_t barriers = 0;        // of blocks
  std::uint64_t syncwarps = 0, shuffles = 0, votes = 0, matches = 0, reductions = 0;
  std::uint64_t collective_lanes = 0;                    // that took part in the last five
  std::uint64_t sectors_read = 0, sectors_written = 0;   // distinct ones of each launch
  std::uint64_t global_hottest = 0, shared_hottest = 0;  // most atomics at one address
  std::vector<Site> sites;
  std::unordered_map<std::uint64_t, std::size_t> site_of;  // by what tells them apart
  // What all blocks have, if those counted have `number`.
  double scaled(std::uint64_t number) const {
    return static_cast<double>(number) * static_cast<double>(blocks) /
           static_cast<double>(counted_blocks);
  }
};

// As README.md describes it, in the order of the first launches. Ends the program if the file
// cannot be written.
void write_json(const char *path, const std::vector<std::unique_ptr<Kernel>> &kernels);

}  // namespace cuda_cpu::count
#endif
