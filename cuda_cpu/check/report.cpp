// What was found: once per pair of lines, at most kMost times, and exit code 3 at the end.
#include <execinfo.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <set>
#include <string>

#include "../count/count.h"
#include "../src/diagnosis/check.h"
#include "../src/launch/block.h"
#include "../src/launch/grid.h"
#include "access.h"
#include "../src/diagnosis/lines.h"

namespace cuda_cpu::check {

namespace {

constexpr int kMost = 10;
constexpr int kExitCode = 3;

std::mutex mutex;
// In memory that processes share: what a child of fork() finds counts for its parent's exit code.
std::atomic<int> *findings = nullptr;
pid_t first_process = 0;
std::set<std::pair<std::uintptr_t, std::uintptr_t>> known_addresses;
std::set<std::string> known_lines;

// One report at a time. Functions of the library that this file calls may be those of a kernel's
// file, which are watched too: the linker keeps one of each.
struct Reporting {
  Reporting() {
    mutex.lock();
    is_reporting = true;
  }
  ~Reporting() {
    is_reporting = false;
    mutex.unlock();
  }
  Reporting(const Reporting &) = delete;
  Reporting &operator=(const Reporting &) = delete;
};

// ---- words --------------------------------------------------------------------------------------

[[gnu::format(printf, 1, 2)]] std::string text(const char *format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  return line;
}

std::string index_text(const uint3 &i) { return text("(%u,%u,%u)", i.x, i.y, i.z); }

std::string thread_text(unsigned thread, std::uint64_t block) {
  const Launch &launch = state_of(*current_block).grid->launch;
  return "thread " + index_text(unflatten(thread, launch.block)) + " of block " +
         index_text(unflatten(block, launch.grid));
}

std::string running_thread() {
  return thread_text(current->number, state_of(*current_block).shadow->index);
}

const char *access_text(const Stamp &stamp, bool is_write) {
  if (stamp.is_atomic()) return "atomic";
  if (stamp.is_volatile()) return is_write ? "volatile write" : "volatile read";
  return is_write ? "write" : "read";
}

const char *plural(std::size_t n) { return n == 1 ? "" : "s"; }

// Where an offset lies in an array of `bytes` bytes.
std::string place_text(std::uintptr_t begin, std::size_t bytes, std::size_t element,
                       std::uintptr_t address) {
  if (address >= begin + bytes)
    return text("%zu byte%s past its end", address - begin - bytes,
                plural(address - begin - bytes));
  if (address < begin)
    return text("%zu byte%s before its start", begin - address, plural(begin - address));
  std::string place = text("index %zu", (address - begin) / element);
  if (element > 1) place += text(" of elements of %zu bytes", element);
  return place;
}

std::string shared_text(const BlockShadow &block, const Access &access) {
  const SharedArray *best = nullptr;
  for (const SharedArray &array : block.arrays) {
    const bool below = array.begin <= access.address;
    if (best == nullptr || (below && (array.begin > best->begin || best->begin > access.address)))
      best = &array;
  }
  if (best == nullptr) return "shared memory, of which the block has none";
  const bool inside = access.address - best->begin < best->bytes;
  const std::size_t element = best->element_bytes > 0 ? best->element_bytes : access.bytes;
  std::string name = best->name == nullptr ? std::string("dynamic shared memory")
                                           : text("shared array '%s'", best->name);
  if (!inside) name += text(" of %zu bytes,", best->bytes);
  return name + " " + place_text(best->begin, best->bytes, element, access.address);
}

std::string heap_text(const Access &access) {
  std::uintptr_t begin = 0;
  const Allocation *const allocation = find_allocation(access.address, &begin);
  if (allocation == nullptr) return text("address %#zx", access.address);
  const std::string line = line_of_caller(allocation->frame, allocation->frames);
  std::string details = line.empty() ? "" : "allocated at " + line;
  const char *const kernel =
      current_block != nullptr ? state_of(*current_block).grid->launch.name : "";
  const int argument = argument_number(kernel, begin);
  if (argument > 0) details = text("argument %d of the kernel, ", argument) + details;
  return text("an array of %zu bytes (%s)%s, ", allocation->bytes, details.c_str(),
              allocation->released ? ", freed since" : "") +
         place_text(begin, allocation->bytes, access.bytes, access.address);
}

std::string memory_text(const Access &access) {
  if (current != nullptr) {
    const BlockShadow &block = *state_of(*current_block).shadow;
    const BlockShadow *const owner = owner_of(access.address);
    if (owner == &block) return shared_text(block, access);
    if (owner != nullptr)
      return shared_text(*owner, access) + " of block " +
             index_text(unflatten(owner->index, state_of(*current_block).grid->launch.grid));
  }
  if (access.address - heap.begin < heap.bytes) return heap_text(access);
  return text("a __device__ variable at %#zx", access.address);
}

// ---- printing -----------------------------------------------------------------------------------

void print(const std::string &key, const std::string &message) {
  if (!known_lines.insert(key).second) return;
  const int count = ++*findings;
  if (count > kMost) return;
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", message.c_str());
  if (current_block != nullptr)
    std::fprintf(stderr, "  in kernel %s\n", state_of(*current_block).grid->launch.name);
  if (count == kMost) std::fprintf(stderr, "check: further findings are only counted\n");
  std::fflush(stderr);
}

// Mistakes of one access. False if it has been reported.
bool is_new(const Access &access, std::uintptr_t tool) {
  return known_addresses.insert({access.pc, tool}).second;
}

}  // namespace

bool is_reporting = false;

bool race_is_known(std::uintptr_t pc, std::uintptr_t earlier_pc) {
  if (known_addresses.empty()) return false;
  const Reporting guard;
  return known_addresses.count({pc, earlier_pc}) > 0;
}

void report_race(const Access &access, const Stamp &me, const Stamp &earlier,
                 bool earlier_is_write) {
  const Reporting guard;
  known_addresses.insert({me.pc(), earlier.pc()});
  known_addresses.insert({earlier.pc(), me.pc()});
  const BlockShadow &block = *state_of(*current_block).shadow;
  const bool one_block = me.block() == earlier.block();
  const bool one_warp = one_block && me.thread() / 32 == earlier.thread() / 32;
  const std::string first = line_of(earlier.pc()), second = line_of(me.pc());
  const char *const reason =
      has_seen(block, earlier, me.thread())
          ? "an atomic or volatile read has seen that the first had been done, but no "
            "__threadfence() follows it"
      : one_warp  ? "no barrier or __syncwarp between them"
      : one_block ? "no barrier between them"
                  : "nothing orders the two blocks (an atomic behind __threadfence would)";
  const auto thread = [&](const Stamp &stamp) {
    return thread_text(stamp.thread(), stamp.block() - block.first_number);
  };
  print("race " + std::min(first, second) + " " + std::max(first, second),
        text("racecheck: error: %s at %s by %s and ", access_text(earlier, earlier_is_write),
             first.c_str(), thread(earlier).c_str()) +
            text("%s at %s by %s of ", access_text(me, access.is_write), second.c_str(),
                 thread(me).c_str()) +
            memory_text(access) + ": " + reason);
}

void report_outside(const Access &access) {
  if (!kMemSelected && !is_far_from_arrays(access.address)) return;
  const Reporting guard;
  if (!is_new(access, 1)) return;
  const std::string line = line_of(access.pc);
  print("mem " + line, text("memcheck: error: %s of %zu bytes at %s by %s outside its array: ",
                            access.is_write ? "write" : "read", access.bytes, line.c_str(),
                            running_thread().c_str()) +
                           memory_text(access));
}

void report_misaligned(const Access &access, std::size_t alignment) {
  const Reporting guard;
  if (!is_new(access, 4)) return;
  const std::string line = line_of(access.pc);
  print("align " + line,
        text("memcheck: error: misaligned %s at %s by %s: address %#zx is no multiple of %zu, ",
             access.is_write ? "write" : "read", line.c_str(), running_thread().c_str(),
             access.address, alignment) +
            memory_text(access));
}

void report_host_memory(const Access &access, const HostArray &array) {
  const Reporting guard;
  if (!is_new(access, 6)) return;
  const std::string line = line_of(access.pc);
  const std::string where =
      array.pc == 0 ? "the stack of host code"
                    : place_text(array.begin, array.bytes, access.bytes, access.address) +
                          text(", of %zu bytes allocated at ", array.bytes) + line_of(array.pc);
  print("host memory " + line, text("memcheck: error: %s of %zu bytes at %s by %s of host memory: ",
                                    access.is_write ? "write" : "read", access.bytes, line.c_str(),
                                    running_thread().c_str()) +
                                   where + "; on a GPU it fails: cudaMalloc()");
}

void report_unwritten(const Access &access) {
  if (!kInitSelected) return;
  const Reporting guard;
  if (!is_new(access, 2)) return;
  const std::string line = line_of(access.pc);
  print("init " + line,
        text("initcheck: error: read at %s by %s of memory that was never written: ", line.c_str(),
             running_thread().c_str()) +
            memory_text(access));
}

void report_host(const Access &access) {
  const Reporting guard;
  if (!is_new(access, 3)) return;
  void *frames[32];
  const std::string line = line_of_user(frames, backtrace(frames, 32), "/thrust/");
  if (line.empty()) return;  // a library that runs on the device
  print("host " + line, text("memcheck: error: host code %s device memory at %s: ",
                             access.is_write ? "writes" : "reads", line.c_str()) +
                            memory_text(access));
}

void shuffled_from_nobody(const Thread &thread, unsigned lane) {
  const Reporting guard;
  const Site &site = *thread.site;
  if (!known_addresses.insert({reinterpret_cast<std::uintptr_t>(&site), 5}).second) return;
  const BlockState &block = state_of(*current_block);
  const bool exists = (block.warps[thread.number / 32].present >> lane & 1u) != 0;
  const std::string line = text("%s:%d", site.file, site.line);
  print("shuffle " + line,
        text("synccheck: error: %s at %s gives ", site.what, line.c_str()) +
            thread_text(thread.number, block.shadow->index) +
            text(" the value of lane %u, which its mask names and which %s: undefined", lane,
                 exists ? "has returned" : "does not exist"));
}

void report_crash(const Access &access) {
  is_reporting = true;
  const std::string line = line_of(access.pc);
  print("crash " + line,
        text("memcheck: error: %s of %zu bytes at %s by %s: address %#zx is in no array",
             access.is_write ? "write" : "read", access.bytes, line.c_str(),
             running_thread().c_str(), access.address));
  std::fflush(nullptr);
  _exit(kExitCode);
}

// ---- the end of the program ---------------------------------------------------------------------

// The exit code of a program that would end with `code`. With C linkage, so that a program which
// ends by _exit() can find it as a weak symbol.
extern "C" int cuda_cpu_check_end(int code) {
  if constexpr (kCounts) count::report();
  const int count = *findings;
  if (getpid() != first_process || count == 0) return code;
  std::fprintf(stderr, "check: %d finding%s\n", count, plural(static_cast<std::size_t>(count)));
  std::fflush(nullptr);
  return kExitCode;
}

namespace {

void at_exit() {
  const int code = cuda_cpu_check_end(0);
  if (code != 0) _exit(code);
}

// Runs before other constructors, so at_exit() runs behind what they have registered.
[[gnu::constructor(102)]] void watch_exit() {
  first_process = getpid();
  void *const shared =
      mmap(nullptr, sizeof *findings, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) std::abort();
  findings = new (shared) std::atomic<int>(0);
  std::atexit(at_exit);
}

}  // namespace

void profile([[maybe_unused]] bool on) {
  if constexpr (kCounts) on ? count::start() : count::stop();
}

void copied([[maybe_unused]] std::size_t device_bytes, [[maybe_unused]] std::size_t host_bytes) {
  if constexpr (kCounts) {
    count::add(count::copied_bytes, device_bytes);
    count::add(count::host_copied_bytes, host_bytes);
  }
}

// A kernel's access that the operating system refuses: a wild address, where no shadow is.
void report_fault(const void *fault) {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(fault);
  // A general protection fault is reported with a null address: here that of an address that is
  // not canonical, else of a misaligned vector.
  const bool is_wild = address == 0 && last_access.address >> 47 != 0;
  if (current != nullptr && (is_wild || address - last_access.address < last_access.bytes))
    report_crash(last_access);
}

}  // namespace cuda_cpu::check
