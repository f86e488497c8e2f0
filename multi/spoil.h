// Wrong results on demand, to test the verdict: MULTI_SORT_FAULT=RANK:result:KIND.
#ifndef MULTI_SPOIL_H
#define MULTI_SPOIL_H

#include "multi/way.h"

// Not collective. KIND: order (the rank's first and last element are exchanged), lost (its last
// element becomes a copy of the one before), pairing (the positions of its first and last element
// are exchanged), stability (those of its first two elements are, whose keys must be equal).
void spoil_result(const Way *way, void *state, int rank, size_t count, bool pairs);

#endif
