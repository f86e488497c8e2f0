// Texture objects: linear memory, rows, arrays; how they are read; mistakes.
#include "device_test.h"

#include <numeric>

using Array = Owned<cudaArray_t, cudaFreeArray>;
using Texture = Owned<cudaTextureObject_t, cudaDestroyTextureObject>;
using Surface = Owned<cudaSurfaceObject_t, cudaDestroySurfaceObject>;

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

TEST(linear_memory) {
  DeviceArray<int> numbers(std::vector<int>{10, 11, 12, 13}), out(6);
  const Texture texture(linear_texture<int>(numbers, 4, {}));
  fetch<int><<<1, 6>>>(texture, out, -1);
  ASSERT_SAME(out.read(), (std::vector<int>{0, 10, 11, 12, 13, 0}));

  DeviceArray<uchar4> pixels(std::vector<uchar4>{{0, 51, 255, 1}, {5, 6, 7, 8}}), copies(2);
  const Texture colours(linear_texture<uchar4>(pixels, 2, {}));
  fetch<uchar4><<<1, 2>>>(colours, copies, 0);
  ASSERT_SAME(copies.read(), pixels.read());
  cudaTextureDesc how = {};
  how.readMode = cudaReadModeNormalizedFloat;
  const Texture normalised(linear_texture<uchar4>(pixels, 2, how));
  DeviceArray<float4> floats(1);
  fetch<float4><<<1, 1>>>(normalised, floats, 0);
  const float4 first = floats.read()[0];
  assert_true(first.x == 0.0f && first.y == 51 / 255.0f && first.z == 1.0f &&
              first.w == 1 / 255.0f);
}

__global__ void sample(cudaTextureObject_t texture, const float2 *at, float *out) {
  out[threadIdx.x] = tex2D<float>(texture, at[threadIdx.x].x, at[threadIdx.x].y);
}

// Reads the 3 x 2 texels 0 1 2 / 10 11 12 at each pair of coordinates.
static std::vector<float> samples(cudaTextureObject_t texture, const std::vector<float2> &at) {
  const DeviceArray<float2> places(at);
  const DeviceArray<float> out(at.size());
  sample<<<1, (unsigned)at.size()>>>(texture, places, out);
  return out.read();
}

TEST(arrays_and_rows) {
  const float texels[] = {0, 1, 2, 10, 11, 12};
  cudaResourceDesc resource = {};
  Array array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CUDA_OK(cudaMallocArray(&array, &format, 3, 2));
  CUDA_OK(cudaMemcpy2DToArray(array, 0, 0, texels, 12, 12, 2, cudaMemcpyHostToDevice));
  float back[6];
  CUDA_OK(cudaMemcpyFromArray(back, array, 0, 0, sizeof back, cudaMemcpyDeviceToHost));
  assert_memory_equal(back, texels, sizeof back);
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  const auto read = [&](const cudaTextureDesc &how, const std::vector<float2> &at) {
    Texture texture;
    CUDA_OK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    return samples(texture, at);
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

TEST(refused_textures) {
  DeviceArray<int> numbers(4);
  int host = 0;
  cudaTextureObject_t object;
  cudaTextureDesc how = {};
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = &host;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = 16;
  CUDA_FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&object, &resource, &how, NULL));
  resource.res.linear.devPtr = numbers;
  how.filterMode = cudaFilterModeLinear;  // of integers
  CUDA_FAILS(cudaErrorInvalidFilterSetting,
             cudaCreateTextureObject(&object, &resource, &how, NULL));
  how.filterMode = cudaFilterModePoint;
  resource.res.linear.desc = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindSigned);
  CUDA_FAILS(cudaErrorInvalidChannelDescriptor,
             cudaCreateTextureObject(&object, &resource, &how, NULL));
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  how.readMode = cudaReadModeNormalizedFloat;
  CUDA_FAILS(cudaErrorInvalidNormSetting, cudaCreateTextureObject(&object, &resource, &how, NULL));
#ifdef CUDA_CPU
  resource.resType = cudaResourceTypeMipmappedArray;
  CUDA_FAILS(cudaErrorNotSupported, cudaCreateTextureObject(&object, &resource, &how, NULL));
#endif
}

MISTAKE(wrong_type) {
  DeviceArray<int> numbers(4), out(2);
  fetch<<<1, 1>>>(linear_texture<int>(numbers, 4, {}), (short *)(int *)out, 0);
}
MISTAKE(wrong_fetch) {
  DeviceArray<float> numbers(4), out(4);
  DeviceArray<float2> at(1);
  sample<<<1, 1>>>(linear_texture<float>(numbers, 4, {}), at, out);
}

TEST(mistakes) {
  expect_report("wrong_type", {"memcheck: tex1Dfetch reads a value of 2 bytes from a texture with "
                               "values of 4 bytes",
                               "kernel fetch"});
  expect_report("wrong_fetch", {"tex2D of a texture of linear memory, which tex1Dfetch reads"});
}

// ---- surfaces -----------------------------------------------------------------------------------
//
// Surfaces and arrays of one to three dimensions, with layers, and textures of them.

static cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}
static cudaSurfaceObject_t surface_of(cudaArray_t array) {
  const cudaResourceDesc resource = resource_of(array);
  cudaSurfaceObject_t surface = 0;
  CUDA_OK(cudaCreateSurfaceObject(&surface, &resource));
  return surface;
}
static cudaTextureObject_t texture_of(cudaArray_t array, bool normalized) {
  const cudaResourceDesc resource = resource_of(array);
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModeLinear;
  how.normalizedCoords = normalized;
  cudaTextureObject_t texture = 0;
  CUDA_OK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
  return texture;
}
// Texel (x, y, z) holds 100 z + 10 y + x.
template <class T>
static cudaArray_t array_of(cudaExtent extent, unsigned flags) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaArray_t array = NULL;
  CUDA_OK(cudaMalloc3DArray(&array, &format, extent, flags));
  const size_t height = extent.height > 0 ? extent.height : 1;
  const size_t depth = extent.depth > 0 ? extent.depth : 1;
  std::vector<T> texels(extent.width * height * depth);
  for (size_t i = 0; i < texels.size(); i++)
    texels[i] = (T)(100 * (i / extent.width / height) + 10 * (i / extent.width % height) +
                    i % extent.width);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(texels.data(), extent.width * sizeof(T), extent.width, height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(extent.width, height, depth);
  copy.kind = cudaMemcpyHostToDevice;
  CUDA_OK(cudaMemcpy3D(&copy));
  return array;
}

__global__ void transpose(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  const int x = (int)threadIdx.x, y = (int)threadIdx.y;
  int value;
  surf2Dread(&value, from, x * (int)sizeof(int), y);
  surf2Dwrite(value + 1000, to, y * (int)sizeof(int), x);
}

TEST(reads_and_writes) {
  const Array from(array_of<int>(make_cudaExtent(4, 3, 0), cudaArraySurfaceLoadStore));
  const Array to(array_of<int>(make_cudaExtent(3, 4, 0), cudaArraySurfaceLoadStore));
  const Surface in(surface_of(from)), out(surface_of(to));
  transpose<<<1, dim3(4, 3)>>>(in, out);
  KERNEL_OK();
  std::vector<int> values(12);
  CUDA_OK(cudaMemcpy2DFromArray(values.data(), 12, to, 0, 0, 12, 4, cudaMemcpyDeviceToHost));
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 3; x++) assert_int_equal(values[(size_t)(3 * y + x)], 1000 + 10 * x + y);
  // A part of an array to a part of another one.
  CUDA_OK(cudaMemcpy2DArrayToArray(to, 4, 2, from, 8, 1, 8, 2));
  CUDA_OK(cudaMemcpy2DFromArray(values.data(), 12, to, 0, 0, 12, 4, cudaMemcpyDeviceToHost));
  assert_int_equal(values[7], 12);
  assert_int_equal(values[11], 23);
  assert_int_equal(values[6], 1002);
}

// Each thread reads at its place and then writes 77 there.
__global__ void use_outside(cudaSurfaceObject_t surface, const int2 *at, int *zero, int *clamped) {
  const int i = (int)threadIdx.x;
  zero[i] = surf2Dread<int>(surface, at[i].x, at[i].y, cudaBoundaryModeZero);
  clamped[i] = surf2Dread<int>(surface, at[i].x, at[i].y, cudaBoundaryModeClamp);
  __syncthreads();
  surf2Dwrite(77, surface, at[i].x, at[i].y, cudaBoundaryModeZero);
}

TEST(boundary_modes) {
  const Array array(array_of<int>(make_cudaExtent(4, 3, 0), cudaArraySurfaceLoadStore));
  const Surface surface(surface_of(array));
  const DeviceArray<int2> at(
      std::vector<int2>{{4, 1}, {16, 0}, {-4, 2}, {8, 3}, {0, -1}, {99 * 4, 99}});
  const DeviceArray<int> zero(6), clamped(6);
  use_outside<<<1, 6>>>(surface, at, zero, clamped);
  ASSERT_SAME(zero.read(), (std::vector<int>{11, 0, 0, 0, 0, 0}));
  ASSERT_SAME(clamped.read(), (std::vector<int>{11, 3, 20, 22, 0, 23}));
  std::vector<int> values(12);
  CUDA_OK(cudaMemcpy2DFromArray(values.data(), 16, array, 0, 0, 16, 3, cudaMemcpyDeviceToHost));
  ASSERT_SAME(values, (std::vector<int>{0, 1, 2, 3, 10, 77, 12, 13, 20, 21, 22, 23}));
}

__global__ void use_dimensions(cudaSurfaceObject_t one, cudaSurfaceObject_t three,
                               cudaSurfaceObject_t layers, float *out) {
  surf1Dwrite(0.5f, one, 2 * (int)sizeof(float));
  out[0] = surf1Dread<float>(one, 2 * sizeof(float));
  out[1] = surf1Dread<float>(one, 3 * sizeof(float));
  out[2] = surf3Dread<float>(three, 1 * sizeof(float), 2, 3);
  surf3Dwrite(1.5f, three, 0, 0, 3);
  out[3] = surf3Dread<float>(three, 0, 0, 3);
  out[4] = surf2DLayeredread<float>(layers, sizeof(float), 1, 2);
  surf2DLayeredwrite(2.5f, layers, 0, 1, 1);
  out[5] = surf2DLayeredread<float>(layers, 0, 1, 1);
}

TEST(dimensions) {
  const unsigned store = cudaArraySurfaceLoadStore;
  const Array line(array_of<float>(make_cudaExtent(5, 0, 0), store)),
      volume(array_of<float>(make_cudaExtent(4, 3, 4), store)),
      layers(array_of<float>(make_cudaExtent(4, 3, 3), store | cudaArrayLayered));
  const Surface one(surface_of(line)), three(surface_of(volume)), layered(surface_of(layers));
  const DeviceArray<float> out(6);
  use_dimensions<<<1, 1>>>(one, three, layered, out);
  ASSERT_SAME(out.read(), (std::vector<float>{0.5f, 3, 321, 1.5f, 211, 2.5f}));
  cudaChannelFormatDesc format;
  cudaExtent extent;
  unsigned flags = 0;
  CUDA_OK(cudaArrayGetInfo(&format, &extent, &flags, layers));
  assert_int_equal(format.x, 32);
  assert_int_equal(extent.depth, 3);
  assert_int_equal(flags, store | cudaArrayLayered);
}

// ---- textures of such arrays --------------------------------------------------------------------

__global__ void sample_volume(cudaTextureObject_t texture, float *out) {
  out[0] = tex3D<float>(texture, 1.5f, 2.5f, 3.5f);
  out[1] = tex3D<float>(texture, 2.0f, 1.5f, 0.5f);
  out[2] = tex3D<float>(texture, 2.0f, 1.0f, 1.0f);
  out[3] = tex3D<float>(texture, -5.0f, 9.0f, 9.0f);
}
__global__ void sample_layers(cudaTextureObject_t texture, float *out) {
  out[0] = tex2DLayered<float>(texture, 1.5f, 2.5f, 1);
  out[1] = tex2DLayered<float>(texture, 2.0f, 1.0f, 2);  // nothing of layer 1
  out[2] = tex2DLayered<float>(texture, 0.5f, 0.5f, 99);
}
// The centre of each face, and a place between texels of face 0.
__global__ void sample_cube(cudaTextureObject_t texture, float *out) {
  const float d[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  for (int i = 0; i < 6; i++) out[i] = texCubemap<float>(texture, d[i][0], d[i][1], d[i][2]);
  out[6] = texCubemap<float>(texture, 2.0f, -0.5f, -1.0f);
}

TEST(textures_of_arrays) {
  const Array volume(array_of<float>(make_cudaExtent(4, 3, 4), cudaArrayDefault));
  const Texture of_volume(texture_of(volume, false));
  const DeviceArray<float> out(7);
  sample_volume<<<1, 1>>>(of_volume, out);
  std::vector<float> values = out.read();
  values.resize(4);
  ASSERT_SAME(values, (std::vector<float>{321, 11.5f, 50 + 5 + 1.5f, 320}));

  const Array layers(array_of<float>(make_cudaExtent(4, 3, 3), cudaArrayLayered));
  const Texture of_layers(texture_of(layers, false));
  sample_layers<<<1, 1>>>(of_layers, out);
  values = out.read();
  values.resize(3);
  ASSERT_SAME(values, (std::vector<float>{121, 206.5f, 200}));

  const Array cube(array_of<float>(make_cudaExtent(4, 4, 6), cudaArrayCubemap));
  const Texture of_cube(texture_of(cube, true));
  sample_cube<<<1, 1>>>(of_cube, out);
  ASSERT_SAME(out.read(),
              (std::vector<float>{16.5f, 116.5f, 216.5f, 316.5f, 416.5f, 516.5f, 20 + 2.5f}));
}

// ---- refusals -----------------------------------------------------------------------------------

TEST(refused_arrays) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  const cudaChannelFormatDesc three = {32, 32, 32, 0, cudaChannelFormatKindSigned};
  Array array;
  CUDA_FAILS(cudaErrorInvalidValue, cudaMallocArray(&array, &format, 0, 4));
  CUDA_FAILS(cudaErrorInvalidValue,
             cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 4, 5), cudaArrayCubemap));
  CUDA_FAILS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&array, &three, 4, 4));
  CUDA_OK(cudaMallocArray(&array, &format, 3, 2));
  const float texels[6] = {};
  CUDA_FAILS(cudaErrorInvalidValue,
             cudaMemcpy2DToArray(array, 4, 0, texels, 12, 12, 2, cudaMemcpyHostToDevice));
  CUDA_FAILS(cudaErrorInvalidValue,
             cudaMemcpy2DToArray(array, 0, 1, texels, 12, 12, 2, cudaMemcpyHostToDevice));
  CUDA_FAILS(cudaErrorInvalidMemcpyDirection,
             cudaMemcpy2DToArray(array, 0, 0, texels, 12, 12, 2, cudaMemcpyDeviceToHost));
  CUDA_FAILS(cudaErrorInvalidResourceHandle,
             cudaMemcpy2DToArray(NULL, 0, 0, texels, 12, 12, 2, cudaMemcpyHostToDevice));
}

__global__ void write_at(cudaSurfaceObject_t surface, int x, int y) {
  surf2Dwrite(1, surface, x, y);
}
MISTAKE(write_outside) {
  const cudaArray_t array = array_of<int>(make_cudaExtent(4, 3, 0), cudaArraySurfaceLoadStore);
  write_at<<<1, 1>>>(surface_of(array), 4, 3);
}
MISTAKE(write_unaligned) {
  const cudaArray_t array = array_of<int>(make_cudaExtent(4, 3, 0), cudaArraySurfaceLoadStore);
  write_at<<<1, 1>>>(surface_of(array), 1, 0);  // x counts bytes
}

TEST(mistakes_with_surfaces) {
  expect_report("write_outside", {"memcheck: surf2Dwrite at byte 4, row 3, layer 0 of a surface of "
                                  "16 bytes, 3 rows, 1 layers",
                                  "kernel write_at"});
  expect_report("write_unaligned",
                {"memcheck: surf2Dwrite: x is 1 bytes, not a multiple of the value's 4 bytes"});
}
