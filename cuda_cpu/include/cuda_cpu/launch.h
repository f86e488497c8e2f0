// A kernel launch: the kernel and its arguments packed into one object that runs a block's threads,
// and the configuration that goes with it.
//
// The rewriter turns kernel<<<grid, block, shared, stream>>>(arguments) into
//   cuda_cpu::launcher(SIGNATURE, CALL, "kernel", grid, block, shared, stream)(arguments);
// where CALL is a lambda that calls the kernel.
#ifndef CUDA_CPU_LAUNCH_H
#define CUDA_CPU_LAUNCH_H

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include <cuda_cpu/bits.h>
#include <cuda_cpu/thread.h>

namespace cuda_cpu {

// ---- a kernel with its arguments ----------------------------------------------------------------

// A kernel call whose arguments are already evaluated.
struct KernelCall {
  virtual ~KernelCall() = default;
  // Runs the threads of `block` that have not started yet, one after another.
  virtual void run_threads(Block &block) const = 0;
};

// Counts the running thread as returned and releases the threads that waited only for it.
void thread_returned(Block &block, const Thread &thread);
// The same. Returns a null stack if the worker has to start the next thread of the block. If all
// have started, it returns what runs next, to be switched to from worker->stack. The worker is
// spare from then on, until it goes on with a block of the same grid, which has unstarted threads.
Target after_thread(Block &block, const Thread &thread, WorkerBase *worker);

// In CHECK builds the functions that watch accesses read `current`, which the compiler cannot know.
#ifdef __SANITIZE_THREAD__
inline void current_is_set() { asm volatile("" ::: "memory"); }
#else
inline void current_is_set() {}
#endif

// A store that is not moved behind the kernel's accesses, so that a crash names its thread.
inline void set_current(Thread *thread) { *const_cast<Thread *volatile *>(&current) = thread; }

// Read anew after each thread: one that is interrupted (src/launch/preempt.h) waits without a call.
inline bool has_waited(const Block &block) {
#ifdef __SANITIZE_THREAD__
  return block.collective;  // behind current_is_set()
#else
  return __atomic_load_n(&block.collective, __ATOMIC_RELAXED);
#endif
}

// Has run_unstarted_threads() to go on with the next thread? `block` is then that thread's.
template <bool Kept>
inline bool goes_on(Block *&block, const Thread &thread, WorkerBase *worker) {
  worker->thread = nullptr;
#if CUDA_CPU_SWITCH_INLINE
  if (Kept) {
    const Target next = after_thread(*block, thread, worker);
    if (next.stack == nullptr) return true;
    switch_here(&worker->stack, next);
    block = current_block;
    return true;
  }
#endif
  thread_returned(*block, thread);
  return block->started < block->count;
}

// Runs the threads of `block` that have not started, each as one call of `kernel`. With Kept, those
// of later blocks of the grid too, and the loop does not end once a thread has waited: `kernel`
// must not need a destructor.
template <bool Kept, class F>
inline void run_unstarted_threads(Block &block, F kernel) {
  WorkerBase *const worker = block.worker;
  Block *now = &block;
  // Until the first barrier this is a plain loop in index order that stores as little as possible:
  // begin_collectives() (src/launch/run_block.cpp) reconstructs the rest.
  if (!block.collective && block.order == nullptr) {
    Thread *thread = block.threads;
    Thread *const end = thread + block.count;
    threadIdx = {0, 0, 0};
    do {
      set_current(thread++);
      current_is_set();
      kernel();
      set_current(nullptr);  // between two threads nothing is interrupted
      current_is_set();
      threadIdx.x++;
      if (threadIdx.x == blockDim.x && thread != end) threadIdx = thread->index;
    } while (thread != end && !has_waited(block));
    if (!has_waited(block)) {
      block.started = block.count;
      return;
    }
    set_current(thread - 1);
    if (!goes_on<Kept>(now, thread[-1], worker)) return;
  }
  // From then on other workers run the same loop whenever a thread waits.
  do {
    const unsigned i = now->started++;
    Thread *const thread = &now->threads[now->order == nullptr ? i : now->order[i]];
    worker->thread = thread;
    set_current(thread);
    threadIdx = thread->index;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);  // `started` is stored if the kernel is interrupted
    kernel();
    current_is_set();
    if (!goes_on<Kept>(now, *thread, worker)) return;
  } while (true);
}

// A kernel as a lambda that calls it. Its type identifies the kernel, so that the kernel's body
// is inlined into the loop.
template <class Call, class... A>
struct LambdaKernelCall final : KernelCall {
  Call kernel;
  // Copied bit by bit and never destroyed, as a GPU's copies are: a destructor may free what the
  // caller still uses.
  union {
    std::tuple<A...> arguments;
  };
  LambdaKernelCall(const Call &k, const A &...a) : kernel(k) {
    copy_bits(std::index_sequence_for<A...>(), a...);
  }
  ~LambdaKernelCall() override {}
  template <std::size_t... I>
  void copy_bits(std::index_sequence<I...>, const A &...a) {
    // An empty object may share its place with others.
    ((void)(std::is_empty_v<A> ||
            std::memcpy((void *)&std::get<I>(arguments), (const void *)&a, sizeof a) != nullptr),
     ...);
  }
  void run_threads(Block &block) const override {
    constexpr bool plain = (std::is_trivially_destructible_v<A> && ...),
                   kept = std::is_trivially_destructible_v<Call> && plain;
    // A copy in registers: no store of the kernel aliases it.
    const std::conditional_t<plain, std::tuple<A...>, const std::tuple<A...> &> local = arguments;
    const Call call = kernel;
    run_unstarted_threads<kept>(block, [&local, &call] { std::apply(call, local); });
  }
};

// As above, for a kernel that is known only at run time (cudaLaunchKernelEx and friends).
template <class... P>
struct PointerKernelCall final : KernelCall {
  void (*kernel)(P...);
  std::tuple<P...> arguments;
  PointerKernelCall(void (*k)(P...), P... p) : kernel(k), arguments(p...) {}
  void run_threads(Block &block) const override {
    run_unstarted_threads<true>(block, [this] { std::apply(kernel, arguments); });
  }
};

// ---- the launch ---------------------------------------------------------------------------------

struct Clusters;
extern const Clusters clusters;  // src/clusters, which is linked only where this is used

// What stands between <<< and >>>.
struct Configuration {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  dim3 cluster = dim3(1, 1, 1);        // blocks
  const Clusters *clusters = nullptr;  // set where `cluster` is
};

struct Launch : Configuration {
  const char *name;    // for diagnoses
  const void *kernel;  // its address, for cudaFuncSetAttribute; null where it is not known
  bool cooperative;
};

// Where a kernel with __launch_bounds__ begins: with more threads the launch fails.
[[noreturn, gnu::cold]] void exceed_bound(unsigned threads);
template <class... Rest>
CUDA_CPU_INLINE void check_bound(unsigned threads, Rest...) {
  if (blockDim.x * blockDim.y * blockDim.z > threads) exceed_bound(threads);
}

// Checks the configuration as a GPU would, and runs the grid; a launch from inside a kernel is
// queued and runs when the launching grid has finished. Sets the last error.
cudaError_t launch(const Launch &launch, std::unique_ptr<KernelCall> call);

// memcheck: ends the program if an argument of a kernel points to host memory. `index` counts
// from 1.
void check_pointer_argument(const char *kernel, int index, const void *pointer);
template <class T>
void check_argument(const char *, int, const T &) {}
template <class T>
void check_argument(const char *kernel, int index, T *const &pointer) {
  if constexpr (!std::is_function_v<T>)
    check_pointer_argument(kernel, index, (const void *)pointer);  // the cast also drops volatile
}
template <class... P>
void check_arguments([[maybe_unused]] const char *kernel, const P &...arguments) {
  [[maybe_unused]] int index = 0;
  (check_argument(kernel, ++index, arguments), ...);
}

// The kernel as a function pointer. The rewriter calls it with a `dependent` 0, so that a kernel
// whose type depends on its arguments makes the call invalid, not the program.
template <class... P>
auto signature(int /*dependent*/, void (*kernel)(P...)) -> void (*)(P...) {
  return kernel;
}

// A 0 or NULL among the arguments of a template: an integer or a null pointer.
template <class Integer>
struct Null {
  constexpr operator Integer() const { return 0; }
  template <class T>
  constexpr operator T *() const {
    return nullptr;
  }
};
template <class Integer>
Integer integer_of(const Null<Integer> &) {
  return 0;
}
template <class T>
inline constexpr bool is_null = false;
template <class Integer>
inline constexpr bool is_null<Null<Integer>> = true;

// Argument I of types A...: a Null whose bit in Mask is not set becomes an integer.
template <unsigned Mask, std::size_t I, class... A>
auto choose(const std::tuple<A...> &arguments) {
  using T = std::tuple_element_t<I, std::tuple<A...>>;
  constexpr bool nulls[] = {is_null<A>..., false};
  constexpr auto bit = [](const bool *n) {
    unsigned count = 0;
    for (std::size_t i = 0; i < I; i++) count += n[i];
    return count;
  };
  if constexpr (is_null<T> && (Mask >> bit(nulls) & 1u) == 0)
    return integer_of(std::get<I>(arguments));
  else
    return std::get<I>(arguments);
}

// Whether arguments of types A... become parameters of types P... by themselves. An integer may be
// NULL.
template <class A, class P>
inline constexpr bool converts = std::is_convertible_v<A, P> ||
                                 (std::is_integral_v<std::decay_t<A>> && std::is_pointer_v<P>);
template <class Parameters, class... A>
inline constexpr bool suit = false;
template <class... P, class... A>
inline constexpr bool suit<std::tuple<P...>, A...> = [] {
  if constexpr (sizeof...(A) == sizeof...(P))
    return (converts<A, P> && ...);
  else
    return false;
}();

// The configured kernel of a <<<...>>>, to be called with the arguments.
template <class Call>
struct AnyLauncher {
  Call call;
  Launch configured;
  // Arguments as the kernel is called: for deduced template arguments and for default arguments.
  template <class... A>
  void start(const A &...arguments) const {
    constexpr bool callable = std::is_invocable_v<Call, A...>;
    static_assert(callable, "the kernel cannot be called with these arguments");
    check_arguments(configured.name, arguments...);
    if constexpr (callable)
      launch(configured, std::make_unique<LambdaKernelCall<Call, A...>>(call, arguments...));
  }
};
template <class Call, class Signature, class Type>
struct Launcher;
template <class Call, class Signature, class... P>
struct Launcher<Call, Signature, void (*)(P...)> : AnyLauncher<Call> {
  Signature signature;
  // Converts the arguments once, not in each thread.
  void operator()(P... arguments) const { start_kernel(arguments...); }
  // Fewer arguments than parameters: the call fills in the defaults. More, as in kernel<int> with
  // a pack behind: the call deduces it, and no kernel without it is instantiated. As many, but of
  // other types: says so.
  template <class... A, class = std::enable_if_t<!suit<std::tuple<P...>, A &&...>>>
  void operator()(A &&...arguments) const {
    static_assert(sizeof...(A) != sizeof...(P), "the kernel cannot be called with these arguments");
    if constexpr (sizeof...(A) < sizeof...(P))
      convert(std::index_sequence_for<A...>(), arguments...);
    else if constexpr (sizeof...(A) > sizeof...(P))
      Launcher<Call, Signature, void>{*this}(arguments...);
  }

 private:
  template <std::size_t... I, class... A>
  void convert(std::index_sequence<I...>, A &...arguments) const {
    start_kernel(static_cast<std::tuple_element_t<I, std::tuple<P...>>>(arguments)...);
  }
  template <class... A>
  void start_kernel(const A &...arguments) const {
    AnyLauncher<Call> launcher = *this;
    launcher.configured.kernel = reinterpret_cast<const void *>(signature(0));
    launcher.start(arguments...);
  }
};
template <class Call, class Signature>
struct Launcher<Call, Signature, void> : AnyLauncher<Call> {
  template <class... A>
  void operator()(A... arguments) const {
    choose_and_start<0>(std::index_sequence_for<A...>(), std::tuple<A...>(arguments...));
  }

 private:
  // Tries each Null as an integer and as a pointer, until the kernel can be called.
  template <unsigned Mask, std::size_t... I, class... A>
  void choose_and_start(std::index_sequence<I...> all, const std::tuple<A...> &arguments) const {
    constexpr unsigned nulls = (0u + ... + is_null<A>);
    if constexpr (std::is_invocable_v<Call, decltype(choose<Mask, I>(arguments))...>) {
      this->start(choose<Mask, I>(arguments)...);
    } else {
      constexpr bool another = nulls <= 6 && Mask + 1 < 1u << nulls;
      static_assert(another, "the kernel cannot be called with these arguments");
      if constexpr (another) choose_and_start<Mask + 1>(all, arguments);
    }
  }
};
template <class Signature, class Call>
auto launcher(Signature signature, Call call, const char *name, dim3 grid, dim3 block,
              std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  const Configuration configuration = {grid, block, shared_bytes, stream};
  const AnyLauncher<Call> any = {call, {configuration, name, nullptr, false}};
  if constexpr (std::is_invocable_v<Signature, int>)
    return Launcher<Call, Signature, decltype(signature(0))>{any, signature};
  else
    return Launcher<Call, Signature, void>{any};
}

}  // namespace cuda_cpu
#endif
