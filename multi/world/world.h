// The processes of one run: their number, agreement among them, and how all of them end.
#ifndef MULTI_WORLD_WORLD_H
#define MULTI_WORLD_WORLD_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/process/message.h"

enum { MAX_RANKS = 1024 };  // splitters and counters of as many fit into a block's shared memory

typedef struct World {
  MPI_Comm comm;
  int rank, ranks;              // of all processes
  int local_rank, local_ranks;  // of those on this machine
} World;

// Starts MPI. From here on a process that ends before world_close() ends the whole run with its
// exit code.
World world_open(int *count, char ***arguments);

// Ends MPI; all ranks call it.
void world_close(void);

// Collective. Returns if all ranks are `good`. Otherwise rank 0 prints the sentence of the first
// rank that is not, and all ranks end with that rank's code.
__attribute__((format(printf, 4, 5))) void world_require(const World *world, bool good, int code,
                                                         const char *format, ...);

// Collective: whether all ranks have the same value.
bool world_is_same(const World *world, uint64_t value);

enum { WORLD_NAME = 128 };

// Collective: whether no other rank gives the same name. The bytes behind its end must be equal,
// too.
bool world_is_unique(const World *world, const char name[WORLD_NAME]);

uint64_t world_max(const World *world, uint64_t value);
double world_max_real(const World *world, double value);
void world_barrier(const World *world);

// sum[i] = the values of all ranks, added up.
void world_sums(const World *world, uint64_t *sum, int count);

// before[i] = the values of smaller ranks, added up; 0 on rank 0.
void world_sums_before(const World *world, const uint64_t *value, uint64_t *before, int count);

// from[r] = what rank r has at to[rank of the caller].
void world_transpose(const World *world, const uint64_t *to, uint64_t *from);

#endif
