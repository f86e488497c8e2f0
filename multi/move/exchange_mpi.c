// The choice of a transport, and the transport of machines without NCCL: device to host, MPI, host
// to device.
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "multi/move/exchange.h"

// Page-locked host memory that grows as needed, so that no later run allocates.
typedef struct Staging {
  unsigned int *memory;
  size_t count;  // elements
} Staging;

typedef struct MpiExchange {
  Exchange base;
  Staging out, in;
  MPI_Request *requests;  // [2 * ranks]
  cudaStream_t stream;    // copies do not wait for the partition of the next chunk
} MpiExchange;

static unsigned int *staging_reserve(Staging *staging, size_t count) {
  if (count <= staging->count) return staging->memory;
  if (staging->memory != NULL) CUDA_CHECK(cudaFreeHost(staging->memory));
  CUDA_CHECK(cudaMallocHost((void **)&staging->memory, count * sizeof *staging->memory));
  staging->count = count;
  return staging->memory;
}

static bool open_mpi(const World *world, Exchange **opened, Message *message) {
  (void)message;
  MpiExchange *const exchange = MEMORY_CHECK(calloc(1, sizeof *exchange));
  exchange->requests = MEMORY_CHECK(calloc(2 * (size_t)world->ranks, sizeof(MPI_Request)));
  CUDA_CHECK(cudaStreamCreateWithFlags(&exchange->stream, cudaStreamNonBlocking));
  *opened = &exchange->base;
  return true;
}

static void close_mpi(Exchange *base) {
  MpiExchange *const exchange = (MpiExchange *)base;
  if (exchange->out.memory != NULL) CUDA_CHECK(cudaFreeHost(exchange->out.memory));
  if (exchange->in.memory != NULL) CUDA_CHECK(cudaFreeHost(exchange->in.memory));
  CUDA_CHECK(cudaStreamDestroy(exchange->stream));
  free(exchange->requests);
  free(exchange);
}

static void sum(Exchange *base, uint64_t *counts, size_t count) {
  MpiExchange *const exchange = (MpiExchange *)base;
  const size_t bytes = count * sizeof *counts;
  void *const memory = staging_reserve(&exchange->in, bytes / sizeof(unsigned int));
  CUDA_CHECK(cudaMemcpy(memory, counts, bytes, cudaMemcpyDeviceToHost));
  world_sums(base->world, memory, (int)count);
  CUDA_CHECK(cudaMemcpy(counts, memory, bytes, cudaMemcpyHostToDevice));
}

static void copy(const MpiExchange *exchange, unsigned int *to, const unsigned int *from,
                 size_t count, enum cudaMemcpyKind kind) {
  CUDA_CHECK(cudaMemcpyAsync(to, from, count * sizeof *to, kind, exchange->stream));
}

static uint64_t total(const uint64_t *counts, int ranks) {
  uint64_t sum = 0;
  for (int r = 0; r < ranks; r++) sum += counts[r];
  return sum;
}

static void move_array(MpiExchange *exchange, const unsigned int *sent, unsigned int *received,
                       const Segments *segments) {
  const World *const world = exchange->base.world;
  unsigned int *const out =
      staging_reserve(&exchange->out, total(segments->send_count, world->ranks));
  unsigned int *const in =
      staging_reserve(&exchange->in, total(segments->receive_count, world->ranks));
  int requests = 0;
  size_t place = 0;
  for (int r = 0; r < world->ranks; r++) {
    const uint64_t count = segments->receive_count[r];
    if (count == 0) continue;
    MPI_Irecv(in + place, (int)count, MPI_UINT32_T, r, 0, world->comm,
              &exchange->requests[requests++]);
    place += count;
  }
  place = 0;
  // Every rank sends to its successor first, so that not all send to rank 0 at once.
  for (int step = 1; step < world->ranks; step++) {
    const int r = (world->rank + step) % world->ranks;
    const uint64_t count = segments->send_count[r];
    if (count == 0) continue;
    copy(exchange, out + place, sent + segments->send_begin[r], count, cudaMemcpyDeviceToHost);
    CUDA_CHECK(cudaStreamSynchronize(exchange->stream));
    MPI_Isend(out + place, (int)count, MPI_UINT32_T, r, 0, world->comm,
              &exchange->requests[requests++]);
    place += count;
  }
  MPI_Waitall(requests, exchange->requests, MPI_STATUSES_IGNORE);
  place = 0;
  for (int r = 0; r < world->ranks; r++) {
    const uint64_t count = segments->receive_count[r];
    if (count == 0) continue;
    copy(exchange, received + segments->receive_begin[r], in + place, count,
         cudaMemcpyHostToDevice);
    place += count;
  }
  CUDA_CHECK(cudaStreamSynchronize(exchange->stream));
}

static void move(Exchange *base, Elements sent, Elements received, const Segments *segments) {
  MpiExchange *const exchange = (MpiExchange *)base;
  move_array(exchange, sent.keys, received.keys, segments);
  if (sent.positions != NULL) move_array(exchange, sent.positions, received.positions, segments);
}

static void wait(Exchange *exchange) { (void)exchange; }

const Transport mpi_transport = {
    .name = "mpi", .open = open_mpi, .close = close_mpi, .sum = sum, .move = move, .wait = wait};

Exchange *exchange_open(const World *world, const char *name, bool own_device) {
  const bool wants_nccl = strcmp(name, "nccl") == 0, has_nccl = nccl_transport.open != NULL;
  const bool all_own = world_max(world, !own_device) == 0;
  world_require(world, !wants_nccl || has_nccl, EXIT_USAGE,
                "this program was built without NCCL (NCCL=1 needs nccl.h and BACKEND=cuda); "
                "--transport mpi works everywhere");
  world_require(world, !wants_nccl || all_own, EXIT_USAGE,
                "NCCL needs a GPU for each rank; --transport mpi lets ranks share one");
  const bool any = strcmp(name, "auto") == 0, direct = strcmp(name, "direct") == 0;
  const bool nccl = wants_nccl || ((any || direct) && has_nccl && all_own);
  const Transport *const transport = nccl ? &nccl_transport : &mpi_transport;
  Exchange *exchange = NULL;
  Message message;
  const bool opened = transport->open(world, &exchange, &message);
  world_require(world, opened, EXIT_DEVICE, "%s", message.text);
  (void)MEMORY_CHECK(exchange);
  exchange->transport = transport;
  exchange->world = world;
#ifdef CUDA_CPU
  exchange->direct = direct ? DIRECT_ALWAYS : DIRECT_NEVER;
#else
  exchange->direct = direct ? DIRECT_ALWAYS : any ? DIRECT_IF_POSSIBLE : DIRECT_NEVER;
#endif
  exchange->name = direct ? "direct" : transport->name;
  return exchange;
}
