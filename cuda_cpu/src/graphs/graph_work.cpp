// The work of each node, made from CUDA's structures.
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <cuda_cpu/errors.h>
#include <cuda_cpu/launch_calls.h>

#include "graph.h"
#include "../launch/grid.h"

namespace cuda_cpu {

Work memset_work(const cudaMemsetParams &p) {
  return [p]() -> cudaError_t {
    const bool known = p.elementSize == 1 || p.elementSize == 2 || p.elementSize == 4;
    if (!known || (p.height > 1 && p.pitch < p.width * p.elementSize))
      return fail(cudaErrorInvalidValue);
    std::vector<char> row(p.width * p.elementSize);
    for (size_t i = 0; i < row.size(); i += p.elementSize)
      std::memcpy(&row[i], &p.value, p.elementSize);
    for (size_t y = 0; y < p.height; y++) {
      const cudaError_t error = cudaMemcpy(static_cast<char *>(p.dst) + y * p.pitch, row.data(),
                                           row.size(), cudaMemcpyHostToDevice);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  };
}

Work copy_work(const cudaMemcpy3DParms &params) {
  return [params] { return cudaMemcpy3D(&params); };
}

Work kernel_work(const cudaKernelNodeParams &p) {
  const KnownKernel *const known = known_kernel(p.func);
  if (known == nullptr) return nullptr;
  const Configuration configuration = {p.gridDim, p.blockDim, p.sharedMemBytes, nullptr};
  const Launch launch = {configuration, known->name, p.func, false};
  if (check_launch(launch) != cudaSuccess) return nullptr;
  const AddingNode adding;
  return kernel_work(launch, known->make(known->name, p.func, p.kernelParams));
}

Work kernel_work(const Launch &launch, std::unique_ptr<KernelCall> call) {
  return [launch, call = std::shared_ptr<KernelCall>(std::move(call))] {
    run_grid(launch, *call);
    return cudaSuccess;
  };
}

}  // namespace cuda_cpu
