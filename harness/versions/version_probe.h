// Whether the program survives loading a version.
#ifndef HARNESS_VERSION_PROBE_H
#define HARNESS_VERSION_PROBE_H

#include "harness/process/message.h"

// Loads the shared object in a child process: code that runs while it is loaded (a constructor, an
// initialiser of C++) may crash, hang or end the program. Returns false and a sentence in that
// case; true also if it cannot be loaded at all, for which dlopen has a sentence. Only before the
// first CUDA call.
bool version_loads(const char *path, Message *message);

#endif
