// multi_sort: sorts across processes, GPUs and machines. README.md explains how.
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/check.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"
#include "harness/process/exit_guard.h"
#include "harness/input/input.h"
#include "harness/versions/version_check.h"
#include "multi/report.h"
#include "multi/result_file.h"
#include "multi/split/splitters.h"
#include "multi/world/step.h"

// Chooses this rank's device. Returns whether no other rank uses it.
static bool choose_device(const World *world, const Request *request) {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  world_require(world, error == cudaSuccess && devices > 0, EXIT_DEVICE, "there is no device: %s",
                cudaGetErrorString(error));
  CUDA_CHECK(cudaSetDevice(world->local_rank % devices));
  // A launcher may show each rank only one GPU, so the number of devices does not show whether
  // ranks share one.
  char name[WORLD_NAME] = "", host[64] = "", bus[32] = "";
  CUDA_CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, world->local_rank % devices));
  (void)gethostname(host, sizeof host - 1);
  snprintf(name, sizeof name, "%s %s", host, bus);
  const bool alone = world_is_unique(world, name);
#ifdef CUDA_CPU
  const bool may_share = true;  // the device is the CPU, and each process has one
#else
  const bool may_share = request->share_gpus;
#endif
  (void)request;
  world_require(world, alone || may_share, EXIT_USAGE,
                "%d ranks were started on a machine where they share a GPU (%d visible); "
                "--share-gpus allows this",
                world->local_ranks, devices);
  return alone;
}

static void set_knobs(const World *world, const Request *request) {
  knobs_begin(&sort_version);
  stages_begin(&sort_version, false);
  for (int i = 0; i < request->setting_count; i++) {
    Message message;
    const bool good = knob_option(&sort_version, request->settings[i], &message);
    world_require(world, good, EXIT_USAGE, "%s", message.text);
  }
}

// Where this rank's shard of n elements begins, by the weights of --shards.
static uint64_t shard_begin(const Request *request, int rank, int ranks, uint64_t n) {
  if (request->weight_count == 0) return share_begin(n, rank, ranks);
  uint64_t sum = 0, before = 0;
  for (int r = 0; r < ranks; r++) {
    if (r < rank) before += request->weights[r];
    sum += request->weights[r];
  }
  if (sum == 0) return 0;  // never: request_parse() wants a weight above 0
  // floor(n before / sum); n < 2^40, the sum is below 2^30.
  return n / sum * before + n % sum * before / sum;
}

typedef struct Session {
  const World *world;
  const Request *request;
  Exchange *exchange;
  KeyFile file;  // of --input
  Row *rows;
  int count;
} Session;

static void sort_row(Session *session, int kind, uint64_t n, bool pairs) {
  const World *const world = session->world;
  const Request *const request = session->request;
  const char *const path = request->input;
  world_require(world, !pairs || n <= (uint64_t)1 << 32, EXIT_USAGE,
                "pairs have 32-bit positions, so n is at most 2^32, not %llu",
                (unsigned long long)n);
  world_require(world, n <= (uint64_t)1 << 40, EXIT_USAGE, "n is at most 2^40, not %llu",
                (unsigned long long)n);

  const uint64_t begin = shard_begin(request, world->rank, world->ranks, n);
  const size_t count = shard_begin(request, world->rank + 1, world->ranks, n) - begin;
  uint32_t *const keys =
      path == NULL ? NULL : key_file_read(world, &session->file, path, begin, count);
  const ShardInput input = {kind, request->seed, keys, n, begin, count};
  const Job job = {world, session->exchange, request, input, pairs};
  Row *const row = &session->rows[session->count++];
  *row = (Row){.way = request->host ? &host_way : &device_way,
               .input = path == NULL ? input_kinds[kind].name : path,
               .n = n,
               .pairs = pairs};
  row_measure(row, &job);
  free(keys);
  scratch_trim();
}

static void sort_rows(Session *session) {
  const Request *const request = session->request;
  const int kinds = request->input == NULL ? request->kind_count : 1,
            sizes = request->input == NULL ? request->size_count : 1;
  session->rows = MEMORY_CHECK(calloc((size_t)(2 * kinds * sizes), sizeof *session->rows));
  for (int k = 0; k < kinds; k++)
    for (int s = 0; s < sizes; s++)
      for (int pairs = 0; pairs < 2; pairs++) {
        if (!(pairs ? request->pairs : request->keys)) continue;
        const uint64_t n = request->input == NULL ? request->sizes[s] : session->file.place.count;
        sort_row(session, request->kinds[k], n, pairs);
      }
}

static void report(const Session *session) {
  const World *const world = session->world;
  Message message = {0};
  bool good = true;
  if (world->rank == 0) {
    const Report all = {world,         session->request, session->exchange->name, conditions_now(),
                        session->rows, session->count};
    good = report_write(&all, &message);
  }
  world_require(world, good, EXIT_USAGE, "%s", message.text);
}

int main(int count, char **arguments) {
  exit_guard_output();
  const uint64_t hash = request_hash(count, arguments);
  const Request request = request_parse(count, arguments);
  World world = world_open(&count, &arguments);
  step_watch(world.rank, request.timeout);
  step_enter("start");
  world_require(&world, world_is_same(&world, hash), EXIT_USAGE,
                "the ranks were started with different arguments");
  world_require(&world, request.weight_count == 0 || request.weight_count == world.ranks,
                EXIT_USAGE, "--shards has %d weights for %d ranks", request.weight_count,
                world.ranks);
  Message message;
  const bool writable = world.rank != 0 || report_check(&request, &message);
  world_require(&world, writable, EXIT_USAGE, "%s", message.text);
  const bool own_device = choose_device(&world, &request);
  set_knobs(&world, &request);
  Session session = {.world = &world, .request = &request};
  session.exchange = exchange_open(&world, request.transport, own_device);
  if (request.input != NULL) session.file = key_file_open(&world, request.input);
  sort_rows(&session);
  step_enter("report");
  report(&session);
  int code = EXIT_RIGHT;
  for (int i = 0; i < session.count; i++)
    if (!session.rows[i].judgement.right) code = EXIT_WRONG_RESULT;
  if (request.input != NULL) key_file_close(&session.file);
  session.exchange->transport->close(session.exchange);
  free(session.rows);
  step_leave();
  world_close();
  return code;
}
