// CUDA arrays: texels in rows without gaps, layer after layer.
#ifndef CUDA_CPU_ARRAYS_H
#define CUDA_CPU_ARRAYS_H

#include <cuda_runtime_api.h>

#include <cstddef>

struct cudaArray {
  cudaChannelFormatDesc format;
  cudaExtent extent;  // in texels and layers; 0: there is no such dimension
  unsigned int flags;
  std::size_t texel_bytes, pitch;  // bytes of a row
  char *data;
  std::size_t rows() const { return extent.height > 0 ? extent.height : 1; }  // of a layer
  std::size_t layers() const { return extent.depth > 0 ? extent.depth : 1; }
  char *at(std::size_t x_bytes, std::size_t y, std::size_t z) const {
    return data + (z * rows() + y) * pitch + x_bytes;
  }
};

namespace cuda_cpu {

int channels_of(const cudaChannelFormatDesc &format);
// 0 for a format that does not exist: all channels have the same 8, 16 or 32 bits.
std::size_t texel_bytes_of(const cudaChannelFormatDesc &format);

}  // namespace cuda_cpu
#endif
