// libcu++'s cuda::pipeline (libcu++ documentation, "Extended API"): producers fill the stages of a
// ring, consumers empty them. Missing: quit(), waits with a time limit.
#ifndef CUDA_CPU_PIPELINE_H
#define CUDA_CPU_PIPELINE_H

#include <cuda_cpu/phase_barrier.h>

namespace cuda {

enum class pipeline_role { producer, consumer };

// In shared memory, for all threads of a block. Uninitialised; make_pipeline() does that.
template <thread_scope Scope, ::std::uint8_t Stages>
struct pipeline_shared_state {
  barrier<Scope> produced[Stages], consumed[Stages];
  ::std::uint32_t producers, consumers;
};

template <thread_scope Scope>
class pipeline {
  // Of the shared state; null in a pipeline of one thread, whose copies are complete at once.
  barrier<Scope> *produced_ = nullptr, *consumed_ = nullptr;
  ::std::uint32_t stages_ = 1, head_ = 0, tail_ = 0;  // stages that this thread filled, emptied

  template <thread_scope S, ::std::uint8_t N, class Group>
  friend pipeline<S> make_pipeline_for(const Group &, pipeline_shared_state<S, N> *, bool, bool);

 public:
  // Until the next stage is empty.
  void producer_acquire(CUDA_CPU_CALLER) {
    if (consumed_ == nullptr || head_ < stages_) return;
    consumed_[head_ % stages_].wait_for_phase(head_ / stages_ - 1, "producer_acquire", file, line);
  }
  void producer_commit() {
    if (produced_ != nullptr) (void)produced_[head_ % stages_].arrive();
    head_++;
  }
  // Until the oldest stage is full.
  void consumer_wait(CUDA_CPU_CALLER) {
    if (produced_ == nullptr) return;
    produced_[tail_ % stages_].wait_for_phase(tail_ / stages_, "consumer_wait", file, line);
  }
  void consumer_release() {
    if (consumed_ != nullptr) (void)consumed_[tail_ % stages_].arrive();
    tail_++;
  }
};
template <thread_scope Scope>
struct copy_completion<pipeline<Scope>> {};

inline pipeline<thread_scope_thread> make_pipeline() { return {}; }

template <thread_scope Scope, ::std::uint8_t Stages, class Group>
pipeline<Scope> make_pipeline_for(const Group &group, pipeline_shared_state<Scope, Stages> *state,
                                  bool produces, bool consumes) {
  if (group.thread_rank() == 0) state->producers = state->consumers = 0;
  group.sync();
  if (produces) __atomic_fetch_add(&state->producers, 1u, __ATOMIC_RELAXED);
  if (consumes) __atomic_fetch_add(&state->consumers, 1u, __ATOMIC_RELAXED);
  group.sync();
  if (group.thread_rank() == 0)
    for (int i = 0; i < Stages; i++) {
      init(&state->produced[i], state->producers);
      init(&state->consumed[i], state->consumers);
    }
  group.sync();
  pipeline<Scope> result;
  result.produced_ = state->produced;
  result.consumed_ = state->consumed;
  result.stages_ = Stages;
  return result;
}
// All threads of the group produce and consume.
template <thread_scope Scope, ::std::uint8_t Stages, class Group>
pipeline<Scope> make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state) {
  return make_pipeline_for(group, state, true, true);
}
template <thread_scope Scope, ::std::uint8_t Stages, class Group>
pipeline<Scope> make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state,
                              pipeline_role role) {
  return make_pipeline_for(group, state, role == pipeline_role::producer,
                           role == pipeline_role::consumer);
}
// The first `producers` threads produce, the others consume.
template <thread_scope Scope, ::std::uint8_t Stages, class Group>
pipeline<Scope> make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state,
                              ::std::size_t producers) {
  const bool produces = group.thread_rank() < producers;
  return make_pipeline_for(group, state, produces, !produces);
}

// Until all but the last `Prior` commits of this thread are complete.
template <int Prior>
void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &) {}

}  // namespace cuda
#endif
