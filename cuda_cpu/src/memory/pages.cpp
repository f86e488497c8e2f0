// Pages of device memory: taken, retired, opened and closed.
#include "pages.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <ctime>
#include <map>
#include <mutex>

#include "../diagnosis/settings.h"

namespace cuda_cpu::pages {

namespace {

constexpr std::size_t kPage = 4096;
// Retired pages keep their memory up to this much in all, so that allocating anew is fast.
constexpr std::size_t kKept = 64 << 20;

struct Taken {
  std::size_t bytes;
  bool unused;
};
struct Retired {
  char *memory;
  bool kept;
};

std::mutex mutex;
// Never destroyed: memory may be freed while the program ends.
auto &live = *new std::map<char *, Taken>;                 // what take() returned
auto &retired = *new std::multimap<std::size_t, Retired>;  // by size; of one size the oldest first
std::size_t kept = 0;                                      // bytes
std::atomic<Protection> chosen{Protection::kOff};
std::atomic<bool> is_chosen{false};
int key = -1;

__thread int depth = 0;            // of scopes on this thread
__thread bool is_counted = false;  // in `scopes`
std::atomic<int> scopes{0};        // threads inside one; counted only where pages are protected
std::atomic<int> libraries{0};     // threads inside a library's

// ---- keys ---------------------------------------------------------------------------------------

void set_rights([[maybe_unused]] bool open) {
#ifdef PKEY_DISABLE_ACCESS
  (void)pkey_set(key, open ? 0 : PKEY_DISABLE_ACCESS);
#endif
}

bool make_key() {
#ifdef PKEY_DISABLE_ACCESS
  key = pkey_alloc(0, depth > 0 ? 0 : PKEY_DISABLE_ACCESS);
#endif
  return key >= 0;
}

// Readable and writable for those who have the right to `key`; 0 is the right that all have.
bool make_usable(char *memory, std::size_t bytes, [[maybe_unused]] int with_key) {
#ifdef PKEY_DISABLE_ACCESS
  if (key >= 0) return pkey_mprotect(memory, bytes, PROT_READ | PROT_WRITE, with_key) == 0;
#endif
  return mprotect(memory, bytes, PROT_READ | PROT_WRITE) == 0;
}

// ---- pages --------------------------------------------------------------------------------------

bool closed = false;  // all of `live`

// Limits what is spent on finding mistakes to a share of the running time.
class Budget {
 public:
  // Of all time since now `share` may be spent, and `first` seconds in addition.
  Budget(double share, double first) : share_(share), first_(first) {}

  // May a step be taken? Its reversal follows and costs about the same.
  bool allows() const { return spent_ + 2 * last_ <= share_ * (now() - start_) + first_; }

  // Spends the time that it lives.
  class Step {
   public:
    explicit Step(Budget &budget) : budget_(budget) {}
    ~Step() { budget_.spent_ += budget_.last_ = now() - start_; }
    Step(const Step &) = delete;
    Step &operator=(const Step &) = delete;

   private:
    Budget &budget_;
    const double start_ = now();
  };

 private:
  static double now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

  const double share_, first_;  // seconds
  const double start_ = now();
  double spent_ = 0.0, last_ = 0.0;
};

Budget closing(0.05, 2e-3), setting_aside(0.01, 2e-3);

void protect_all(int rights) {
  const Budget::Step step(closing);
  for (const auto &pages : live)
    if (!pages.second.unused) mprotect(pages.first, pages.second.bytes, rights);
  closed = rights == PROT_NONE;
}

void open_all() {
  const std::lock_guard<std::mutex> hold(mutex);
  if (closed) protect_all(PROT_READ | PROT_WRITE);
}

void close_all() {
  const std::lock_guard<std::mutex> hold(mutex);
  if (chosen == Protection::kPages && !closed && scopes == 0 && !live.empty() && closing.allows())
    protect_all(PROT_NONE);
}

// ---- choosing -----------------------------------------------------------------------------------

// With the mutex held, before the first pages are taken.
void choose() {
  if (is_chosen) return;
  const Protection most = settings().protect;
  if (most == Protection::kKeys && make_key())
    chosen = Protection::kKeys;
  else if (most != Protection::kOff)
    chosen = Protection::kPages;
  if (chosen == Protection::kPages && depth > 0) is_counted = ++scopes > 0;
  is_chosen = true;
}

}  // namespace

// ---- taking and retiring ------------------------------------------------------------------------

namespace {

void drop_retired() {
  for (const auto &pages : retired) munmap(pages.second.memory, pages.first);
  retired.clear();
  kept = 0;
}

// Where device memory is, unless the system has other plans: far from where it maps the program's
// own memory, so that a pointer beyond a device array is not taken for a host pointer.
constexpr std::uintptr_t kRange = std::uintptr_t{1} << 45, kRangeBytes = std::uintptr_t{1} << 42;
constexpr std::uintptr_t kBeforeFirst = std::uintptr_t{1} << 32;
std::uintptr_t next_place = kRange + kBeforeFirst;

char *map_new(std::size_t bytes) {
  const auto map = [bytes] {
    return mmap(reinterpret_cast<void *>(next_place), bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  };
  void *memory = map();
  if (memory == MAP_FAILED && !retired.empty()) {
    drop_retired();
    memory = map();
  }
  if (memory == MAP_FAILED) return nullptr;
  if (reinterpret_cast<std::uintptr_t>(memory) == next_place) next_place += bytes;
  return static_cast<char *>(memory);
}

}  // namespace

bool in_range(const void *pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) - kRange < kRangeBytes;
}

char *take(std::size_t bytes) {
  if (bytes > SIZE_MAX - kPage) return nullptr;
  const std::size_t wanted = (bytes + kPage - 1) / kPage * kPage;
  const std::lock_guard<std::mutex> hold(mutex);
  choose();
  char *memory = nullptr;
  std::size_t size = wanted;
  const auto old = retired.lower_bound(wanted);
  if (old != retired.end() && old->first / 2 <= wanted) {
    size = old->first;
    memory = old->second.memory;
    if (old->second.kept) kept -= size;
    retired.erase(old);
  } else {
    memory = map_new(wanted);
  }
  if (memory == nullptr || !make_usable(memory, size, chosen == Protection::kKeys ? key : 0))
    return nullptr;
  live.emplace(memory, Taken{size, false});
  return memory;
}

void retire(char *memory) {
  const std::lock_guard<std::mutex> hold(mutex);
  const auto pages = live.find(memory);
  const std::size_t bytes = pages->second.bytes;
  live.erase(pages);
  mprotect(memory, bytes, PROT_NONE);
  const bool keep = kept + bytes <= kKept;
  if (keep)
    kept += bytes;
  else
    madvise(memory, bytes, MADV_DONTNEED);
  retired.emplace(bytes, Retired{memory, keep});
}

void set_unused(char *memory, bool unused) {
  const std::lock_guard<std::mutex> hold(mutex);
  Taken &pages = live.at(memory);
  if (pages.unused == unused) return;
  if (unused && (chosen == Protection::kOff || !setting_aside.allows())) return;
  const Budget::Step step(setting_aside);
  if (unused)
    pages.unused = mprotect(memory, pages.bytes, PROT_NONE) == 0;
  else
    pages.unused = !make_usable(memory, pages.bytes, chosen == Protection::kKeys ? key : 0);
}

// ---- opening and closing ------------------------------------------------------------------------

void enter(bool is_library) {
  if (depth++ > 0) return;
  if (is_library) libraries++;
  const Protection by = chosen.load(std::memory_order_relaxed);
  if (by == Protection::kKeys) {
    set_rights(true);
  } else if (by == Protection::kPages) {
    is_counted = ++scopes > 0;
    open_all();
  }
}

void leave(bool is_library) {
  if (--depth > 0) return;
  if (is_library) libraries--;
  const Protection by = chosen.load(std::memory_order_relaxed);
  if (by == Protection::kKeys) {
    set_rights(false);
  } else if (is_counted) {
    is_counted = false;
    scopes--;
    close_all();
  }
}

void worker_enters() {
  if (depth++ == 0 && chosen == Protection::kKeys) set_rights(true);
}

void worker_leaves() { depth--; }

void open_in_handler() {
  if (chosen == Protection::kKeys) set_rights(true);
}

bool admit(const void *address) {
  static std::atomic<bool> ended{false};
  if (!ended && (chosen != Protection::kKeys || libraries == 0)) return false;
  const std::lock_guard<std::mutex> hold(mutex);
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(address);
  bool is_ours = false;
  for (const auto &pages : live)
    is_ours = is_ours || (!pages.second.unused &&
                          at - reinterpret_cast<std::uintptr_t>(pages.first) < pages.second.bytes);
  if (!is_ours) return false;
  if (ended) return true;  // another thread was admitted while this one faulted
  for (const auto &pages : live)
    if (!pages.second.unused && !make_usable(pages.first, pages.second.bytes, 0)) return false;
  ended = true;
  chosen = Protection::kOff;
  return true;
}

}  // namespace cuda_cpu::pages
