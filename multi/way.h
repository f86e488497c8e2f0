// A way to sort: on the devices (device_way), or in host memory through the devices (host_way).
#ifndef MULTI_WAY_H
#define MULTI_WAY_H

#include "multi/exchange.h"
#include "multi/judge.h"
#include "multi/partition.h"

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

// Writes elements first .. first + count - 1 of the shard to device arrays; positions may be NULL.
void shard_input_write(const ShardInput *input, size_t first, size_t count, unsigned int *d_keys,
                       unsigned int *d_positions);

typedef struct Job {
  const World *world;
  Exchange *exchange;
  ShardInput input;
  bool pairs;
  int chunks;      // of an exchange
  int digit_bits;  // see scatter.h
  StretchChoice stretch;
  uint64_t device_memory;  // bytes on each rank, for host_way; 0: what is free
} Job;

// Results of a run, on this rank.
typedef struct RunFacts {
  uint64_t received;  // elements from other ranks
  size_t count;       // elements of the result
} RunFacts;

// All functions are collective unless noted. One that fails ends all ranks.
typedef struct Way {
  const char *name;
  const char *const *stages;  // ends with NULL; at most MOST_STAGES
  void *(*create)(const Job *job);
  void (*destroy)(void *state);
  // Writes the input, for the next run.
  void (*fill)(void *state);
  // Sorts. seconds, if not NULL, gets the time of each stage; then nothing overlaps.
  RunFacts (*run)(void *state, double *seconds);
  // Summarises the last run's result, and the input made anew.
  Evidence (*look)(void *state);
  // Not collective: copies elements of the last run's result to host arrays (positions or NULL).
  void (*fetch)(void *state, size_t first, size_t count, uint32_t *keys, uint32_t *positions);
  // Not collective: spoils the last run's result, to test the verdict: puts elements there.
  void (*poke)(void *state, size_t first, size_t count, const uint32_t *keys,
               const uint32_t *positions);
} Way;

extern const Way device_way, host_way;

#endif
