#include "multi/spoil.h"

#include <string.h>

#include "multi/step.h"

// An element of the result.
typedef struct Element {
  uint32_t key, position;
} Element;

static Element get(const Way *way, void *state, size_t i, bool pairs) {
  Element element = {0, 0};
  way->fetch(state, i, 1, &element.key, pairs ? &element.position : NULL);
  return element;
}

static void put(const Way *way, void *state, size_t i, bool pairs, uint32_t key,
                uint32_t position) {
  way->poke(state, i, 1, &key, pairs ? &position : NULL);
}

void spoil_result(const Way *way, void *state, int rank, size_t count, bool pairs) {
  if (count < 2) return;
  const size_t last = count - 1;
  const Element first = get(way, state, 0, pairs), second = get(way, state, 1, pairs),
                before_last = get(way, state, last - 1, pairs), end = get(way, state, last, pairs);
  if (step_fault(rank, "result", "order")) {
    put(way, state, 0, pairs, end.key, end.position);
    put(way, state, last, pairs, first.key, first.position);
  }
  if (step_fault(rank, "result", "lost"))
    put(way, state, last, pairs, before_last.key, before_last.position);
  if (step_fault(rank, "result", "pairing")) {
    put(way, state, 0, pairs, first.key, end.position);
    put(way, state, last, pairs, end.key, first.position);
  }
  if (step_fault(rank, "result", "stability")) {
    put(way, state, 0, pairs, first.key, second.position);
    put(way, state, 1, pairs, second.key, first.position);
  }
}
