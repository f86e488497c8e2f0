// Texture objects: linear memory, rows, arrays; how they are read; mistakes.
#include "mistakes.h"

static cudaTextureDesc point_of(cudaTextureAddressMode mode) {
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = mode;
  return how;
}
template <class T>
static cudaTextureObject_t linear_texture(void *memory, size_t elements, cudaTextureDesc how) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = cudaCreateChannelDesc<T>();
  resource.res.linear.sizeInBytes = elements * sizeof(T);
  cudaTextureObject_t object = 0;
  CUDA_OK(cudaCreateTextureObject(&object, &resource, &how, NULL));
  return object;
}

template <class T>
__global__ void fetch(cudaTextureObject_t texture, T *out, int first) {
  const int i = (int)threadIdx.x;
  out[i] = tex1Dfetch<T>(texture, first + i);
}

static void test_linear_memory(void **) {
  DeviceArray<int> numbers(std::vector<int>{10, 11, 12, 13}), out(6);
  cudaTextureObject_t texture = linear_texture<int>(numbers, 4, {});
  fetch<<<1, 6>>>(texture, (int *)out, -1);
  KERNEL_OK();
  ASSERT_SAME(out.read(), (std::vector<int>{0, 10, 11, 12, 13, 0}));
  CUDA_OK(cudaDestroyTextureObject(texture));

  DeviceArray<uchar4> pixels(std::vector<uchar4>{{0, 51, 255, 1}, {5, 6, 7, 8}}), copies(2);
  texture = linear_texture<uchar4>(pixels, 2, {});
  fetch<<<1, 2>>>(texture, (uchar4 *)copies, 0);
  KERNEL_OK();
  ASSERT_SAME(copies.read(), pixels.read());
  CUDA_OK(cudaDestroyTextureObject(texture));
  cudaTextureDesc how = {};
  how.readMode = cudaReadModeNormalizedFloat;
  texture = linear_texture<uchar4>(pixels, 2, how);
  DeviceArray<float4> floats(1);
  fetch<<<1, 1>>>(texture, (float4 *)floats, 0);
  KERNEL_OK();
  const float4 first = floats.read()[0];
  assert_true(first.x == 0.0f && first.y == 51 / 255.0f && first.z == 1.0f &&
              first.w == 1 / 255.0f);
  CUDA_OK(cudaDestroyTextureObject(texture));
}

__global__ void sample(cudaTextureObject_t texture, const float2 *at, float *out) {
  out[threadIdx.x] = tex2D<float>(texture, at[threadIdx.x].x, at[threadIdx.x].y);
}

// Reads the 3 x 2 texels 0 1 2 / 10 11 12 at each pair of coordinates.
static std::vector<float> samples(cudaTextureObject_t texture, const std::vector<float2> &at) {
  const DeviceArray<float2> places(at);
  const DeviceArray<float> out(at.size());
  sample<<<1, (unsigned)at.size()>>>(texture, places, out);
  KERNEL_OK();
  return out.read();
}

static void test_arrays_and_rows(void **) {
  const float texels[] = {0, 1, 2, 10, 11, 12};
  cudaResourceDesc resource = {};
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CUDA_OK(cudaMallocArray(&array, &format, 3, 2));
  CUDA_OK(cudaMemcpy2DToArray(array, 0, 0, texels, 12, 12, 2, cudaMemcpyHostToDevice));
  float back[6];
  CUDA_OK(cudaMemcpyFromArray(back, array, 0, 0, sizeof back, cudaMemcpyDeviceToHost));
  assert_memory_equal(back, texels, sizeof back);
  ASSERT_CUDA(cudaErrorInvalidValue,
              cudaMemcpy2DToArray(array, 4, 0, texels, 12, 12, 2, cudaMemcpyHostToDevice));
  (void)cudaGetLastError();
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  const auto read = [&](const cudaTextureDesc &how, const std::vector<float2> &at) {
    cudaTextureObject_t texture = 0;
    CUDA_OK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    const std::vector<float> values = samples(texture, at);
    CUDA_OK(cudaDestroyTextureObject(texture));
    return values;
  };
  const std::vector<float2> around = {{0.5f, 0.5f}, {2.9f, 1.9f}, {-0.1f, 0}, {3.1f, 5}};
  using Floats = std::vector<float>;
  ASSERT_SAME(read(point_of(cudaAddressModeClamp), around), (Floats{0, 12, 0, 12}));
  cudaTextureDesc border = point_of(cudaAddressModeBorder);
  border.borderColor[0] = 7;
  ASSERT_SAME(read(border, around), (Floats{0, 12, 7, 7}));

  cudaTextureDesc wrap = point_of(cudaAddressModeWrap), mirror = point_of(cudaAddressModeMirror);
  wrap.normalizedCoords = mirror.normalizedCoords = 1;
  const std::vector<float2> outside = {{-0.1f, 0.1f}, {1.1f, 1.6f}, {0.5f, 2.6f}};
  ASSERT_SAME(read(wrap, outside), (Floats{2, 10, 11}));
  ASSERT_SAME(read(mirror, outside), (Floats{0, 2, 11}));

  cudaTextureDesc smooth = point_of(cudaAddressModeClamp);
  smooth.filterMode = cudaFilterModeLinear;
  ASSERT_SAME(
      read(smooth, {{0.5f, 0.5f}, {1, 0.5f}, {1.25f, 1}, {0, 0}, {1.5f + 1 / 1024.0f, 1.5f}}),
      (Floats{0, 0.5f, 0.75f + 5, 0, 11}));  // weights have 8 bits
  CUDA_OK(cudaFreeArray(array));

  void *rows = NULL;
  size_t pitch = 0;
  CUDA_OK(cudaMallocPitch(&rows, &pitch, 12, 2));
  CUDA_OK(cudaMemcpy2D(rows, pitch, texels, 12, 12, 2, cudaMemcpyHostToDevice));
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = rows;
  resource.res.pitch2D.desc = format;
  resource.res.pitch2D.width = 3;
  resource.res.pitch2D.height = 2;
  resource.res.pitch2D.pitchInBytes = pitch;
  ASSERT_SAME(read(point_of(cudaAddressModeClamp), around), (Floats{0, 12, 0, 12}));
  CUDA_OK(cudaFree(rows));
}

static void test_refused_textures(void **) {
  DeviceArray<int> numbers(4);
  int host = 0;
  cudaTextureObject_t object;
  cudaTextureDesc how = {};
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = &host;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = 16;
  ASSERT_CUDA(cudaErrorInvalidValue, cudaCreateTextureObject(&object, &resource, &how, NULL));
  resource.res.linear.devPtr = numbers;
  how.filterMode = cudaFilterModeLinear;  // of integers
  ASSERT_CUDA(cudaErrorInvalidFilterSetting,
              cudaCreateTextureObject(&object, &resource, &how, NULL));
  how.filterMode = cudaFilterModePoint;
  resource.res.linear.desc = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindSigned);
  ASSERT_CUDA(cudaErrorInvalidChannelDescriptor,
              cudaCreateTextureObject(&object, &resource, &how, NULL));
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  how.readMode = cudaReadModeNormalizedFloat;
  ASSERT_CUDA(cudaErrorInvalidNormSetting, cudaCreateTextureObject(&object, &resource, &how, NULL));
#ifdef CUDA_CPU
  resource.resType = cudaResourceTypeMipmappedArray;
  ASSERT_CUDA(cudaErrorNotSupported, cudaCreateTextureObject(&object, &resource, &how, NULL));
#endif
  (void)cudaGetLastError();
}

static void run_wrong_type(void) {
  DeviceArray<int> numbers(4), out(2);
  fetch<<<1, 1>>>(linear_texture<int>(numbers, 4, {}), (short *)(int *)out, 0);
}
static void run_wrong_fetch(void) {
  DeviceArray<float> numbers(4), out(4);
  DeviceArray<float2> at(1);
  sample<<<1, 1>>>(linear_texture<float>(numbers, 4, {}), at, out);
}

static void test_mistakes(void **) {
  expect_report("wrong_type", {"memcheck: tex1Dfetch reads a value of 2 bytes from a texture with "
                               "values of 4 bytes",
                               "kernel fetch"});
  expect_report("wrong_fetch", {"tex2D of a texture of linear memory, which tex1Dfetch reads"});
}

int main(int argc, char **argv) {
  make_mistake_if_child(argc, argv, {MISTAKE(wrong_type), MISTAKE(wrong_fetch)});
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_linear_memory),
      cmocka_unit_test(test_arrays_and_rows),
      cmocka_unit_test(test_refused_textures),
      cmocka_unit_test(test_mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
