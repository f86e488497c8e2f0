// Surfaces and arrays of one to three dimensions, with layers, and textures of them.
#include "mistakes.h"

#include <numeric>

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

// ---- surfaces -----------------------------------------------------------------------------------

__global__ void transpose(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  const int x = (int)threadIdx.x, y = (int)threadIdx.y;
  int value;
  surf2Dread(&value, from, x * (int)sizeof(int), y);
  surf2Dwrite(value + 1000, to, y * (int)sizeof(int), x);
}

static void test_reads_and_writes(void **) {
  const cudaArray_t from = array_of<int>(make_cudaExtent(4, 3, 0), cudaArraySurfaceLoadStore);
  const cudaArray_t to = array_of<int>(make_cudaExtent(3, 4, 0), cudaArraySurfaceLoadStore);
  const cudaSurfaceObject_t in = surface_of(from), out = surface_of(to);
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
  CUDA_OK(cudaDestroySurfaceObject(in));
  CUDA_OK(cudaDestroySurfaceObject(out));
  CUDA_OK(cudaFreeArray(from));
  CUDA_OK(cudaFreeArray(to));
}

// Each thread reads at its place and then writes 77 there.
__global__ void use_outside(cudaSurfaceObject_t surface, const int2 *at, int *zero, int *clamped) {
  const int i = (int)threadIdx.x;
  zero[i] = surf2Dread<int>(surface, at[i].x, at[i].y, cudaBoundaryModeZero);
  clamped[i] = surf2Dread<int>(surface, at[i].x, at[i].y, cudaBoundaryModeClamp);
  __syncthreads();
  surf2Dwrite(77, surface, at[i].x, at[i].y, cudaBoundaryModeZero);
}

static void test_boundary_modes(void **) {
  const cudaArray_t array = array_of<int>(make_cudaExtent(4, 3, 0), cudaArraySurfaceLoadStore);
  const cudaSurfaceObject_t surface = surface_of(array);
  const DeviceArray<int2> at(
      std::vector<int2>{{4, 1}, {16, 0}, {-4, 2}, {8, 3}, {0, -1}, {99 * 4, 99}});
  const DeviceArray<int> zero(6), clamped(6);
  use_outside<<<1, 6>>>(surface, at, zero, clamped);
  KERNEL_OK();
  ASSERT_SAME(zero.read(), (std::vector<int>{11, 0, 0, 0, 0, 0}));
  ASSERT_SAME(clamped.read(), (std::vector<int>{11, 3, 20, 22, 0, 23}));
  std::vector<int> values(12);
  CUDA_OK(cudaMemcpy2DFromArray(values.data(), 16, array, 0, 0, 16, 3, cudaMemcpyDeviceToHost));
  ASSERT_SAME(values, (std::vector<int>{0, 1, 2, 3, 10, 77, 12, 13, 20, 21, 22, 23}));
  CUDA_OK(cudaDestroySurfaceObject(surface));
  CUDA_OK(cudaFreeArray(array));
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

static void test_dimensions(void **) {
  const unsigned store = cudaArraySurfaceLoadStore;
  const cudaArray_t arrays[] = {
      array_of<float>(make_cudaExtent(5, 0, 0), store),
      array_of<float>(make_cudaExtent(4, 3, 4), store),
      array_of<float>(make_cudaExtent(4, 3, 3), store | cudaArrayLayered)};
  cudaSurfaceObject_t surfaces[3];
  for (int i = 0; i < 3; i++) surfaces[i] = surface_of(arrays[i]);
  const DeviceArray<float> out(6);
  use_dimensions<<<1, 1>>>(surfaces[0], surfaces[1], surfaces[2], out);
  KERNEL_OK();
  ASSERT_SAME(out.read(), (std::vector<float>{0.5f, 3, 321, 1.5f, 211, 2.5f}));
  cudaChannelFormatDesc format;
  cudaExtent extent;
  unsigned flags = 0;
  CUDA_OK(cudaArrayGetInfo(&format, &extent, &flags, arrays[2]));
  assert_int_equal(format.x, 32);
  assert_int_equal(extent.depth, 3);
  assert_int_equal(flags, store | cudaArrayLayered);
  for (int i = 0; i < 3; i++) {
    CUDA_OK(cudaDestroySurfaceObject(surfaces[i]));
    CUDA_OK(cudaFreeArray(arrays[i]));
  }
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

static void test_textures_of_arrays(void **) {
  const cudaArray_t volume = array_of<float>(make_cudaExtent(4, 3, 4), cudaArrayDefault);
  cudaTextureObject_t texture = texture_of(volume, false);
  const DeviceArray<float> out(7);
  sample_volume<<<1, 1>>>(texture, out);
  KERNEL_OK();
  std::vector<float> values = out.read();
  values.resize(4);
  ASSERT_SAME(values, (std::vector<float>{321, 11.5f, 50 + 5 + 1.5f, 320}));
  CUDA_OK(cudaDestroyTextureObject(texture));
  CUDA_OK(cudaFreeArray(volume));

  const cudaArray_t layers = array_of<float>(make_cudaExtent(4, 3, 3), cudaArrayLayered);
  texture = texture_of(layers, false);
  sample_layers<<<1, 1>>>(texture, out);
  KERNEL_OK();
  values = out.read();
  values.resize(3);
  ASSERT_SAME(values, (std::vector<float>{121, 206.5f, 200}));
  CUDA_OK(cudaDestroyTextureObject(texture));
  CUDA_OK(cudaFreeArray(layers));

  const cudaArray_t cube = array_of<float>(make_cudaExtent(4, 4, 6), cudaArrayCubemap);
  texture = texture_of(cube, true);
  sample_cube<<<1, 1>>>(texture, out);
  KERNEL_OK();
  ASSERT_SAME(out.read(),
              (std::vector<float>{16.5f, 116.5f, 216.5f, 316.5f, 416.5f, 516.5f, 20 + 2.5f}));
  CUDA_OK(cudaDestroyTextureObject(texture));
  CUDA_OK(cudaFreeArray(cube));
}

// ---- refusals -----------------------------------------------------------------------------------

static void test_refused_arrays(void **) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  const cudaChannelFormatDesc three = {32, 32, 32, 0, cudaChannelFormatKindSigned};
  cudaArray_t array = NULL;
  ASSERT_CUDA(cudaErrorInvalidValue, cudaMallocArray(&array, &format, 0, 4));
  ASSERT_CUDA(cudaErrorInvalidValue,
              cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 4, 5), cudaArrayCubemap));
  ASSERT_CUDA(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&array, &three, 4, 4));
  CUDA_OK(cudaMallocArray(&array, &format, 3, 2));
  const float texels[6] = {};
  ASSERT_CUDA(cudaErrorInvalidValue,
              cudaMemcpy2DToArray(array, 4, 0, texels, 12, 12, 2, cudaMemcpyHostToDevice));
  ASSERT_CUDA(cudaErrorInvalidValue,
              cudaMemcpy2DToArray(array, 0, 1, texels, 12, 12, 2, cudaMemcpyHostToDevice));
  ASSERT_CUDA(cudaErrorInvalidMemcpyDirection,
              cudaMemcpy2DToArray(array, 0, 0, texels, 12, 12, 2, cudaMemcpyDeviceToHost));
  ASSERT_CUDA(cudaErrorInvalidResourceHandle,
              cudaMemcpy2DToArray(NULL, 0, 0, texels, 12, 12, 2, cudaMemcpyHostToDevice));
  CUDA_OK(cudaFreeArray(array));
  (void)cudaGetLastError();
}

__global__ void write_at(cudaSurfaceObject_t surface, int x, int y) {
  surf2Dwrite(1, surface, x, y);
}
static void run_write_outside(void) {
  const cudaArray_t array = array_of<int>(make_cudaExtent(4, 3, 0), cudaArraySurfaceLoadStore);
  write_at<<<1, 1>>>(surface_of(array), 4, 3);
}
static void run_write_unaligned(void) {
  const cudaArray_t array = array_of<int>(make_cudaExtent(4, 3, 0), cudaArraySurfaceLoadStore);
  write_at<<<1, 1>>>(surface_of(array), 1, 0);  // x counts bytes
}

static void test_mistakes(void **) {
  expect_report("write_outside", {"memcheck: surf2Dwrite at byte 4, row 3, layer 0 of a surface of "
                                  "16 bytes, 3 rows, 1 layers",
                                  "kernel write_at"});
  expect_report("write_unaligned",
                {"memcheck: surf2Dwrite: x is 1 bytes, not a multiple of the value's 4 bytes"});
}

int main(int argc, char **argv) {
  make_mistake_if_child(argc, argv, {MISTAKE(write_outside), MISTAKE(write_unaligned)});
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reads_and_writes), cmocka_unit_test(test_boundary_modes),
      cmocka_unit_test(test_dimensions),       cmocka_unit_test(test_textures_of_arrays),
      cmocka_unit_test(test_refused_arrays),   cmocka_unit_test(test_mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
