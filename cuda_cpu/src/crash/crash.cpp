// Crashes, and kernels that hang until SIGQUIT (Ctrl+\\) comes: a sentence that names kernel,
// block, thread and line, then exit code 3.
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include <fcntl.h>

#include "../diagnosis/check.h"
#include "../launch/block.h"
#include "../diagnosis/diagnose.h"
#include "../launch/fiber.h"
#include "../launch/preempt.h"
#include "../memory/pages.h"
#include "../memory/regions.h"
#include "../diagnosis/lines.h"

namespace cuda_cpu {

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kIsSanitized = true;  // AddressSanitizer reports crashes itself
#else
constexpr bool kIsSanitized = false;
#endif
constexpr int kExitCode = 3;
constexpr unsigned kSeconds = 30;  // at most, for finding the line

struct Crash {
  int number;
  bool is_memory;  // and `address` what was touched
  const void *address;
  void *pc;  // of the instruction, or null where that is not known
  bool is_write;
  bool in_kernel;
  bool stack_overflowed;
};

Crash crash_of(int number, const siginfo_t &info, [[maybe_unused]] const void *context) {
  // x86 knows no address where it is none that could exist (SI_KERNEL).
  const bool has_address = (number == SIGSEGV || number == SIGBUS) && info.si_code != SI_KERNEL;
  Crash crash = {number, has_address, info.si_addr, nullptr, false, current_block != nullptr,
                 false};
#if defined(__x86_64__)
  const auto &registers = static_cast<const ucontext_t *>(context)->uc_mcontext.gregs;
  crash.pc = reinterpret_cast<void *>(registers[REG_RIP]);
  crash.is_write = (registers[REG_ERR] & 2) != 0;
#elif defined(__aarch64__)
  crash.pc = reinterpret_cast<void *>(static_cast<const ucontext_t *>(context)->uc_mcontext.pc);
#endif
  crash.stack_overflowed = crash.is_memory && stack_overflowed(crash.address);
  return crash;
}

// ---- the sentence: kernel, block, thread, line and array ----------------------------------------

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

std::string others_text(const BlockState &block) {
  const unsigned begun = block.collective ? block.started : current->number + 1;
  const unsigned returned = block.collective ? block.returned : current->number;
  char text[256];
  std::snprintf(text, sizeof text,
                "; of its block's %u threads %u have not begun, %u wait for it, %u have returned",
                block.count, block.count - begun, begun - returned - 1, returned);
  return block.count > 1 ? text : "";
}

// `thread` is running_thread_text()'s. Called in a copy of the process, on the stack of the
// handler.
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
  const bool is_access = crash.number == SIGSEGV || crash.number == SIGBUS;
  if (is_access && crash.in_kernel)
    all +=
        "; a build with CHECK=mem names accesses outside arrays, CHECK=race races, CHECK=init "
        "reads of memory never written";
  else if (is_access)
    all += "; a build with -fsanitize=address names wrong accesses";
  return all;
}

// ---- the sentence, made in a child process, where a lock that is held or a broken heap does no
// harm

// As crash_text(), or empty if it cannot be made.
std::size_t sentence_from_child(const Crash &crash, const char *thread, char *text,
                                std::size_t size) {
  int channel[2];
  if (pipe2(channel, O_CLOEXEC) != 0) return 0;
  const pid_t child = _Fork();
  if (child == 0) {
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT, SIGALRM})
      signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    alarm(kSeconds);
    const std::string made = crash_text(crash, thread);
    const ssize_t written = write(channel[1], made.data(), made.size());
    _exit(written < 0);
  }
  close(channel[1]);
  std::size_t length = 0;
  while (child > 0 && length < size) {
    const ssize_t got = read(channel[0], text + length, size - length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    length += static_cast<std::size_t>(got);
  }
  close(channel[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return length;
}

// ---- the handler --------------------------------------------------------------------------------

void say(const char *text, std::size_t length) {
  while (length > 0) {
    const ssize_t written = write(STDERR_FILENO, text, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text += written;
    length -= static_cast<std::size_t>(written);
  }
}

// Hands SIGQUIT to a thread that runs a kernel. False if there is none, true also for itself.
bool find_kernel() {
  if (current_block != nullptr && current != nullptr) return true;
  const pid_t thread = thread_in_kernel();
  if (thread == gettid()) {
    quit_at_tick = true;  // between two blocks that wait for each other
  } else if (thread == 0) {
    signal(SIGQUIT, SIG_DFL);
    raise(SIGQUIT);
  } else {
    tgkill(getpid(), thread, SIGQUIT);
  }
  return false;
}

void handle(int number, siginfo_t *info, void *context) {
  if (number == SIGQUIT && !find_kernel()) return;
  // Another program or raise() sent it: not a crash.
  if (info->si_code <= 0 && number != SIGABRT && number != SIGQUIT) {
    signal(number, SIG_DFL);
    raise(number);  // delivered when this returns
    return;
  }
  if (number == SIGSEGV && pages::admit(info->si_addr)) return;
  static std::atomic<pid_t> crashed{0};  // the thread that reports
  pid_t none = 0;
  if (!crashed.compare_exchange_strong(none, gettid())) {
    if (none == gettid()) _exit(kExitCode);
    for (;;) pause();  // until the other one ends the program
  }
  if (check::kOn && (number == SIGSEGV || number == SIGBUS)) check::report_fault(info->si_addr);
  if (ftrylockfile(stdout) == 0) {
    fflush_unlocked(stdout);
    funlockfile(stdout);
  }
  const Crash crash = crash_of(number, *info, context);
  char thread[256];
  running_thread_text(thread, sizeof thread);
  char text[1500];
  std::size_t length = sentence_from_child(crash, thread, text, sizeof text - 1);
  if (length == 0) {
    const int plain = std::snprintf(text, sizeof text, "crash: %s (signal %d)%s", strsignal(number),
                                    number, thread);
    length = static_cast<std::size_t>(plain);
  }
  text[length] = '\n';
  say(text, length + 1);
  _exit(kExitCode);
}

// A handler that is there already, of a sanitizer or a debugging tool, stays.
[[gnu::constructor]] void catch_crashes() {
  if (kIsSanitized) return;
  void *frame[1];
  (void)backtrace(frame, 1);  // loads the unwinder now rather than in a handler
  pool();                     // with a stack for handlers
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT}) {
    struct sigaction present = {};
    if (sigaction(number, nullptr, &present) == 0 && present.sa_handler == SIG_DFL &&
        (present.sa_flags & SA_SIGINFO) == 0)
      sigaction(number, &action, nullptr);
  }
}

}  // namespace

}  // namespace cuda_cpu
