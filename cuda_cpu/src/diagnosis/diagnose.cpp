// Diagnoses: who waits where, and the end of the program.
#include "diagnose.h"

#include <execinfo.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "../launch/block.h"
#include "../launch/grid.h"
#include "lines.h"
#include "settings.h"

namespace cuda_cpu {

namespace {

// One report is enough: several OpenMP threads may find the same mistake at the same time.
std::mutex only_one_report;

[[noreturn]] void end_program(const char *tool, const std::string &text) {
  only_one_report.lock();
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s\n", tool, text.c_str());
  if (settings().shuffle)
    std::fprintf(stderr, "Threads ran in shuffled order: CUDA_CPU_RACECHECK=%llu repeats it.\n",
                 static_cast<unsigned long long>(settings().seed));
  std::fflush(stderr);
  std::_Exit(3);  // not exit(): other threads are still inside kernels
}

std::string where(const BlockState &block) {
  char text[256];
  std::snprintf(text, sizeof text, "kernel %s, block (%u,%u,%u)", block.grid->launch.name,
                block.index.x, block.index.y, block.index.z);
  return text;
}

}  // namespace

void running_thread_text(char *text, std::size_t size) {
  *text = '\0';
  if (current_block == nullptr) return;
  const BlockState &block = state_of(*current_block);
  const int length =
      std::snprintf(text, size, ", in kernel %s, block (%u,%u,%u)", block.grid->launch.name,
                    block.index.x, block.index.y, block.index.z);
  if (current == nullptr || static_cast<std::size_t>(length) >= size) return;
  const uint3 &index = current->index;
  std::snprintf(text + length, size - static_cast<std::size_t>(length), ", thread (%u,%u,%u)",
                index.x, index.y, index.z);
}

std::string host_line() {
  void *frames[32];
  const std::string line = line_of_user(frames, backtrace(frames, 32), "/thrust/");
  return line.empty() || line == kUnknownLine ? "" : ", at " + line;
}

namespace {

std::string formatted(const char *format, va_list arguments) {
  char text[512];
  std::vsnprintf(text, sizeof text, format, arguments);
  return text;
}

}  // namespace

void diagnose(const char *tool, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string message = formatted(format, arguments);
  va_end(arguments);
  char thread[256];
  running_thread_text(thread, sizeof thread);
  end_program(tool, message + (*thread != '\0' ? thread : host_line()));
}

void note(const char *tool, const char *format, ...) {
  constexpr int kMost = 10;
  static std::atomic<int> notes{0};
  if (notes++ >= kMost) return;
  va_list arguments;
  va_start(arguments, format);
  const std::string message = formatted(format, arguments);
  va_end(arguments);
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s%s\n", tool, message.c_str(), host_line().c_str());
}

void diagnose_waiting(const BlockState &block, const char *problem) {
  struct Group {
    const Site *site;
    unsigned threads;
    uint3 first;
  };
  std::vector<Group> groups;
  unsigned returned = 0;
  for (unsigned i = 0; i < block.count; i++) {
    const Thread &thread = block.threads[i];
    if ((block.warps[i / 32].returned >> (i % 32) & 1u) != 0) {
      returned++;
      continue;
    }
    const Site *const site = thread.site;
    Group *group = nullptr;
    for (Group &g : groups)
      if (g.site == site ||
          (g.site->line == site->line && std::strcmp(g.site->file, site->file) == 0))
        group = &g;
    if (group == nullptr) {
      groups.push_back({site, 0, thread.index});
      group = &groups.back();
    }
    group->threads++;
  }
  std::string message = where(block) + ": its threads " + problem;
  for (const Group &g : groups) {
    char line[512];
    std::snprintf(line, sizeof line, "\n  %u at %s, %s:%d, the first is thread (%u,%u,%u)",
                  g.threads, g.site->what, g.site->file, g.site->line, g.first.x, g.first.y,
                  g.first.z);
    message += line;
  }
  if (returned > 0) message += "\n  " + std::to_string(returned) + " have returned";
  end_program("synccheck", message);
}

}  // namespace cuda_cpu
