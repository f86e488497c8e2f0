// CS344's loadSaveImage.h: declared so that solutions that include it compile. HW4 loads and saves
// the images itself.
#ifndef COMMON_CS344_LOAD_SAVE_IMAGE_H
#define COMMON_CS344_LOAD_SAVE_IMAGE_H

#include <cuda_runtime.h>

#include <string>

void loadImageRGBA(const std::string &filename, uchar4 **imagePtr, size_t *numRows,
                   size_t *numCols);
void loadImageHDR(const std::string &filename, float **imagePtr, size_t *numRows, size_t *numCols);
void saveImageRGBA(const uchar4 *const image, const size_t numRows, const size_t numCols,
                   const std::string &output_file);
void saveImageHDR(const float *const image, const size_t numRows, const size_t numCols,
                  const std::string &output_file);

#endif
