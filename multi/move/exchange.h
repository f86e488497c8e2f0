// Moves elements between the ranks' devices: through MPI and host memory on any machine, or by NCCL
// from GPU to GPU. A failure ends the program with exit code 3 and a sentence.
#ifndef MULTI_MOVE_EXCHANGE_H
#define MULTI_MOVE_EXCHANGE_H

#include "multi/world/memory.h"

// NCCL copies 16 bytes at a time, or single bytes if either end of a message is not aligned.
enum { EXCHANGE_ALIGNMENT = 32 };  // elements

// One exchange: for each rank the first element and the number of elements, in the sent and in the
// received arrays. The counts of the rank itself are 0. All counts are below 2^30. The first index
// at the sender and the one at the receiver differ by a multiple of EXCHANGE_ALIGNMENT.
typedef struct Segments {
  uint64_t *send_begin, *send_count, *receive_begin, *receive_count;  // [ranks]
} Segments;

typedef struct Exchange Exchange;

// Functions of a transport.
typedef struct Transport {
  const char *name;
  // Collective. Returns false and a sentence if it cannot be used here. NULL: the program was built
  // without this transport.
  bool (*open)(const World *world, Exchange **exchange, Message *message);
  void (*close)(Exchange *exchange);
  // Collective: adds up the device arrays of all ranks, in place.
  void (*sum)(Exchange *exchange, uint64_t *counts, size_t count);
  // Collective, between device arrays. The sent elements are complete. May return before the
  // received ones are.
  void (*move)(Exchange *exchange, Elements sent, Elements received, const Segments *segments);
  // Waits until all moves are complete.
  void (*wait)(Exchange *exchange);
} Transport;

extern const Transport mpi_transport, nccl_transport;

// Whether ranks write to each other's memory (PeerArray); the transport then adds up counts
// only.
typedef enum Direct { DIRECT_NEVER, DIRECT_IF_POSSIBLE, DIRECT_ALWAYS } Direct;

struct Exchange {
  const Transport *transport;
  const World *world;
  Direct direct;
  const char *name;    // of what moves elements, for reports
  void *communicator;  // of NCCL (ncclComm_t), for a baseline; NULL if it moves nothing in this run
};

// Opens the transport "mpi", "nccl", "direct" or "auto": the fastest that works here.
// Collective: if a rank fails, all end. `own_device`: this rank shares its device with no other.
Exchange *exchange_open(const World *world, const char *name, bool own_device);

#endif
