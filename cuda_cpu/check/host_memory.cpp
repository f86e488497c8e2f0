// Host memory that kernels use by a pointer inside a struct or by an integer: the stack of the
// thread that runs the grid, and what host code in CUDA files has allocated. On most GPUs such an
// access fails. The calls of malloc and new in these files come here (../cuda_cpu.mk).
#include <pthread.h>

#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <new>

#include <cuda_cpu/thread.h>

#include "../src/diagnosis/check.h"
#include "../src/memory/regions.h"
#include "access.h"

namespace cuda_cpu::check {

namespace {

std::mutex mutex;
using Arrays = std::map<std::uintptr_t, HostArray>;
Arrays &arrays() {  // never destroyed: other destructors allocate
  static Arrays *const all = new Arrays;
  return *all;
}

void forget(std::uintptr_t begin, std::size_t bytes) {
  auto array = arrays().lower_bound(begin);
  while (array != arrays().end() && array->first < begin + bytes) array = arrays().erase(array);
}

HostArray stack_of_this_thread() {
  HostArray stack = {};
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return stack;
  void *begin = nullptr;
  if (pthread_attr_getstack(&attributes, &begin, &stack.bytes) == 0)
    stack.begin = reinterpret_cast<std::uintptr_t>(begin);
  pthread_attr_destroy(&attributes);
  return stack;
}

// Notes an array that host code has allocated. A kernel's array belongs to the device, and is not
// noted. It may reuse addresses of an array of the host, so all notes about these go first.
void *taken(void *memory, std::size_t bytes, const void *pc) {
  if (memory == nullptr) return memory;
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::lock_guard<std::mutex> guard(mutex);
  forget(begin, bytes);
  if (current == nullptr && bytes > 0)
    arrays()[begin] = {begin, bytes, reinterpret_cast<std::uintptr_t>(pc)};
  return memory;
}

}  // namespace

void is_not_the_hosts(const void *memory) {
  const std::lock_guard<std::mutex> guard(mutex);
  arrays().erase(reinterpret_cast<std::uintptr_t>(memory));
}

bool find_host_array(std::uintptr_t address, HostArray *found) {
  static thread_local const HostArray stack = stack_of_this_thread();
  if (address - stack.begin < stack.bytes) {
    *found = stack;
  } else {
    const std::lock_guard<std::mutex> guard(mutex);
    const auto above = arrays().upper_bound(address);
    if (above == arrays().begin()) return false;
    *found = std::prev(above)->second;
    if (address - found->begin >= found->bytes) return false;
  }
  return place_of(reinterpret_cast<const void *>(address)) == Place::kHost;
}

}  // namespace cuda_cpu::check

using cuda_cpu::check::is_not_the_hosts;
using cuda_cpu::check::taken;

#define CUDA_CPU_PC __builtin_return_address(0)

extern "C" {

void *cuda_cpu_watched_malloc(std::size_t bytes) {
  return taken(std::malloc(bytes), bytes, CUDA_CPU_PC);
}
void *cuda_cpu_watched_calloc(std::size_t count, std::size_t bytes) {
  return taken(std::calloc(count, bytes), count * bytes, CUDA_CPU_PC);
}
void *cuda_cpu_watched_realloc(void *memory, std::size_t bytes) {
  is_not_the_hosts(memory);
  return taken(std::realloc(memory, bytes), bytes, CUDA_CPU_PC);
}
void cuda_cpu_watched_free(void *memory) {
  is_not_the_hosts(memory);
  std::free(memory);
}

// operator new, new[], delete and delete[].
void *cuda_cpu_watched__Znwm(std::size_t bytes) {
  return taken(::operator new(bytes), bytes, CUDA_CPU_PC);
}
void *cuda_cpu_watched__Znam(std::size_t bytes) {
  return taken(::operator new[](bytes), bytes, CUDA_CPU_PC);
}
void cuda_cpu_watched__ZdlPv(void *memory) {
  is_not_the_hosts(memory);
  ::operator delete(memory);
}
void cuda_cpu_watched__ZdaPv(void *memory) {
  is_not_the_hosts(memory);
  ::operator delete[](memory);
}
void cuda_cpu_watched__ZdlPvm(void *memory, std::size_t) { cuda_cpu_watched__ZdlPv(memory); }
void cuda_cpu_watched__ZdaPvm(void *memory, std::size_t) { cuda_cpu_watched__ZdaPv(memory); }

}  // extern "C"
