#include "preempt.h"

#include <dlfcn.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "../diagnosis/check.h"
#include "../diagnosis/diagnose.h"
#include "../memory/pages.h"
#include "grid.h"
#include "schedule.h"

// The functions of these source files (cuda_cpu.mk).
extern "C" const char __start_cuda_cpu_text[] __attribute__((weak, visibility("hidden")));
extern "C" const char __stop_cuda_cpu_text[] __attribute__((weak, visibility("hidden")));

namespace cuda_cpu {

const Site kLoop = {"a loop", "", 0};
__thread bool wants_to_interrupt = false;
volatile std::sig_atomic_t quit_at_tick = 0;

namespace {

constexpr long kTick = 20'000'000, kSoon = 50'000;  // ns: of CPU time, and of time
constexpr unsigned kAgain = 4;
constexpr double kSeconds = 2;
// Of CPU time between two ticks at which a thread is taken for one that has run: on a busy machine
// the second one may follow at once.
constexpr double kLeast = 20e-6;

// What ran at the last tick: only who is there at two is interrupted.
struct Watch {
  const Thread *thread;
  const Thread *leaving;  // steps aside, and runs functions of ours and of the library until then
  std::uint64_t grid, block;
  double cpu_seconds;
  timer_t soon;
  bool has_soon, hurries;
};
__thread Watch watch;

struct Registers {
  std::uintptr_t pc, stack;
  std::uint64_t hash;
};

std::uint64_t mixed(std::uint64_t hash, const void *data, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += sizeof hash) {
    std::uint64_t word;
    std::memcpy(&word, static_cast<const char *>(data) + i, sizeof word);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

Registers registers_of(const void *context) {
  const mcontext_t &c = static_cast<const ucontext_t *>(context)->uc_mcontext;
#if defined(__x86_64__)
  std::uint64_t hash = mixed(1, c.gregs, sizeof(greg_t) * (REG_RIP + 1));
  if (c.fpregs != nullptr) hash = mixed(hash, c.fpregs->_xmm, sizeof c.fpregs->_xmm);
  return {static_cast<std::uintptr_t>(c.gregs[REG_RIP]),
          static_cast<std::uintptr_t>(c.gregs[REG_RSP]), hash};
#elif defined(__aarch64__)
  return {c.pc, c.sp, mixed(c.pc, c.regs, sizeof c.regs)};
#endif
}

const void *object_of(const void *address) {
  dl_find_object object;
  return _dl_find_object(const_cast<void *>(address), &object) == 0 ? object.dlfo_map_start
                                                                    : nullptr;
}

// Is this instruction one of the program that has the kernel, neither of ours nor of a library,
// which may hold a lock?
bool is_of_user(std::uintptr_t pc, const BlockState &block) {
  const char *const at = reinterpret_cast<const char *>(pc);
  if (at >= __start_cuda_cpu_text && at < __stop_cuda_cpu_text) return false;
  const void *const methods = *reinterpret_cast<void *const *>(block.grid->call);
  return object_of(at) == object_of(methods);
}

double seconds_of(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// In a switch between two threads there is a moment in which `current` is not the one whose stack
// is in use.
bool runs_current(const BlockState &block, std::uintptr_t stack) {
  const Worker *const worker = worker_of(reinterpret_cast<const void *>(stack));
  return worker != nullptr && (!block.collective || worker->thread == current);
}

void note_found(BlockState &block, std::uint64_t hash) {
  if (block.found.size() < block.count) block.found.resize(block.count);
  Found &found = block.found[current->number];
  constexpr std::size_t kept = sizeof found.seen / sizeof *found.seen;
  const bool known = std::find(found.seen, found.seen + kept, hash) != found.seen + kept;
  found.again = known ? found.again + 1 : 0;
  if (!known) found.seen[found.count++ % kept] = hash;
}

void tick_soon() {
  const itimerspec soon = {{0, 0}, {0, kSoon}};
  if (watch.has_soon) timer_settime(watch.soon, 0, &soon, nullptr);
}

// Ticks wait while one is handled: on a slow machine each would else come in the one before, until
// the stack is full. Whoever runs next is to be interrupted, too.
void let_ticks_in() {
  sigset_t ticks;
  sigemptyset(&ticks);
  sigaddset(&ticks, SIGVTALRM);
  pthread_sigmask(SIG_UNBLOCK, &ticks, nullptr);
}

// The thread may not have read yet what the last collective gave it, so `value` is put back.
void step_aside(std::uintptr_t pc) {
  Thread *const self = current;
  watch.leaving = self;
  pages::open_in_handler();
  BlockState &block = enter_collective();
  const std::uint64_t value = self->value;
  self->value = pc;
  suspend(block, &kLoop, block.yielded);
  self->value = value;
  if (watch.leaving == self) watch.leaving = nullptr;
}

void tick(int, siginfo_t *, void *context) {
  const int error = errno;
  const Registers registers = registers_of(context);
  if (watch.hurries) tick_soon();
  if (current == nullptr || current_block == nullptr) {
    watch.thread = nullptr;
    errno = error;
    return;
  }
  if (quit_at_tick != 0) {
    quit_at_tick = 0;
    raise(SIGQUIT);
  }
  BlockState &block = state_of(*current_block);
  const std::uint64_t index = flatten(block.index, block.grid->launch.grid);
  const double cpu_seconds = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  const bool stayed = cpu_seconds - watch.cpu_seconds > kLeast && watch.thread == current &&
                      watch.grid == block.grid->number && watch.block == index;
  watch.cpu_seconds = cpu_seconds;
  watch.thread = current;
  watch.grid = block.grid->number;
  watch.block = index;
  if (stayed && watch.leaving != current && is_of_user(registers.pc, block) &&
      runs_current(block, registers.stack)) {
    watch.leaving = current;
    note_found(block, registers.hash);
    if (!watch.hurries) tick_soon();
    watch.hurries = true;
    let_ticks_in();
    step_aside(registers.pc);
  } else if (stayed && check::kOn) {
    wants_to_interrupt = true;
  }
  errno = error;
}

bool take_signal() {
  struct sigaction action = {}, present = {};
  if (sigaction(SIGVTALRM, nullptr, &present) != 0 || (present.sa_flags & SA_SIGINFO) != 0 ||
      present.sa_handler != SIG_DFL)
    return false;
  action.sa_sigaction = tick;  // on the stack that it may switch away from
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  return sigaction(SIGVTALRM, &action, nullptr) == 0;
}

bool make_timer(clockid_t clock, timer_t *timer) {
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGVTALRM;
  event._sigev_un._tid = gettid();
  return timer_create(clock, &event, timer) == 0;
}

}  // namespace

Ticks::Ticks() {
  static const bool taken = take_signal();
  if (!taken || !make_timer(CLOCK_THREAD_CPUTIME_ID, &timers_[0])) return;
  made_ = 1;
  const itimerspec often = {{0, kTick}, {0, kTick}};
  timer_settime(timers_[0], 0, &often, nullptr);
  watch.has_soon = make_timer(CLOCK_MONOTONIC, &timers_[1]);
  if (!watch.has_soon) return;
  made_ = 2;
  watch.soon = timers_[1];
}

Ticks::~Ticks() {
  watch.has_soon = watch.hurries = false;
  for (int i = 0; i < made_; i++) timer_delete(timers_[i]);
}

void grid_ends() { watch.hurries = false; }

void interrupt(std::uintptr_t pc) {
  wants_to_interrupt = false;
  if (current != nullptr) step_aside(pc);
}

// ---- loops that cannot end ----------------------------------------------------------------------

bool all_in_loops(const BlockState &block) {
  for (const Thread *thread = block.yielded.head; thread != nullptr; thread = thread->next)
    if (thread->site != &kLoop || thread->number >= block.found.size() ||
        block.found[thread->number].again < kAgain)
      return false;
  return block.yielded.length > 0;
}

// In rounds: each thread of the system has to find its blocks in loops once more in each of them.
void check_loops(Grid &grid, const std::vector<std::unique_ptr<BlockState>> &blocks) {
  const std::lock_guard<std::mutex> guard(grid.loops_mutex);
  LoopRounds &rounds = grid.loops;
  const bool loops =
      std::all_of(blocks.begin(), blocks.end(), [](const auto &block) { return block->in_loops; });
  if (!loops) {
    rounds = LoopRounds();
    return;
  }
  if (rounds.since == 0) rounds.since = seconds_of(CLOCK_MONOTONIC);
  const pid_t self = gettid();
  if (std::find(rounds.threads.begin(), rounds.threads.end(), self) != rounds.threads.end()) return;
  rounds.threads.push_back(self);
  for (const auto &block : blocks) rounds.blocks.push_back(block.get());
  if (rounds.threads.size() < grid.runners.load()) return;
  if (seconds_of(CLOCK_MONOTONIC) - rounds.since > kSeconds)
    diagnose_waiting(rounds.blocks, "wait in loops that cannot end");
  rounds.threads.clear();
  rounds.blocks.clear();
}

}  // namespace cuda_cpu
