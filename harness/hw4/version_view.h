// A SortVersion for code that takes one, in a process that does not contain the version.
#ifndef HW4_VERSION_VIEW_H
#define HW4_VERSION_VIEW_H

#include "harness/judge/protocol.h"

typedef struct VersionView {
  Description description;
  const char *stages[MAX_STAGES + 1];
  SortKnob knobs[MAX_KNOBS + 1];
  SortVersion version;
} VersionView;

// Fills in the view and returns its version, which points into it. The description comes from
// another process: counts beyond what it can hold are cut.
const SortVersion *version_view(VersionView *view, const Description *description);

#endif
