// CS344's timer.h, written anew: a stopwatch on the default stream.
#ifndef COMMON_CS344_TIMER_H
#define COMMON_CS344_TIMER_H

#include <cuda_runtime.h>

struct GpuTimer {
  cudaEvent_t start, stop;

  GpuTimer() {
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
  }
  ~GpuTimer() {
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
  }
  GpuTimer(const GpuTimer &) = delete;
  GpuTimer &operator=(const GpuTimer &) = delete;

  void Start() { cudaEventRecord(start, 0); }
  void Stop() { cudaEventRecord(stop, 0); }

  // Milliseconds from Start() to Stop(), once the device has come there.
  float Elapsed() {
    float milliseconds = 0.0f;
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&milliseconds, start, stop);
    return milliseconds;
  }
};

#endif
