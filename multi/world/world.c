#include "multi/world/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"

static bool running;  // between world_open() and world_close()

// A process that ends alone leaves the others waiting for it.
static void end_all(int code, void *unused) {
  (void)unused;
  if (!running) return;
  running = false;
  MPI_Abort(MPI_COMM_WORLD, code == 0 ? EXIT_DEVICE : code);
}

World world_open(int *count, char ***arguments) {
  World world = {.comm = MPI_COMM_WORLD};
  int provided = 0;
  MPI_Init_thread(count, arguments, MPI_THREAD_FUNNELED, &provided);
  running = true;
  on_exit(end_all, NULL);
  MPI_Comm_rank(world.comm, &world.rank);
  MPI_Comm_size(world.comm, &world.ranks);
  MPI_Comm local;
  MPI_Comm_split_type(world.comm, MPI_COMM_TYPE_SHARED, world.rank, MPI_INFO_NULL, &local);
  MPI_Comm_rank(local, &world.local_rank);
  MPI_Comm_size(local, &world.local_ranks);
  MPI_Comm_free(&local);
  if (world.ranks > MAX_RANKS && world.rank == 0)
    quit(EXIT_USAGE, "%d processes were started; at most %d can sort together", world.ranks,
         MAX_RANKS);
  return world;
}

void world_close(void) {
  fflush(stdout);
  running = false;
  MPI_Finalize();
}

void world_require(const World *world, bool good, int code, const char *format, ...) {
  int first = good ? world->ranks : world->rank;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, world->comm);
  if (first == world->ranks) return;
  Message message = {0};
  va_list arguments;
  va_start(arguments, format);
  if (first == world->rank) message_write_list(&message, format, arguments);
  va_end(arguments);
  MPI_Bcast(message.text, sizeof message.text, MPI_CHAR, first, world->comm);
  MPI_Bcast(&code, 1, MPI_INT, first, world->comm);
  if (world->rank == 0) {
    fflush(stdout);
    fprintf(stderr, "multi_sort: rank %d: %s\n", first, message.text);
  }
  running = false;
  MPI_Finalize();
  exit(code);
}

bool world_is_same(const World *world, uint64_t value) {
  uint64_t range[2] = {value, ~value};
  MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_UINT64_T, MPI_MAX, world->comm);
  return range[0] == ~range[1];
}

bool world_is_unique(const World *world, const char name[WORLD_NAME]) {
  char *const all = MEMORY_CHECK(calloc((size_t)world->ranks, WORLD_NAME));
  MPI_Allgather(name, WORLD_NAME, MPI_CHAR, all, WORLD_NAME, MPI_CHAR, world->comm);
  int same = 0;
  for (int r = 0; r < world->ranks; r++)
    same += memcmp(all + (size_t)r * WORLD_NAME, name, WORLD_NAME) == 0;
  free(all);
  return same == 1;
}

uint64_t world_max(const World *world, uint64_t value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_MAX, world->comm);
  return value;
}

double world_max_real(const World *world, double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, world->comm);
  return value;
}

void world_barrier(const World *world) { MPI_Barrier(world->comm); }

void world_sums(const World *world, uint64_t *sum, int count) {
  MPI_Allreduce(MPI_IN_PLACE, sum, count, MPI_UINT64_T, MPI_SUM, world->comm);
}

void world_sums_before(const World *world, const uint64_t *value, uint64_t *before, int count) {
  memset(before, 0, (size_t)count * sizeof *before);
  MPI_Exscan(value, before, count, MPI_UINT64_T, MPI_SUM, world->comm);
  // MPI_Exscan() leaves the result of rank 0 undefined.
  if (world->rank == 0) memset(before, 0, (size_t)count * sizeof *before);
}

void world_transpose(const World *world, const uint64_t *to, uint64_t *from) {
  MPI_Alltoall(to, 1, MPI_UINT64_T, from, 1, MPI_UINT64_T, world->comm);
}
