#include "multi/host/pipeline.h"

#include "common/check.h"
#include "common/your_sort.h"
#include "multi/world/step.h"

double pipeline_bytes_per_element(bool pairs) {
  const double scratch = pairs ? sort_version.scratch_per_pair : sort_version.scratch_per_key;
  const double element = pairs ? 8.0 : 4.0;
  // Assumes two copies for a version that does not state its scratch memory.
  return 4.0 * element + (scratch >= 0.0 ? scratch : 2.0 * element);
}

bool pipeline_create(Pipeline *pipeline, size_t most, bool pairs) {
  *pipeline = (Pipeline){.most = most};
  CUDA_CHECK(cudaStreamCreateWithFlags(&pipeline->loader, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&pipeline->saver, cudaStreamNonBlocking));
  bool good = true;
  for (int slot = 0; slot < 2; slot++) {
    CUDA_CHECK(cudaEventCreateWithFlags(&pipeline->loaded[slot], cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&pipeline->sorted[slot], cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&pipeline->saved[slot], cudaEventDisableTiming));
    good = good && elements_alloc(&pipeline->in[slot], most, pairs) &&
           elements_alloc(&pipeline->out[slot], most, pairs);
  }
  return good;
}

void pipeline_destroy(Pipeline *pipeline) {
  for (int slot = 0; slot < 2; slot++) {
    elements_free(&pipeline->in[slot]);
    elements_free(&pipeline->out[slot]);
    CUDA_CHECK(cudaEventDestroy(pipeline->loaded[slot]));
    CUDA_CHECK(cudaEventDestroy(pipeline->sorted[slot]));
    CUDA_CHECK(cudaEventDestroy(pipeline->saved[slot]));
  }
  CUDA_CHECK(cudaStreamDestroy(pipeline->loader));
  CUDA_CHECK(cudaStreamDestroy(pipeline->saver));
}

static void copy(Elements to, Elements from, size_t count, cudaStream_t stream,
                 enum cudaMemcpyKind kind) {
  const size_t bytes = count * sizeof *to.keys;
  if (count == 0) return;
  CUDA_CHECK(cudaMemcpyAsync(to.keys, from.keys, bytes, kind, stream));
  if (to.positions != NULL)
    CUDA_CHECK(cudaMemcpyAsync(to.positions, from.positions, bytes, kind, stream));
}

// Copies a piece in as soon as the piece before the last, whose buffer it takes, has been sorted.
static void load(Pipeline *pipeline, const Piece *piece, int number) {
  const int slot = number % 2;
  const Elements in = pipeline->in[slot];
  if (number >= 2) CUDA_CHECK(cudaStreamWaitEvent(pipeline->loader, pipeline->sorted[slot], 0));
  size_t place = 0;
  for (int k = 0; k < piece->slice_count; k++) {
    const HostSlice *const slice = &piece->slices[k];
    copy(elements_at(in, place), slice->elements, slice->count, pipeline->loader,
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
  copy(piece->to, out, piece->count, pipeline->saver, cudaMemcpyDeviceToHost);
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
