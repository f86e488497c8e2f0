// Sweeps over all digits, for ways whose kernels count these when a sample leaves nothing else.
#ifndef GSORT_WAY_SWEEPS_CUH
#define GSORT_WAY_SWEEPS_CUH

#include "gsort/kernel/count_digits.cuh"
#include "gsort/way/launch.cuh"

// In `memory`, which is aligned to WORKSPACE_ALIGNMENT; or NULL, to ask how many bytes they need.
DigitMemory all_digits(const Call *call, void *memory);
// The sweeps, once the digits are counted.
void sweep_all_digits(Call *call, void *memory);
// Both.
void sort_by_all_digits(Call *call, void *memory);
// Both in one launch, if the way whose kernels are launched before has not sorted the elements,
// which the device decides. counts: these count the digits, to all_digits() of that memory, if the
// samples leave only sweeps. Returns SORTED.
Finding sweep_if_unsorted(Call *call, void *memory, bool counts);
// The same for keys of 64 bits, in call->workspace; sort_wide_if_unsorted() tries splitters before,
// if n is large, and finds the bits that vary if these are few.
void find_digits_if_sparse(Call *call);
Finding sweep_wide_if_unsorted(Call *call);
Finding sort_wide_if_unsorted(Call *call);
// In front of them: sorts bare keys in one launch, if that way has found few values
// (way/values.cu).
void launch_values_if_few(Call *call);

#endif
