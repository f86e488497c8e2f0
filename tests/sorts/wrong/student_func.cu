// wrong: a sort with a knob for each mistake of mistakes.h, to see HW4 name it. Plain host code,
// so that nothing but the mistake goes wrong.
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "common/check.h"
#include "common/knobs.h"
#include "common/stages.h"
#include "common/your_sort.h"
#include "tests/sorts/wrong/mistakes.h"

#define NAME(name, mistake, meaning) name,
enum Way { RIGHT, ALL_MISTAKES(NAME) WAYS };

static const char *const stages[] = {"sort", NULL};
static const SortKnob knobs[] = {
    {"mistake", RIGHT, RIGHT, WAYS - 1, "a line of tests/sorts/wrong/mistakes.h; 0: none"}, {}};

extern "C" const SortVersion sort_version = {
    "wrong", "wrong on purpose", "the tests of HW4", true, UINT32_MAX - 1, 0, stages, knobs,
};

struct Element {
  unsigned int key, position;
};
typedef std::vector<Element> Elements;

struct Arrays {
  unsigned int *keys, *positions;
};

// ---- between device and host --------------------------------------------------------------------

static std::vector<unsigned int> fetch(const unsigned int *d_from, size_t n) {
  std::vector<unsigned int> to(n);
  CUDA_CHECK(cudaMemcpy(to.data(), d_from, n * sizeof *d_from, cudaMemcpyDeviceToHost));
  return to;
}

static void put(unsigned int *d_to, unsigned int value) {
  CUDA_CHECK(cudaMemcpy(d_to, &value, sizeof value, cudaMemcpyHostToDevice));
}

// Of bare keys, all positions are 0, and none is stored.
static Elements load(Arrays from, size_t n) {
  const std::vector<unsigned int> keys = fetch(from.keys, n);
  std::vector<unsigned int> positions(n);
  if (from.positions != NULL) positions = fetch(from.positions, n);
  Elements elements(n);
  for (size_t i = 0; i < n; i++) elements[i] = {keys[i], positions[i]};
  return elements;
}

static void store_words(unsigned int *d_to, const Elements &from, unsigned int Element::*word) {
  if (d_to == NULL) return;
  std::vector<unsigned int> words;
  for (const Element &element : from) words.push_back(element.*word);
  CUDA_CHECK(cudaMemcpy(d_to, words.data(), words.size() * sizeof *d_to, cudaMemcpyHostToDevice));
}

static void store_keys(unsigned int *d_to, const Elements &from) {
  store_words(d_to, from, &Element::key);
}

static void store_positions(unsigned int *d_to, const Elements &from) {
  store_words(d_to, from, &Element::position);
}

static void store(Arrays to, const Elements &from) {
  store_keys(to.keys, from);
  store_positions(to.positions, from);
}

// Of bare keys, nothing is stored.
static void store_exchanged(Arrays to, const Elements &from) {
  Elements exchanged;
  for (const Element &element : from) exchanged.push_back({element.position, element.key});
  if (to.positions != NULL) store(to, exchanged);
}

// ---- sorts --------------------------------------------------------------------------------------

// Elements begin to end - 1, by key >> shift & mask, flipped; stable.
static void sort_range(Elements &e, size_t begin, size_t end, int shift = 0,
                       unsigned int mask = ~0u, unsigned int flip = 0) {
  std::stable_sort(e.data() + begin, e.data() + end, [=](const Element &a, const Element &b) {
    return ((a.key >> shift & mask) ^ flip) < ((b.key >> shift & mask) ^ flip);
  });
}

static void pass(Elements &e, int shift, unsigned int mask, unsigned int flip = 0) {
  sort_range(e, 0, e.size(), shift, mask, flip);
}

static Elements sorted(Elements e, unsigned int mask = ~0u, unsigned int flip = 0) {
  pass(e, 0, mask, flip);
  return e;
}

static Elements radix(Elements e, int bits, int first, int end) {
  for (int shift = first; shift < end; shift += bits) pass(e, shift, (1u << bits) - 1);
  return e;
}

static Elements reversed(Elements e) {
  std::reverse(e.begin(), e.end());
  return e;
}

// Sorts the first n / block blocks together and leaves the rest behind them.
static size_t whole_blocks(Elements &e, size_t block) {
  const size_t end = e.size() / block * block;
  sort_range(e, 0, end);
  return end;
}

static void sort_blocks(Elements &e, size_t block) {
  for (size_t i = 0; i < e.size(); i += block) sort_range(e, i, std::min(i + block, e.size()));
}

static Elements first_sorted(Elements e, size_t limit) {
  sort_range(e, 0, std::min(limit, e.size()));
  return e;
}

static Elements blocks_from_the_last(const Elements &e, size_t block) {
  Elements to;
  for (size_t begin = (e.size() + block - 1) / block * block; begin > 0; begin -= block)
    to.insert(to.end(), e.data() + begin - block, e.data() + std::min(begin, e.size()));
  return to;
}

static unsigned int random_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (unsigned int)now.tv_nsec * 2654435761u >> 7;
}

// ---- mistakes -----------------------------------------------------------------------------------

// Those whose output is a sequence of elements, wholly written.
static Elements wrong_elements(Way way, const Elements &in) {
  const size_t n = in.size();
  Elements e = sorted(in);
  switch (way) {
    case COPY: return in;
    case BITS_28: return radix(in, 4, 0, 28);
    case BITS_16: return radix(in, 8, 0, 16);
    case FROM_THE_TOP:
      e = in;
      for (int shift = 28; shift >= 0; shift -= 4) pass(e, shift, 15);
      return e;
    case BITS_31: return radix(in, 1, 0, 31);
    case FROM_BIT_4: return radix(in, 4, 4, 32);
    case FROM_BIT_16: return sorted(in, ~0u << 16);
    case SKIPS_8_TO_11: return radix(radix(in, 4, 0, 8), 4, 12, 32);
    case GREATER: return sorted(in, ~0u, ~0u);
    case BACKWARDS: return reversed(e);
    case AS_INT: return sorted(in, ~0u, 1u << 31);
    case BLOCKS_256:
      e = in;
      sort_blocks(e, 256);
      return e;
    case POWERS_OF_TWO: return first_sorted(in, n == 0 ? 0 : (size_t)1 << (63 - __builtin_clzl(n)));
    case FIRST_512: return first_sorted(in, 512);
    case FIRST_2_18: return first_sorted(in, 1 << 18);
    case RACY_ABOVE_2_18:
      if (n > 1 << 18) std::rotate(e.begin(), e.begin() + 1 + random_now() % (1 << 18), e.end());
      return e;
    case FIRST_TWICE:
      if (n > 1) e[1] = e[0];
      return e;
    case NEIGHBOURS:
      for (size_t i = 0; i + 1 < n; i += 5) e[i + 1] = e[i];
      return e;
    case LARGEST_FIRST:
      if (n > 0) e[0] = e[n - 1];
      return e;
    case CONSTANT:
      if (n > 2) e[2].key = 0xdeadbeefu;
      return e;
    case PLUS_ONE:
      for (Element &element : e) element.key++;
      return e;
    case HALF:
      for (Element &element : e) element.key &= ~0u << 16;
      return e;
    case PASSES_REVERSE:
      e = in;
      for (int shift = 0; shift < 32; shift += 8) {
        e = reversed(e);
        pass(e, shift, 255);
      }
      return e;
    case LAST_REVERSES:
      e = reversed(radix(in, 4, 0, 28));
      pass(e, 28, 15);
      return e;
    case BLOCKS_REVERSE:
      e = blocks_from_the_last(radix(in, 4, 0, 28), 64);
      pass(e, 28, 15);
      return e;
    case EQUAL_REVERSED: return sorted(reversed(in));
    case RANDOM_SWAP:
      if (n > 1 && random_now() % 2 == 0) std::swap(e[0], e[n - 1]);
      return e;
    case RANDOM_KEY:
      if (n > 3) e[random_now() % (n - 1)].key += 1 + random_now() % 1000;
      return e;
    case PROCESS:
      if (n > 1 && (unsigned int)getpid() * 2654435761u >> 30 == 0) std::swap(e[0], e[n - 1]);
      return e;
    default: return e;
  }
}

// Those that go wrong with positions alone. The keys are right.
static Elements wrong_positions(Way way, const Elements &in) {
  const size_t n = in.size();
  const Elements e = sorted(in);
  Elements to = e;
  if (way == POSITIONS_COPIED)
    for (size_t i = 0; i < n; i++) to[i].position = in[i].position;
  if (way == POSITIONS_COUNTED) {
    Elements counted = in;
    for (size_t i = 0; i < n; i++) counted[i].position = (unsigned int)i;
    to = sorted(counted);
  }
  if (way == POSITIONS_REVERSED)
    for (size_t i = 0; i < n; i++) to[i].position = e[n - 1 - i].position;
  if (way == POSITIONS_ROTATED)
    for (size_t i = 0; i < n; i++) to[i].position = e[(i + n - 1) % n].position;
  if (way == POSITIONS_SHORT) {
    const Elements three = radix(in, 8, 0, 24);
    for (size_t i = 0; i < n; i++) to[i].position = three[i].position;
  }
  return to;
}

// Those that leave something in the wrong array. False: not one of them.
static bool wrong_place(Way way, Arrays in, Arrays out, const Elements &input) {
  const size_t n = input.size();
  const Elements e = sorted(input), pass_7 = radix(input, 4, 0, 28);
  switch (way) {
    case RETURNS: return true;
    case KEYS_ONLY: store_keys(out.keys, e); return true;
    case POSITIONS_ONLY: store_positions(out.positions, e); return true;
    case IN_PLACE: store(in, e); return true;
    case IN_PLACE_IF_LARGE: store(n > 64 ? in : out, e); return true;
    case IN_PLACE_IF_ODD:
      store_positions(in.positions, e);
      store_keys(in.keys, e);
      return true;
    case OUTPUTS_EXCHANGED: store_exchanged(out, e); return true;
    case INPUTS_EXCHANGED:
      store_exchanged(out, input);  // whose positions ascend
      return true;
    case EXCHANGED_IF_LARGE:
      if (n > 64) store_exchanged(out, e);
      return n > 64;
    case PASS_7:
      store(out, pass_7);
      store(in, e);
      return true;
    case PASS_7_POSITIONS:
      store_keys(out.keys, e);
      store_positions(out.positions, pass_7);
      store(in, e);
      return true;
    case PASS_7_KEYS:
      store_keys(out.keys, pass_7);
      store_positions(out.positions, e);
      store(in, e);
      return true;
    default: return false;
  }
}

// Those that hold the right result in the inputs, and go wrong in the outputs. False: not one of
// them.
static bool wrong_copy(Way way, Arrays in, Arrays out, const Elements &input) {
  const size_t n = input.size();
  Elements e = sorted(input);
  size_t i = n / 2;
  if (way < PLACES_EXCHANGED) return false;
  store(in, e);
  if (way == EQUAL_EXCHANGED)
    for (i = 0; i + 2 < n && e[i].key != e[i + 1].key;) i++;
  if ((way == PLACES_EXCHANGED && n > 2) ||
      (way == EQUAL_EXCHANGED && i + 1 < n && e[i].key == e[i + 1].key))
    std::swap(e[i], e[i + 1]);
  if (way == REVERSED_SORTED_INPUTS) e = reversed(e);
  if (way == UNSTABLE_SORTED_INPUTS) e = sorted(reversed(input));
  if (way == TWICE_SORTED_INPUTS && n > 1) e[1] = e[0];
  for (Element &element : e) element.key += way == NEW_KEYS_SORTED_INPUTS;
  store(out, e);
  return true;
}

// Those that leave places out. False: not one of them.
static bool wrong_holes(Way way, Arrays out, const Elements &input) {
  Elements e = input;
  switch (way) {
    case TAIL_256: e.resize(whole_blocks(e, 256)); break;
    case TAIL_32:
    case TAIL_192: whole_blocks(e, way == TAIL_32 ? 32 : 192); break;
    case NO_OFFSETS:
      if (e.size() > 128) {
        sort_blocks(e, 128);
        e.resize(128);
      } else {
        e = sorted(e);
      }
      break;
    default: return false;
  }
  store(out, e);
  return true;
}

static bool left_out(Way way, size_t i, bool position) {
  return (way == EVERY_7TH && i % 7 == 6) || (way == PLACE_5 && i == 5) ||
         (way == POSITION_3 && i == 3 && position);
}

static bool wrong_gaps(Way way, Arrays out, const Elements &input) {
  if (way != EVERY_7TH && way != PLACE_5 && way != POSITION_3) return false;
  const size_t n = input.size();
  Elements e = sorted(input);
  const Elements old = load(out, n);
  for (size_t i = 0; i < n; i++) {
    if (left_out(way, i, false)) e[i].key = old[i].key;
    if (left_out(way, i, true)) e[i].position = old[i].position;
  }
  store(out, e);
  return true;
}

// Those that remember. False: right this time.
static bool wrong_later(Way way, Arrays out, const Elements &input) {
  static int calls;
  const bool at_first = way == COPY_FIRST || way == NOT_FIRST || way == COUNTERS_LATE;
  if (way != ONCE && way != COUNTERS_KEPT && way != COPY_LATER && !at_first) return false;
  if ((calls++ == 0) != at_first) return false;
  if (way == COPY_LATER || way == COPY_FIRST) store(out, input);
  if ((way == COUNTERS_KEPT || way == COUNTERS_LATE) && !input.empty()) {
    Elements e = sorted(input);
    std::rotate(e.begin(), e.begin() + (ptrdiff_t)(e.size() / 2), e.end());
    store(out, e);
  }
  return true;
}

// Those that read what they did not write. False: not one of them.
static bool wrong_reads(Way way, Arrays in, Arrays out, const Elements &input) {
  const size_t n = input.size();
  if ((way != NEW_MEMORY && way != COUNT_KEPT && way != OLD_OUTPUT && way != BEYOND_END) || n == 0)
    return false;
  Elements e = sorted(input);
  if (way == NEW_MEMORY || way == COUNT_KEPT) {
    unsigned int *memory = NULL;
    CUDA_CHECK(cudaMalloc((void **)&memory, sizeof *memory));
    const unsigned int value = fetch(memory, 1)[0];
    if (way == NEW_MEMORY) e[0].key += value;
    if (way == COUNT_KEPT && value != 0) e[n - 1] = e[0];
    CUDA_CHECK(cudaFree(memory));
  }
  if (way == OLD_OUTPUT && n > 1) std::swap(e[0], e[1 + fetch(out.keys, 1)[0] % (n - 1)]);
  if (way == BEYOND_END) e[n - 1].key = fetch(in.keys + n, 1)[0];
  store(out, e);
  return true;
}

// Sorted keys stay as they are, if each thread's neighbour has written its key before.
static __global__ void not_below_neighbour(unsigned int *keys, size_t n) {
  __shared__ unsigned int tile[256];
  const size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
  if (i < n) tile[threadIdx.x] = keys[i];
  // Here a barrier is missing.
  if (i < n && threadIdx.x > 0) keys[i] = max(keys[i], tile[threadIdx.x - 1]);
}

static __global__ void place_from_end(unsigned int *count, const unsigned int *keys,
                                      const unsigned int *positions, unsigned int *keys_out,
                                      unsigned int *positions_out, size_t n) {
  const size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  const size_t place = n - 1 - atomicAdd(count, 1u);
  keys_out[place] = keys[i];
  if (positions_out != NULL) positions_out[place] = positions[i];
}

static void place_as_they_come(Arrays in, Arrays out, size_t n) {
  unsigned int *count = NULL;
  CUDA_CHECK(cudaMalloc((void **)&count, sizeof *count));
  CUDA_CHECK(cudaMemset(count, 0, sizeof *count));
  place_from_end<<<(unsigned int)((n + 255) / 256), 256>>>(count, in.keys, in.positions, out.keys,
                                                           out.positions, n);
  LAUNCH_CHECK();
  CUDA_CHECK(cudaFree(count));
}

static void write_outside(Way way, Arrays in, Arrays out, size_t n) {
  if (way == KEY_BEHIND) put(out.keys + n, 1);
  if (way == POSITION_BEFORE) put(out.positions - 1, 1);
  if (way == INPUT_ROUNDED_UP)
    for (size_t i = n; i % 256 != 0; i++) put(in.keys + i, ~0u);
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  const Way way = (Way)knob("mistake");
  const Arrays in = {d_inputVals, d_inputPos}, out = {d_outputVals, d_outputPos};
  stage_start("sort");
  const Elements input = load(in, numElems);
  if (!wrong_place(way, in, out, input) && !wrong_copy(way, in, out, input) &&
      !wrong_holes(way, out, input) && !wrong_gaps(way, out, input) &&
      !wrong_later(way, out, input) && !wrong_reads(way, in, out, input))
    store(out, way >= POSITIONS_COPIED && way <= POSITIONS_SHORT ? wrong_positions(way, input)
                                                                 : wrong_elements(way, input));
  if (way == MISSING_BARRIER && numElems > 0) {
    not_below_neighbour<<<(unsigned int)((numElems + 255) / 256), 256>>>(out.keys, numElems);
    LAUNCH_CHECK();
  }
  if (way == ORDER && numElems > 0) place_as_they_come(in, out, numElems);
  write_outside(way, in, out, numElems);
  stage_stop();
}
