#include "multi/judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"

// Adds a clause to the text.
__attribute__((format(printf, 2, 3))) static void fails(Judgement *judgement, const char *format,
                                                        ...) {
  const size_t used = strlen(judgement->text);
  const char *const start = judgement->right ? "FAIL: " : "; ";
  judgement->right = false;
  int length = snprintf(judgement->text + used, sizeof judgement->text - used, "%s", start);
  if (used + (size_t)length >= sizeof judgement->text) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(judgement->text + used + length, sizeof judgement->text - used - (size_t)length, format,
            arguments);  // NOLINT(clang-analyzer-valist.Uninitialized)
  va_end(arguments);
}

static void judge_fault(Judgement *judgement, const SliceFault *fault, const char *format) {
  if (fault->count == 0) return;
  char clause[160];
  snprintf(clause, sizeof clause, format, (unsigned long long)fault->first, fault->value,
           fault->before);
  fails(judgement, "%s (%llu places)", clause, (unsigned long long)fault->count);
}

// Each rank's elements begin at the index that the sort reported, and no rank has much more than
// its share if the borders are exact.
static void judge_places(Judgement *judgement, const Evidence *all, int ranks, uint64_t n,
                         bool exact) {
  uint64_t before = 0;
  const uint64_t share = n / (uint64_t)ranks, most = share + share / 100 + 1;
  for (int r = 0; r < ranks; r++) {
    if (all[r].begin != before && all[r].output.count > 0)
      fails(judgement, "places: rank %d begins at %llu instead of %llu", r,
            (unsigned long long)before, (unsigned long long)all[r].begin);
    before += all[r].output.count;
    if (all[r].output.count > judgement->largest) judgement->largest = all[r].output.count;
  }
  if (exact && judgement->largest > most)
    fails(judgement, "balance: a rank has %llu elements, its share is %llu",
          (unsigned long long)judgement->largest, (unsigned long long)share);
}

Judgement judge(const World *world, const Evidence *evidence, bool pairs, bool stable, bool exact) {
  Judgement judgement = {.right = true};
  Evidence *const all = MEMORY_CHECK(calloc((size_t)world->ranks, sizeof *all));
  MPI_Allgather(evidence, sizeof *evidence, MPI_BYTE, all, sizeof *all, MPI_BYTE, world->comm);
  Slice input = {0}, output = {0};
  for (int r = 0; r < world->ranks; r++) {
    slice_join(&input, &all[r].input);
    slice_join(&output, &all[r].output);
  }
  judge_fault(&judgement, &output.order, "order: at place %llu key %u follows key %u");
  if (output.count != input.count)
    fails(&judgement, "elements: %llu came out, %llu went in", (unsigned long long)output.count,
          (unsigned long long)input.count);
  else if (memcmp(output.hash, input.hash, sizeof input.hash) != 0)
    fails(&judgement, "elements: %s are not the input's", pairs ? "the pairs" : "the keys");
  if (pairs && stable)
    judge_fault(&judgement, &output.stability,
                "stability: at place %llu position %u follows position %u of an equal key");
  judge_places(&judgement, all, world->ranks, input.count, exact);
  if (judgement.right) strcpy(judgement.text, "PASS");
  free(all);
  return judgement;
}
