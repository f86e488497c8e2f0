// Bandwidth between the hosts and their devices: the bound of a sort of arrays in host memory.
#ifndef MULTI_HOST_COPY_H
#define MULTI_HOST_COPY_H

#include "multi/world.h"

// Collective: bytes per second, in plus out and added up over the ranks, of copies in both
// directions at once between page-locked host memory and the device; median of 9. device_memory:
// bytes that the arrays on the device may take; 0: any.
double host_copy_rate(const World *world, uint64_t device_memory);

#endif
