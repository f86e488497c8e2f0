// Which accesses happened before which: clocks of threads, and what one thread knows of others.
#ifndef CUDA_CPU_CHECK_CLOCKS_H
#define CUDA_CPU_CHECK_CLOCKS_H

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace cuda_cpu::check {

using Clock = std::uint32_t;
using Lanes = std::array<Clock, 32>;

// For some threads of some blocks, the clock up to which their accesses are known. Shared between
// threads, so never changed once made.
class Knowledge {
 public:
  // What a thread of `warp` knows of its block: of all threads up to `all`, of its warp's lanes
  // up to `lanes`.
  Knowledge(std::uint32_t block, Clock all, unsigned warp, const Lanes &lanes);
  Knowledge() = default;

  bool covers(std::uint32_t block, unsigned thread, Clock clock) const;
  // The union. Either may be null; returns one of the two if it holds the other.
  using Pointer = std::shared_ptr<const Knowledge>;
  static Pointer join(const Pointer &a, const Pointer &b);

 private:
  static constexpr unsigned kAllWarps = ~0u;  // lanes[0] is for all threads of the block
  struct Entry {
    std::uint32_t block;
    unsigned warp;
    Lanes lanes;
    bool before(const Entry &other) const {
      return block != other.block ? block < other.block : warp < other.warp;
    }
  };
  const Entry *find(std::uint32_t block, unsigned warp) const;
  std::vector<Entry> entries_;  // sorted
};

}  // namespace cuda_cpu::check
#endif
