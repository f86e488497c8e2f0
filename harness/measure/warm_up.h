// A device that was idle has low clocks, and raises them only under load. The first rows of a run
// would be slower than the rest.
#ifndef HARNESS_WARM_UP_H
#define HARNESS_WARM_UP_H

// Keeps the device and this thread busy for 0.2 s with small copies, if device_used() was not
// called in the last 0.2 s. Without effect on the cpu backend. Call it before anything is timed; a
// CUDA failure ends the program with exit code 3.
void device_warm_up(void);

// Notes that the device has been busy until now.
void device_used(void);

#endif
