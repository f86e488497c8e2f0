// Messages about mistakes, and the end of the program.
#include "diagnose.h"

#include <execinfo.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

#include "lines.h"
#include "settings.h"

namespace cuda_cpu {

namespace {

// One report is enough: several OpenMP threads may find the same mistake at the same time.
std::mutex only_one_report;

}  // namespace

void end_program(const char *tool, const std::string &text) {
  only_one_report.lock();
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s\n", tool, text.c_str());
  if (settings().shuffle)
    std::fprintf(stderr, "Threads ran in shuffled order: CUDA_CPU_RACECHECK=%llu repeats it.\n",
                 static_cast<unsigned long long>(settings().seed));
  std::fflush(stderr);
  std::_Exit(3);  // not exit(): other threads are still inside kernels
}

void running_thread_text(char *text, std::size_t size) {
  *text = '\0';
  if (current_block == nullptr) return;
  const int length = std::snprintf(text, size, ", in kernel %s, block (%u,%u,%u)",
                                   current_block->kernel, blockIdx.x, blockIdx.y, blockIdx.z);
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

}  // namespace cuda_cpu
