// The transport from GPU to GPU: grouped ncclSend and ncclRecv, an all-to-all-v.
#include "multi/move/exchange.h"

#if HAVE_NCCL

#include <cuda_runtime_api.h>
#include <nccl.h>
#include <stdlib.h>

#include "common/check.h"

typedef struct NcclExchange {
  Exchange base;
  ncclComm_t comm;
  cudaStream_t stream;  // runs beside the default stream, on which the partition runs
} NcclExchange;

static void fail(ncclComm_t comm, ncclResult_t result, const char *what) {
  // Without this the other ranks would wait for this one.
  ncclCommAbort(comm);
  check_fail("multi_sort: %s: NCCL reports: %s", what, ncclGetErrorString(result));
}

static void check(const NcclExchange *exchange, ncclResult_t result, const char *what) {
  if (result != ncclSuccess && result != ncclInProgress) fail(exchange->comm, result, what);
}

// Waits for the stream. A rank or a link that fails meanwhile is reported as an asynchronous error;
// the watchdog ends a rank that hangs.
static void wait(Exchange *base) {
  NcclExchange *const exchange = (NcclExchange *)base;
  for (cudaError_t state; (state = cudaStreamQuery(exchange->stream)) != cudaSuccess;) {
    if (state != cudaErrorNotReady) CUDA_CHECK(state);
    ncclResult_t result = ncclSuccess;
    check(exchange, ncclCommGetAsyncError(exchange->comm, &result), "ncclCommGetAsyncError");
    check(exchange, result, "the exchange");
  }
}

static bool open_nccl(const World *world, Exchange **opened, Message *message) {
  // NVLink multicast is off unless the user asks for it.
  setenv("NCCL_NVLS_ENABLE", "0", 0);
  NcclExchange *const exchange = MEMORY_CHECK(calloc(1, sizeof *exchange));
  ncclUniqueId id = {{0}};
  ncclResult_t result = world->rank == 0 ? ncclGetUniqueId(&id) : ncclSuccess;
  int status = (int)result;
  MPI_Bcast(&status, 1, MPI_INT, 0, world->comm);
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, world->comm);
  result = (ncclResult_t)status;
  if (result == ncclSuccess)
    result = ncclCommInitRank(&exchange->comm, world->ranks, id, world->rank);
  if (result != ncclSuccess) {
    free(exchange);
    return message_fail(message, "NCCL cannot be used: %s; --transport mpi works without it",
                        ncclGetErrorString(result));
  }
  CUDA_CHECK(cudaStreamCreateWithFlags(&exchange->stream, cudaStreamNonBlocking));
  exchange->base.communicator = exchange->comm;
  *opened = &exchange->base;
  return true;
}

static void close_nccl(Exchange *base) {
  NcclExchange *const exchange = (NcclExchange *)base;
  CUDA_CHECK(cudaStreamDestroy(exchange->stream));
  check(exchange, ncclCommDestroy(exchange->comm), "ncclCommDestroy");
  free(exchange);
}

static void sum(Exchange *base, uint64_t *counts, size_t count) {
  NcclExchange *const exchange = (NcclExchange *)base;
  // The counts are made on the default stream.
  CUDA_CHECK(cudaStreamSynchronize(0));
  check(exchange,
        ncclAllReduce(counts, counts, count, ncclUint64, ncclSum, exchange->comm, exchange->stream),
        "ncclAllReduce");
  wait(base);
}

// Elements before the first aligned one; they go as a separate message, so that the others, by
// far the most, are aligned at both ends.
static uint64_t head_of(uint64_t begin, uint64_t count) {
  const uint64_t head = (EXCHANGE_ALIGNMENT - begin % EXCHANGE_ALIGNMENT) % EXCHANGE_ALIGNMENT;
  return head < count ? head : count;
}

static void send_elements(const NcclExchange *exchange, const unsigned int *from, uint64_t count,
                          int rank) {
  if (count == 0) return;
  check(exchange, ncclSend(from, count, ncclUint32, rank, exchange->comm, exchange->stream),
        "ncclSend");
}

static void receive_elements(const NcclExchange *exchange, unsigned int *to, uint64_t count,
                             int rank) {
  if (count == 0) return;
  check(exchange, ncclRecv(to, count, ncclUint32, rank, exchange->comm, exchange->stream),
        "ncclRecv");
}

static void move_array(const NcclExchange *exchange, const unsigned int *sent,
                       unsigned int *received, const Segments *segments) {
  const int ranks = exchange->base.world->ranks;
  for (int r = 0; r < ranks; r++) {
    const unsigned int *const from = sent + segments->send_begin[r];
    const uint64_t count = segments->send_count[r];
    const uint64_t head = head_of(segments->send_begin[r], count);
    send_elements(exchange, from, head, r);
    send_elements(exchange, from + head, count - head, r);
  }
  for (int r = 0; r < ranks; r++) {
    unsigned int *const to = received + segments->receive_begin[r];
    const uint64_t count = segments->receive_count[r];
    const uint64_t head = head_of(segments->receive_begin[r], count);
    receive_elements(exchange, to, head, r);
    receive_elements(exchange, to + head, count - head, r);
  }
}

static void move(Exchange *base, Elements sent, Elements received, const Segments *segments) {
  NcclExchange *const exchange = (NcclExchange *)base;
  check(exchange, ncclGroupStart(), "ncclGroupStart");
  move_array(exchange, sent.keys, received.keys, segments);
  if (sent.positions != NULL) move_array(exchange, sent.positions, received.positions, segments);
  check(exchange, ncclGroupEnd(), "ncclGroupEnd");
}

const Transport nccl_transport = {
    .name = "nccl", .open = open_nccl, .close = close_nccl, .sum = sum, .move = move, .wait = wait};

#else

const Transport nccl_transport = {.name = "nccl"};

#endif
