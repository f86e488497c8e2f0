// Notices a sort on the host: keys that reach the device in another order than they came from it.
#ifndef LABS_CHECK_HOST_COPIES_H
#define LABS_CHECK_HOST_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A sort of the keys begins. They must stay as they are until it has ended.
void host_copies_begin(const uint32_t *keys, size_t n);

// Has the sort copied its keys to the device in an order that the host made? That is, an order that
// neither the input nor a copy from the device had. Only copies of all keys in one piece count, and
// sorts of at least 4,096 keys: a small array may well be sorted on the host. An asynchronous copy
// from the device is not read, so that nothing is concluded after one.
bool host_copies_found(void);

// Bytes by which a sort's host code and its device told each other something, in whatever pieces.
typedef struct HostTraffic {
  uint64_t to_host, to_device;  // copied; to_device also has what is large in kernels' arguments
  uint64_t in_calls;            // addresses, numbers, kernels' arguments
} HostTraffic;

HostTraffic host_copies_traffic(void);

// A kernel was launched with this number of bytes of arguments.
void host_copies_launched(size_t argument_bytes);

// The sort has ended: copies of others do not count.
void host_copies_end(void);

#endif
