// A way to sort: on the devices (device_way), or in host memory through the devices (host_way).
#ifndef MULTI_WAY_H
#define MULTI_WAY_H

#include "multi/judge.h"
#include "multi/move/exchange.h"
#include "multi/request.h"

enum { MOST_STAGES = 8 };

// Where this rank's shard of the input comes from.
typedef struct ShardInput {
  int kind;  // index of input_kinds; not used with file_keys
  uint64_t seed;
  const uint32_t *file_keys;  // the shard, in host memory; NULL: generated
  uint64_t n;                 // of all ranks
  uint64_t begin;             // of the shard in the input
  size_t count;               // of the shard
} ShardInput;

// Writes elements first .. first + count - 1 of the shard to device arrays.
void shard_input_write(const ShardInput *input, size_t first, size_t count, Elements to);

typedef struct Job {
  const World *world;
  Exchange *exchange;
  const Request *request;
  ShardInput input;
  bool pairs;
} Job;

// All functions are collective. One that fails ends all ranks.
typedef struct Way {
  const char *name;
  const char *const *stages;  // ends with NULL; at most MOST_STAGES
  void *(*create)(const Job *job);
  void (*destroy)(void *state);
  // Writes the input, for the next run.
  void (*fill)(void *state);
  // Sorts. The time of each stage is added to seconds, if not NULL; then nothing overlaps.
  SortResult (*run)(void *state, double *seconds);
  // Summarises the last run's result, and the input made anew.
  Evidence (*summarise)(void *state, const SortResult *result);
} Way;

extern const Way device_way, host_way;

#endif
