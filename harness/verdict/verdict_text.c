// Describes a verdict in a sentence.
#include <stdio.h>

#include "harness/verdict/verdict.h"

bool verdict_passes(const Verdict *verdict) {
  if (verdict->unsettled) return false;
  for (int part = 0; part < VERDICT_PARTS; part++)
    if (verdict->part[part].state == VERDICT_FAILS) return false;
  return true;
}

void verdict_describe(const Verdict *verdict, char *text, size_t size) {
  const char *const clauses[VERDICT_PARTS] = {
      "order: at index %llu key %llu follows key %llu (%llu place%s)",
      verdict->pairs ? "multiset: position %llu occurs %llu times instead of %llu (%llu position%s)"
                     : "multiset: the key at index %llu is %llu instead of %llu (%llu place%s)",
      "pairing: index %llu holds key %llu with the position of key %llu (%llu place%s)",
      "stability: at index %llu position %llu follows position %llu of an equal key (%llu place%s)",
  };
  if (verdict_passes(verdict)) {
    snprintf(text, size, "PASS");
    return;
  }
  if (verdict->unsettled) {
    snprintf(text, size,
             "FAIL: the output was wrong when the sort returned, and still changed afterwards");
    return;
  }
  size_t used = (size_t)snprintf(text, size, "FAIL: ");
  const char *separator = "";
  for (int part = 0; part < VERDICT_PARTS; part++) {
    const VerdictFinding *const found = &verdict->part[part];
    if (found->state != VERDICT_FAILS || used >= size) continue;
    char clause[200] = "multiset: keys were lost or invented, by the library's sort as well";
    if (found->bad_count > 0)
      snprintf(clause, sizeof clause, clauses[part], (unsigned long long)found->first_bad,
               (unsigned long long)found->actual, (unsigned long long)found->expected,
               (unsigned long long)found->bad_count, found->bad_count == 1 ? "" : "s");
    used += (size_t)snprintf(text + used, size - used, "%s%s", separator, clause);
    separator = "; ";
  }
}
