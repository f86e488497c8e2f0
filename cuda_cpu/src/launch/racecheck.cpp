// Shuffled runs.
#include "racecheck.h"

#include <numeric>
#include <utility>

#include "block.h"
#include "../diagnosis/settings.h"

namespace cuda_cpu {

void shuffle_order(BlockState &block, std::uint64_t launch_number, std::uint64_t block_index) {
  block.random.state = settings().seed;
  block.random.state = block.random.next() + launch_number;
  block.random.state = block.random.next() + block_index;
  block.order_memory.resize(block.count);
  std::iota(block.order_memory.begin(), block.order_memory.end(), 0u);
  for (unsigned i = block.count; i > 1; i--)
    std::swap(block.order_memory[i - 1], block.order_memory[block.random.below(i)]);
  block.order = block.order_memory.data();
  block.shuffled = true;
  block.collective = true;  // start and return are counted from the first thread on
}

}  // namespace cuda_cpu
