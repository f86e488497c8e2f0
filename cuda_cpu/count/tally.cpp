#include "tally.h"

#include <algorithm>

namespace cuda_cpu::count {

void Tally::add(const Tally &other) {
  requests += other.requests, lanes += other.lanes, sectors += other.sectors;
  wavefronts += other.wavefronts, conflicts += other.conflicts;
  queue = std::max(queue, other.queue);
}

// ---- global memory ------------------------------------------------------------------------------

void Sectors::add(std::uint64_t sector, bool reads, bool writes) {
  if (sector / 64 != last_) page_ = &pages_[last_ = sector / 64];
  const std::uint64_t bit = std::uint64_t{1} << sector % 64;
  if (reads) page_->read |= bit;
  if (writes) page_->written |= bit;
}

void Sectors::count(std::uint64_t *read, std::uint64_t *written) const {
  for (const auto &page : pages_) {
    *read += static_cast<unsigned>(__builtin_popcountll(page.second.read));
    *written += static_cast<unsigned>(__builtin_popcountll(page.second.written));
  }
}

void Sectors::clear() {
  pages_.clear();
  last_ = ~std::uint64_t{0};
}

namespace {

constexpr unsigned kSectorBytes = 32;

// Atomics at one address go one after another: each turn takes one lane of each address, and counts
// the sectors that it touches.
unsigned atomic_sectors(const Request &request, unsigned *queue) {
  std::uintptr_t sorted[32];
  std::copy_n(request.address, request.count, sorted);
  std::sort(sorted, sorted + request.count);
  unsigned sectors = 0, longest = 0;  // in the sector
  for (unsigned i = 0, equal = 0; i < request.count; i++) {
    const bool same_sector = i > 0 && sorted[i] / kSectorBytes == sorted[i - 1] / kSectorBytes;
    equal = i > 0 && sorted[i] == sorted[i - 1] ? equal + 1 : 1;
    if (!same_sector) sectors += longest, longest = 0;
    longest = std::max(longest, equal);
    *queue = std::max(*queue, equal);
  }
  return sectors + longest;
}

}  // namespace

void add_global(Tally &tally, Operation operation, const Request &request, std::size_t bytes,
                Sectors &touched) {
  std::uint64_t sector[64];
  unsigned count = 0;
  bool ascending = true;
  for (unsigned i = 0; i < request.count; i++) {
    const std::uint64_t first = request.address[i] / kSectorBytes,
                        last = (request.address[i] + bytes - 1) / kSectorBytes;
    for (std::uint64_t s = first; s <= last; s++) {
      if (count > 0 && sector[count - 1] == s) continue;
      ascending = ascending && (count == 0 || sector[count - 1] < s);
      sector[count++] = s;
    }
  }
  if (!ascending) {
    std::sort(sector, sector + count);
    count = static_cast<unsigned>(std::unique(sector, sector + count) - sector);
  }
  for (unsigned i = 0; i < count; i++)
    touched.add(sector[i], operation != Operation::kStore, operation != Operation::kLoad);
  tally.requests++;
  tally.lanes += request.count;
  tally.sectors += operation == Operation::kAtomic ? atomic_sectors(request, &tally.queue) : count;
}

// ---- shared memory ------------------------------------------------------------------------------

namespace {

bool at_one_address(const Request &request, unsigned from, unsigned to) {
  std::uintptr_t different = 0;
  for (unsigned i = from; i < to; i++) different |= request.address[i] ^ request.address[from];
  return different == 0;
}

// 32 banks of 4 bytes. A wavefront serves one word of each bank, to any number of lanes.
unsigned wavefronts_of(const Request &request, unsigned from, unsigned to, std::size_t bytes) {
  std::uintptr_t words[64];
  unsigned count = 0;
  for (unsigned i = from; i < to; i++)
    for (std::uintptr_t word = request.address[i] / 4; word <= (request.address[i] + bytes - 1) / 4;
         word++)
      words[count++] = word;
  std::uintptr_t in_bank[32];
  std::uint32_t used = 0;
  bool conflict = false;
  for (unsigned i = 0; i < count && !conflict; i++) {
    const unsigned bank = words[i] % 32;
    conflict = (used >> bank & 1u) != 0 && in_bank[bank] != words[i];
    used |= 1u << bank, in_bank[bank] = words[i];
  }
  if (!conflict) return 1;
  std::sort(words, words + count);
  count = static_cast<unsigned>(std::unique(words, words + count) - words);
  unsigned of_bank[32] = {}, most = 0;
  for (unsigned i = 0; i < count; i++) most = std::max(most, ++of_bank[words[i] % 32]);
  return most;
}

// Of request.lane[from..to), `lanes` neighbours in the warp. A wavefront serves 256 bytes of
// neighbours at one address; otherwise it takes at least one for each 128 bytes of them.
void add_wavefronts(Tally &tally, const Request &request, unsigned from, unsigned to,
                    unsigned lanes, std::size_t bytes) {
  if (from == to) return;
  const bool equal = lanes * bytes <= 256 && at_one_address(request, from, to);
  if (!equal && lanes * bytes > 128) {
    unsigned middle = from;
    while (middle < to && request.lane[middle] % lanes < lanes / 2) middle++;
    add_wavefronts(tally, request, from, middle, lanes / 2, bytes);
    add_wavefronts(tally, request, middle, to, lanes / 2, bytes);
    return;
  }
  const unsigned wavefronts = equal ? 1 : wavefronts_of(request, from, to, bytes);
  tally.wavefronts += wavefronts;
  tally.conflicts += wavefronts - 1;
}

}  // namespace

void add_shared(Tally &tally, Operation operation, const Request &request, std::size_t bytes) {
  add_wavefronts(tally, request, 0, request.count, 32, bytes);
  tally.requests++;
  tally.lanes += request.count;
  if (operation == Operation::kAtomic) (void)atomic_sectors(request, &tally.queue);
}

}  // namespace cuda_cpu::count
