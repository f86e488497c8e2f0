// Crashes, and kernels that hang until SIGQUIT (Ctrl+\\) comes: a sentence that names kernel,
// block, thread and line, then exit code 3.
#include <execinfo.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include <fcntl.h>

#include "../diagnosis/check.h"
#include "../launch/block.h"
#include "crash_text.h"
#include "../diagnosis/diagnose.h"
#include "../launch/fiber.h"
#include "../memory/pages.h"
#include "../memory/poison.h"

namespace cuda_cpu {

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kIsSanitized = true;  // AddressSanitizer reports crashes itself
#else
constexpr bool kIsSanitized = false;
#endif
constexpr int kExitCode = 3;
constexpr unsigned kSeconds = 30;  // at most, for finding the line

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

// ---- the handler
// ----------------------------------------------------------------------------------

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
  if (thread == 0) {
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
