// Texture objects of linear memory, of rows that are a pitch apart, and of arrays; surface objects;
// arrays of one to three dimensions, with layers, and cube maps. Included by cuda_runtime_api.h.
//
// Missing, with cudaErrorNotSupported: mipmaps, views, sRGB, gathering, layers of cube maps.
#ifndef CUDA_CPU_TEXTURE_CALLS_H
#define CUDA_CPU_TEXTURE_CALLS_H

#ifdef __cplusplus
extern "C" {
#endif

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture,
                                    const struct cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object);
// Of an array, which should be made with cudaArraySurfaceLoadStore.
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
                                    const struct cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object);

// Sizes in elements; height 0: one dimension.
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                            size_t width, size_t height CUDA_CPU_DEFAULT(0),
                            unsigned int flags CUDA_CPU_DEFAULT(0));
// depth 0: two dimensions; with cudaArrayLayered or cudaArrayCubemap the number of layers.
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned int flags CUDA_CPU_DEFAULT(0));
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array);
// Null pointers are skipped.
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array);
// x and width in bytes, y and height in rows. cudaErrorInvalidValue beyond the array.
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind,
                                     cudaStream_t stream CUDA_CPU_DEFAULT(0));
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind,
                                       cudaStream_t stream CUDA_CPU_DEFAULT(0));
cudaError_t cudaMemcpy2DArrayToArray(
    cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t x, size_t y,
    size_t width, size_t height,
    enum cudaMemcpyKind kind CUDA_CPU_DEFAULT(cudaMemcpyDeviceToDevice));
// Row after row without gaps, from position (x, y) on.
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind);

#ifdef __cplusplus
}
#endif
#endif
