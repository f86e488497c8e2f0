// Processes that a version leaves behind.
#ifndef HARNESS_DESCENDANTS_H
#define HARNESS_DESCENDANTS_H

// To be called before the first child is made. Makes this process a subreaper: orphans that its
// children leave become its children. Children that it has already are not of its making: a shell
// may have started them before it became this program by exec.
void descendants_begin(void);

// Kills all other children of this process, also those in process groups of their own.
void kill_descendants(void);

#endif
