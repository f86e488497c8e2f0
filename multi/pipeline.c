#include "multi/pipeline.h"

#include "common/check.h"
#include "common/your_sort.h"
#include "multi/step.h"

double pipeline_bytes_per_element(bool pairs) {
  const double scratch = pairs ? sort_version.scratch_per_pair : sort_version.scratch_per_key;
  const double element = pairs ? 8.0 : 4.0;
  // Assumes two copies for a version that does not state its scratch memory.
  return 4.0 * element + (scratch >= 0.0 ? scratch : 2.0 * element);
}

static bool allocate(unsigned int **array, size_t count) {
  if (cudaMalloc((void **)array, count * sizeof **array) == cudaSuccess) return true;
  (void)cudaGetLastError();
  *array = NULL;
  return false;
}

bool pipeline_create(Pipeline *pipeline, size_t most, bool pairs) {
  *pipeline = (Pipeline){.most = most, .pairs = pairs};
  CUDA_CHECK(cudaStreamCreateWithFlags(&pipeline->loader, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&pipeline->saver, cudaStreamNonBlocking));
  bool good = true;
  for (int slot = 0; slot < 2; slot++) {
    CUDA_CHECK(cudaEventCreateWithFlags(&pipeline->loaded[slot], cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&pipeline->sorted[slot], cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&pipeline->saved[slot], cudaEventDisableTiming));
    good = good && allocate(&pipeline->in[slot].keys, most) &&
           allocate(&pipeline->out[slot].keys, most);
    if (pairs)
      good = good && allocate(&pipeline->in[slot].positions, most) &&
             allocate(&pipeline->out[slot].positions, most);
  }
  return good;
}

void pipeline_destroy(Pipeline *pipeline) {
  for (int slot = 0; slot < 2; slot++) {
    CUDA_CHECK(cudaFree(pipeline->in[slot].keys));
    CUDA_CHECK(cudaFree(pipeline->in[slot].positions));
    CUDA_CHECK(cudaFree(pipeline->out[slot].keys));
    CUDA_CHECK(cudaFree(pipeline->out[slot].positions));
    CUDA_CHECK(cudaEventDestroy(pipeline->loaded[slot]));
    CUDA_CHECK(cudaEventDestroy(pipeline->sorted[slot]));
    CUDA_CHECK(cudaEventDestroy(pipeline->saved[slot]));
  }
  CUDA_CHECK(cudaStreamDestroy(pipeline->loader));
  CUDA_CHECK(cudaStreamDestroy(pipeline->saver));
}

static void copy(unsigned int *to, const unsigned int *from, size_t count, cudaStream_t stream,
                 enum cudaMemcpyKind kind) {
  if (count > 0) CUDA_CHECK(cudaMemcpyAsync(to, from, count * sizeof *to, kind, stream));
}

// Copies a piece in as soon as the piece before the last, whose buffer it takes, has been sorted.
static void load(Pipeline *pipeline, const Piece *piece, int number) {
  const int slot = number % 2;
  const Elements in = pipeline->in[slot];
  if (number >= 2) CUDA_CHECK(cudaStreamWaitEvent(pipeline->loader, pipeline->sorted[slot], 0));
  size_t place = 0;
  for (int k = 0; k < piece->slice_count; k++) {
    const HostSlice *const slice = &piece->slices[k];
    copy(in.keys + place, slice->elements.keys, slice->count, pipeline->loader,
         cudaMemcpyHostToDevice);
    if (pipeline->pairs)
      copy(in.positions + place, slice->elements.positions, slice->count, pipeline->loader,
           cudaMemcpyHostToDevice);
    place += slice->count;
  }
  CUDA_CHECK(cudaEventRecord(pipeline->loaded[slot], pipeline->loader));
}

static void sort(Pipeline *pipeline, const Piece *piece, int number) {
  const int slot = number % 2;
  const Elements in = pipeline->in[slot], out = pipeline->out[slot];
  CUDA_CHECK(cudaStreamWaitEvent(0, pipeline->loaded[slot], 0));
  if (number >= 2) CUDA_CHECK(cudaStreamWaitEvent(0, pipeline->saved[slot], 0));
  your_sort(in.keys, in.positions, out.keys, out.positions, piece->count);
  CUDA_CHECK(cudaEventRecord(pipeline->sorted[slot], 0));
}

static void save(Pipeline *pipeline, const Piece *piece, int number) {
  const int slot = number % 2;
  const Elements out = pipeline->out[slot];
  CUDA_CHECK(cudaStreamWaitEvent(pipeline->saver, pipeline->sorted[slot], 0));
  copy(piece->to.keys, out.keys, piece->count, pipeline->saver, cudaMemcpyDeviceToHost);
  if (pipeline->pairs)
    copy(piece->to.positions, out.positions, piece->count, pipeline->saver, cudaMemcpyDeviceToHost);
  CUDA_CHECK(cudaEventRecord(pipeline->saved[slot], pipeline->saver));
}

void pipeline_run(Pipeline *pipeline, const Piece *pieces, int count) {
  if (count > 0) load(pipeline, &pieces[0], 0);
  for (int i = 0; i < count; i++) {
    step_enter("pieces");
    // The next copy is queued first: a version may make the host wait for its kernels.
    if (i + 1 < count) load(pipeline, &pieces[i + 1], i + 1);
    sort(pipeline, &pieces[i], i);
    save(pipeline, &pieces[i], i);
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  LAUNCH_CHECK();
}
