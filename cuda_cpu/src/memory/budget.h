// Limits what is spent on finding mistakes to a share of the running time.
#ifndef CUDA_CPU_BUDGET_H
#define CUDA_CPU_BUDGET_H

#include <ctime>

namespace cuda_cpu {

class Budget {
 public:
  // Of all time since now `share` may be spent, and `first` seconds in addition.
  Budget(double share, double first) : share_(share), first_(first) {}

  // May a step be taken? Its reversal follows and costs about the same.
  bool allows() const { return spent_ + 2 * last_ <= share_ * (now() - start_) + first_; }

  // Spends the time that it lives.
  class Step {
   public:
    explicit Step(Budget &budget) : budget_(budget) {}
    ~Step() { budget_.spent_ += budget_.last_ = now() - start_; }
    Step(const Step &) = delete;
    Step &operator=(const Step &) = delete;

   private:
    Budget &budget_;
    const double start_ = now();
  };

 private:
  static double now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

  const double share_, first_;  // seconds
  const double start_ = now();
  double spent_ = 0.0, last_ = 0.0;
};

}  // namespace cuda_cpu
#endif
