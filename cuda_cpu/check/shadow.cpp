// The heap of CHECK builds and the shadow of all memory.
#include "shadow.h"

#include <execinfo.h>
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

#include "../src/diagnosis/limits.h"
#include "../src/diagnosis/check.h"

namespace cuda_cpu::check {

// ---- reserving ----------------------------------------------------------------------------------

namespace {

std::mutex reserved_mutex;
std::map<std::uintptr_t, std::size_t> reserved;  // bytes by address

}  // namespace

void *reserve(std::size_t bytes) {
  // A thread's own stack ends at least this far from it (is_private() in access.cpp).
  constexpr std::size_t kMargin = 256 * 1024;
  void *const memory = mmap(nullptr, bytes + 2 * kMargin, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::fprintf(stderr, "check: no %zu bytes of address space (ulimit -v?)\n", bytes);
    std::_Exit(3);
  }
  const std::lock_guard<std::mutex> guard(reserved_mutex);
  reserved[reinterpret_cast<std::uintptr_t>(memory)] = bytes + 2 * kMargin;
  return static_cast<char *>(memory) + kMargin;
}

bool is_reserved(std::uintptr_t address) {
  const std::lock_guard<std::mutex> guard(reserved_mutex);
  const auto above = reserved.upper_bound(address);
  return above != reserved.begin() && address - std::prev(above)->first < std::prev(above)->second;
}

namespace {

void unreserve(void *memory) {
  const std::lock_guard<std::mutex> guard(reserved_mutex);
  const auto range = std::prev(reserved.upper_bound(reinterpret_cast<std::uintptr_t>(memory)));
  munmap(reinterpret_cast<void *>(range->first), range->second);
  reserved.erase(range);
}

}  // namespace

void set_state(const Area &area, const void *memory, std::size_t bytes, State state) {
  State *at = area.states + (reinterpret_cast<std::uintptr_t>(memory) - area.begin) / 4;
  std::memset(at, state, bytes / 4);
  if (bytes % 4 == 0) return;
  const State some = static_cast<State>((1u << bytes % 4) - 1);
  at[bytes / 4] = state & static_cast<State>(some << 4 | some);
}

// ---- the heap -----------------------------------------------------------------------------------

Area heap;

namespace {

constexpr std::size_t kHeapBytes = std::size_t{1} << 38;  // of addresses, not of memory
constexpr std::size_t kGap = 4096;                        // between two allocations, at least
constexpr std::size_t kPage = 4096;

std::mutex mutex;
std::map<std::uintptr_t, Allocation> allocations;  // by address
// Of the heap. An access far in front of an array is still in the heap, and known to be outside.
std::size_t used = kHeapBytes / 4;
std::atomic<int> open_scopes{0};

// Gives the memory of whole pages back; the rest keeps its content.
void forget_pages(void *begin, std::size_t bytes) {
  const std::uintptr_t from = (reinterpret_cast<std::uintptr_t>(begin) + kPage - 1) / kPage * kPage;
  const std::uintptr_t to = (reinterpret_cast<std::uintptr_t>(begin) + bytes) / kPage * kPage;
  if (to > from) madvise(reinterpret_cast<void *>(from), to - from, MADV_DONTNEED);
}

}  // namespace

bool in_heap(const void *memory) {
  return reinterpret_cast<std::uintptr_t>(memory) - heap.begin < heap.bytes;
}

void *heap_allocate(std::size_t bytes, bool pinned) {
  settle();
  const std::lock_guard<std::mutex> guard(mutex);
  if (heap.bytes == 0) {
    heap.begin = reinterpret_cast<std::uintptr_t>(reserve(kHeapBytes));
    heap.states = static_cast<State *>(reserve(kHeapBytes / 4));
    heap.cells = static_cast<Cell *>(reserve(kHeapBytes / 4 * sizeof(Cell)));
    heap.bytes = kHeapBytes;
  }
  const std::size_t wanted = bytes + kGap + std::min<std::size_t>(bytes, 1 << 20);
  const std::size_t taken = (wanted + kMemoryAlignment - 1) / kMemoryAlignment * kMemoryAlignment;
  if (taken > heap.bytes - used) return nullptr;
  void *const memory = reinterpret_cast<void *>(heap.begin + used);
  used += taken;
  // Host code that is not compiled for checking may fill pinned memory.
  set_state(heap, memory, bytes, pinned ? kExists | kWritten : kExists);
  Allocation made = {bytes, pinned, false, 0, {}};
  made.frames = backtrace(made.frame, sizeof made.frame / sizeof *made.frame);
  allocations[reinterpret_cast<std::uintptr_t>(memory)] = made;
  return memory;
}

void heap_release(void *memory) {
  settle();
  const std::lock_guard<std::mutex> guard(mutex);
  Allocation &allocation = allocations.at(reinterpret_cast<std::uintptr_t>(memory));
  allocation.released = true;
  set_state(heap, memory, allocation.bytes, 0);
  forget_pages(memory, allocation.bytes);
  const std::size_t word = (reinterpret_cast<std::uintptr_t>(memory) - heap.begin) / 4;
  forget_pages(heap.cells + word, allocation.bytes / 4 * sizeof(Cell));
}

const Allocation *find_allocation(std::uintptr_t address, std::uintptr_t *begin) {
  const std::lock_guard<std::mutex> guard(mutex);
  if (allocations.empty()) return nullptr;
  const auto above = allocations.upper_bound(address);
  auto found = above;
  if (above != allocations.begin()) {
    const auto below = std::prev(above);
    const std::uintptr_t end = below->first + below->second.bytes;
    if (above == allocations.end() || address < end || address - end < above->first - address)
      found = below;
  }
  *begin = found->first;
  return &found->second;
}

bool is_far_from_arrays(std::uintptr_t address) {
  if (address - heap.begin >= heap.bytes) return false;  // shared memory
  std::uintptr_t begin = 0;
  const Allocation *const nearest = find_allocation(address, &begin);
  return nearest == nullptr || address + kGap < begin || address > begin + nearest->bytes + kGap;
}

namespace {

std::map<std::pair<std::string, std::uintptr_t>, int> arguments;  // by kernel and allocation

}  // namespace

void kernel_argument(const char *kernel, int index, const void *pointer) {
  if (!in_heap(pointer)) return;
  std::uintptr_t begin = 0;
  find_allocation(reinterpret_cast<std::uintptr_t>(pointer), &begin);
  const std::lock_guard<std::mutex> guard(mutex);
  arguments[{kernel, begin}] = index;
}

int argument_number(const char *kernel, std::uintptr_t allocation) {
  const std::lock_guard<std::mutex> guard(mutex);
  const auto found = arguments.find({kernel, allocation});
  return found == arguments.end() ? 0 : found->second;
}

// ---- writes that no hook sees -------------------------------------------------------------------

namespace {

// The state of a single byte is spread over two halves of its word's state.
State byte_written(std::uintptr_t address) { return static_cast<State>(1u << address % 4); }

}  // namespace

void heap_written(void *memory, std::size_t bytes) {
  settle();
  if (!in_heap(memory)) return;
  std::uintptr_t at = reinterpret_cast<std::uintptr_t>(memory) - heap.begin;
  for (const std::uintptr_t end = at + bytes; at < end;) {
    const bool whole = at % 4 == 0 && end - at >= 4;
    heap.states[at / 4] |= whole ? kWritten : byte_written(at);
    at += whole ? 4 : 1;
  }
}

void heap_copied(void *to, const void *from, std::size_t bytes) {
  if (!in_heap(to) || !in_heap(from)) {
    heap_written(to, bytes);
    return;
  }
  settle();
  const std::uintptr_t t = reinterpret_cast<std::uintptr_t>(to) - heap.begin,
                       f = reinterpret_cast<std::uintptr_t>(from) - heap.begin;
  std::size_t i = 0;
  if (t % 4 == 0 && f % 4 == 0)
    for (; i + 4 <= bytes; i += 4) {
      State &state = heap.states[(t + i) / 4];
      state = (state & kExists) | (heap.states[(f + i) / 4] & kWritten);
    }
  for (; i < bytes; i++) {
    State &state = heap.states[(t + i) / 4];
    if ((heap.states[(f + i) / 4] & byte_written(f + i)) != 0)
      state |= byte_written(t + i);
    else
      state &= static_cast<State>(~byte_written(t + i));
  }
}

void heap_written_by_library() {
  settle();
  const std::lock_guard<std::mutex> guard(mutex);
  for (const auto &allocation : allocations)
    if (!allocation.second.released)
      set_state(heap, reinterpret_cast<const void *>(allocation.first), allocation.second.bytes,
                kExists | kWritten);
}

void open_to_host(bool open) { open_scopes += open ? 1 : -1; }
bool is_open_to_host() { return open_scopes > 0; }

// ---- __device__ variables -----------------------------------------------------------------------

namespace {

struct Range {
  std::uintptr_t begin, end;
};

int collect_data(dl_phdr_info *object, std::size_t, void *ranges) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) &part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0) continue;
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    static_cast<std::vector<Range> *>(ranges)->push_back({begin, begin + part.p_memsz});
  }
  return 0;
}

// Libraries may be loaded at any time, so an address that is not found leads to a second look, but
// only once per page.
bool is_static_data(std::uintptr_t address) {
  static std::vector<Range> ranges;
  static std::unordered_map<std::uintptr_t, bool> known;  // by page
  const auto inside = [address] {
    for (const Range &range : ranges)
      if (address >= range.begin && address < range.end) return true;
    return false;
  };
  if (inside()) return true;
  if (!known.emplace(address / kPage, true).second) return false;
  ranges.clear();
  dl_iterate_phdr(collect_data, &ranges);
  return inside();
}

}  // namespace

Cell *static_cell(std::uintptr_t address) {
  static std::unordered_map<std::uintptr_t, Cell> cells;  // by word
  return is_static_data(address) ? &cells[address / 4] : nullptr;
}

// ---- blocks -------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kSharedWords = (512 * 1024) / 4;  // more than block.shared's arena

}  // namespace

BlockShadow::BlockShadow() {
  shared.states = static_cast<State *>(reserve(kSharedWords));
  shared.cells = static_cast<Cell *>(reserve(kSharedWords * sizeof(Cell)));
}

BlockShadow::~BlockShadow() {
  unreserve(shared.states);
  unreserve(shared.cells);
}

}  // namespace cuda_cpu::check
