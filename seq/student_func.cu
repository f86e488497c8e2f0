// seq: least-significant-digit radix sort on the CPU, one thread. The baseline of the CS344 report.
//
// Build:    make seq
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm --set kBits=8
// New here: everything; the other versions are compared with these few lines.
#include <string.h>

#include "common/host_pairs.h"
#include "common/knobs.h"
#include "common/stages.h"
#include "common/your_sort.h"

static const char *const stages[] = {"copy", "hist", "scan", "scatter", NULL};
static const SortKnob knobs[] = {{"kBits", 8, 1, 16, "bits per digit"}, {}};

extern "C" const SortVersion sort_version = {
    .name = "seq",
    .title = "LSD radix sort on the CPU, one thread",
    .source = "the CS344 radix report, sequential version",
    .stable = true,
    .max_n = UINT32_MAX,
    .slow_n = 10000000,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 0.0,  // host memory only
    .scratch_per_pair = 0.0,
    .on_host = true,
};

// B1: how often does each digit occur?
static void histogram(const unsigned int *keys, size_t n, int shift, unsigned int mask,
                      unsigned int *hist) {
  memset(hist, 0, (mask + 1) * sizeof *hist);
  for (size_t i = 0; i < n; i++) hist[keys[i] >> shift & mask]++;
}

// B2: where does the run of each digit start?   hist [3 0 2] -> [0 3 3]
static void exclusive_scan_in_place(unsigned int *hist, unsigned int bins) {
  unsigned int sum = 0;
  for (unsigned int bin = 0; bin < bins; bin++) {
    const unsigned int count = hist[bin];
    hist[bin] = sum;
    sum += count;
  }
}

// B3 and B4: the rank of an element is how many equal digits came before it. Counting `start` up
// as elements are placed gives start + rank without storing the ranks.
static void scatter(HostPairs from, HostPairs to, size_t n, int shift, unsigned int mask,
                    unsigned int *start) {
  for (size_t i = 0; i < n; i++) {
    const unsigned int place = start[from.keys[i] >> shift & mask]++;
    to.keys[place] = from.keys[i];
    if (to.positions != NULL) to.positions[place] = from.positions[i];
  }
}

// Sorts; returns the one of the two buffers that holds the result.
static HostPairs radix_sort(HostPairs from, HostPairs to, size_t n, int k_bits) {
  const unsigned int bins = 1u << k_bits, mask = bins - 1;
  unsigned int *const hist = host_alloc(bins);
  for (int shift = 0; shift < KEY_BITS; shift += k_bits) {
    stage_start("hist");
    histogram(from.keys, n, shift, mask, hist);
    stage_stop();

    stage_start("scan");
    exclusive_scan_in_place(hist, bins);
    stage_stop();

    stage_start("scatter");
    scatter(from, to, n, shift, mask, hist);
    stage_stop();

    const HostPairs sorted = to;
    to = from;
    from = sorted;
  }
  free(hist);
  return from;
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const HostPairs a = copy_to_host(d_inputVals, d_inputPos, numElems);
  const HostPairs b = host_pairs_alloc(numElems, d_inputPos != NULL);

  const HostPairs sorted = radix_sort(a, b, numElems, knob("kBits"));
  copy_to_device(d_outputVals, d_outputPos, sorted, numElems);

  host_pairs_free(a);
  host_pairs_free(b);
}
