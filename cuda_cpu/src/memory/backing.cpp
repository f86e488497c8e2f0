// Where device, pinned and managed memory comes from, in each kind of build.
#include "backing.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "../diagnosis/check.h"
#include "../diagnosis/diagnose.h"
#include "../diagnosis/limits.h"
#include "pages.h"
#include "poison.h"

namespace cuda_cpu::backing {

namespace {

constexpr std::size_t kGuard = 4096;  // bytes at either end

std::size_t rounded(std::size_t bytes) {
  return (bytes + kMemoryAlignment - 1) / kMemoryAlignment * kMemoryAlignment;
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__)

char *allocate(std::size_t bytes, Place) {
  void *const start = aligned_alloc(kMemoryAlignment, rounded(bytes) + 2 * kGuard);
  if (start == nullptr) return nullptr;
  char *const memory = static_cast<char *>(start) + kGuard;
  ASAN_POISON_MEMORY_REGION(memory + bytes, rounded(bytes) - bytes);
  return memory;
}
void release(char *memory, Place) { std::free(memory - kGuard); }
void check_guards(const char *, std::size_t) {}
void set_access(void *memory, std::size_t bytes, bool open) {
  if (open)
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
  else
    ASAN_POISON_MEMORY_REGION(memory, bytes);
}
void set_unused(char *memory, std::size_t bytes, bool unused) {
  set_access(memory, bytes, !unused);
}

#else

char *allocate(std::size_t bytes, Place place) {
  // CHECK builds see every access, and need no guards.
  if constexpr (check::kOn)
    return static_cast<char *>(check::heap_allocate(bytes, place != Place::kDevice));
  const std::size_t all = rounded(bytes) + 2 * kGuard;
  char *const start = place == Place::kDevice
                          ? pages::take(all)
                          : static_cast<char *>(aligned_alloc(kMemoryAlignment, all));
  if (start == nullptr) return nullptr;
  char *const memory = start + kGuard;
  std::memset(start, kPoison, kGuard);
  std::memset(memory + bytes, kPoison, kGuard);
  return memory;
}

void release(char *memory, Place place) {
  if constexpr (check::kOn)
    check::heap_release(memory);
  else if (place == Place::kDevice)
    pages::retire(memory - kGuard);
  else
    std::free(memory - kGuard);
}

void check_guards(const char *memory, std::size_t bytes) {
  if constexpr (check::kOn) return;
  const auto written = [](char c) { return static_cast<unsigned char>(c) != kPoison; };
  const char *const end = memory + bytes;
  const char *const behind = std::find_if(end, end + kGuard, written);
  if (behind != end + kGuard)
    diagnose("memcheck", "an array of %zu bytes was written beyond its end, at byte %td", bytes,
             behind - memory);
  const char *const front = std::find_if(memory - kGuard, memory, written);
  if (front != memory)
    diagnose("memcheck", "an array of %zu bytes was written %td bytes before its start", bytes,
             memory - front);
}

void set_access(void *, std::size_t, bool) {}

void set_unused(char *memory, std::size_t, bool unused) {
  if constexpr (!check::kOn) pages::set_unused(memory - kGuard, unused);
}

#endif

}  // namespace cuda_cpu::backing
