// Kernel, block, thread, line and array of a crash, as a sentence.
#include "crash_text.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>

#include <cstddef>
#include <cstdio>
#include <cstring>

#include "../launch/block.h"
#include "../launch/fiber.h"
#include "../diagnosis/lines.h"
#include "../diagnosis/refusal.h"
#include "../memory/regions.h"

namespace cuda_cpu {

namespace {

// The line of the program's own code that led to the crash.
std::string line_of(const Crash &crash) {
  constexpr int kMost = 64;
  void *frame[kMost];
  const int count = backtrace(frame, kMost);
  int first = 0;
  while (first < count && frame[first] != crash.pc) first++;
  if (crash.pc == nullptr || first == count) first = 0;
  // Lines are looked up for return addresses, of which this is none.
  if (frame[first] == crash.pc) frame[first] = static_cast<char *>(frame[first]) + 1;
  const std::string line = line_of_user(frame + first, count - first, nullptr);
  return line == kUnknownLine ? "" : " at " + line;
}

bool is_in_free(const Crash &crash) {
  Dl_info object;
  return dladdr(crash.pc, &object) != 0 && object.dli_sname != nullptr &&
         std::strstr(object.dli_sname, "free") != nullptr;
}

std::string array_text(const Nearby &array) {
  char text[160];
  const std::size_t offset = static_cast<std::size_t>(array.offset);
  const char *const sort = array.place == Place::kDevice ? "a device array" : "an array";
  if (array.offset < 0)
    std::snprintf(text, sizeof text, "%td bytes before the start of %s of %zu bytes", -array.offset,
                  sort, array.bytes);
  else if (offset >= array.bytes)
    std::snprintf(text, sizeof text, "%zu bytes beyond the end of %s of %zu bytes",
                  offset - array.bytes, sort, array.bytes);
  else
    std::snprintf(text, sizeof text, "byte %td of %s of %zu bytes", array.offset, sort,
                  array.bytes);
  std::string sentence = text;
  if (array.freed_by != nullptr)
    sentence += std::string(" that ") + array.freed_by + " has released";
  return sentence;
}

// A thread that spins keeps all others of its block from running.
std::string others_text(const BlockState &block) {
  const unsigned begun = block.collective ? block.started : current->number + 1;
  const unsigned returned = block.collective ? block.returned : current->number;
  char text[256];
  std::snprintf(
      text, sizeof text,
      "; of its block's %u threads %u have not begun, %u wait for it, %u have returned. If "
      "it waits for one of these in a loop, it waits forever: they need a barrier, "
      "__syncwarp() or __nanosleep() to run",
      block.count, block.count - begun, begun - returned - 1, returned);
  return block.count > 1 ? text : "";
}

}  // namespace

std::string crash_text(const Crash &crash, const char *thread) {
  const std::string line = line_of(crash);
  char text[256];
  if (crash.number == SIGQUIT)
    return "synccheck: still running" + line + thread + others_text(state_of(*current_block));
  if (crash.stack_overflowed) {
    std::snprintf(text, sizeof text, "memcheck: a CUDA thread overflowed its stack of %zu KB",
                  kStackKilobytes);
    return text + line + thread + ": its local arrays are too large for the cpu backend";
  }
  Nearby array = {};
  const bool near = crash.is_memory && find_nearby(crash.address, &array, false);
  if (near && !crash.in_kernel && array.place == Place::kDevice) {
    if (is_in_free(crash))
      return "memcheck: free() is given device memory" + line + ", " + array_text(array) +
             "; cudaFree() releases it";
    return std::string("memcheck: host code ") + (crash.is_write ? "writes" : "reads") +
           " device memory" + line + ", " + array_text(array) +
           "; on a GPU it would crash: copy with cudaMemcpy()";
  }
  std::snprintf(text, sizeof text, "crash: %s (signal %d)", strsignal(crash.number), crash.number);
  std::string all = text + line + (crash.in_kernel ? thread : ", in host code");
  if (near)
    all += ": " + array_text(array);
  else if (crash.is_memory) {
    std::snprintf(text, sizeof text, ": address %p", crash.address);
    all += text;
  } else if (crash.number == SIGSEGV) {
    all += ": an address that cannot exist";
  }
  if (const char *const refused = pending_refusal())
    all += std::string("; before, the launch of ") + refused +
           " failed, and no cudaGetLastError() asked";
  if (crash.in_kernel)
    all +=
        "; a build with SANITIZE=1 or CHECK=mem names accesses outside arrays, CHECK=race "
        "races, CHECK=init reads of memory never written";
  else if (crash.number != SIGFPE)
    all += "; a build with SANITIZE=1 names wrong accesses";
  return all;
}

}  // namespace cuda_cpu
