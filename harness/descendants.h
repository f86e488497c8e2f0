// Processes that a version leaves behind.
#ifndef HARNESS_DESCENDANTS_H
#define HARNESS_DESCENDANTS_H

// Kills all children of this process, also those in process groups of their own. Where it is a
// subreaper, orphans that its children leave become its children, and are killed too.
void kill_descendants(void);

#endif
