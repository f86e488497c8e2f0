// worker VERSION.SO: sorts what the grader gives it, inside the sandbox. It judges and times
// nothing: a submission shares its process and could change any result that it computes.
//
// File descriptors: 3 commands, one character each; 4 one character in answer to each; 5 shared
// memory: a Header in the first page, then four arrays of `capacity` elements, keys and positions
// in, keys and positions out.
//
//   (start)  -> 'l'                    the version is loaded
//   's'      -> 'd' | 's' | 'g' | 'h'  sorted; done, scratch not returned, wrote beyond an array,
//   or
//                                      sorted on the host
//                                      Header's traffic then says what went to the host and back
//   'f'      -> 'f'                    fetches the outputs of the last sort once more
#include <cuda_profiler_api.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/check.h"
#include "common/knobs.h"
#include "harness/versions/version_check.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"
#include "labs/check/host_copies.h"

enum { COMMANDS = 3, ANSWERS = 4, MEMORY = 5, PAGE = 4096, GUARD = 64, ARRAYS = 4 };

typedef struct Header {
  uint64_t n, with_positions;
  HostTraffic traffic;
} Header;

typedef void Sort(unsigned int *, unsigned int *, unsigned int *, unsigned int *, size_t);

static unsigned char *memory;
static size_t capacity;
static unsigned int *device[ARRAYS];  // keys in, positions in, keys out, positions out

static unsigned int *array(int index) {
  return (unsigned int *)(memory + PAGE) + (size_t)index * capacity;
}

static void answer(char character) {
  if (write(ANSWERS, &character, 1) != 1) check_fail("worker: no grader");
}

static void map_memory(void) {
  struct stat status;
  if (fstat(MEMORY, &status) != 0) check_fail("worker: no shared memory; the grader starts it");
  memory = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, MEMORY, 0);
  if (memory == MAP_FAILED) check_fail("worker: cannot map the shared memory");
  close(MEMORY);
  capacity = ((size_t)status.st_size - PAGE) / ARRAYS / sizeof(unsigned int);
  for (int i = 0; i < ARRAYS; i++)
    CUDA_CHECK(cudaMalloc((void **)&device[i], (capacity + GUARD) * sizeof(unsigned int)));
}

static void fetch(size_t n, bool with_positions) {
  for (int i = 2; i < (with_positions ? 4 : 3); i++)
    CUDA_CHECK(cudaMemcpy(array(i), device[i], n * sizeof(unsigned int), cudaMemcpyDeviceToHost));
}

// Fills all of the arrays before a sort, so that what it does not write is not an old result.
static void load(size_t n, bool with_positions) {
  for (int i = 0; i < ARRAYS; i++) {
    CUDA_CHECK(cudaMemset(device[i], 0xa5, (n + GUARD) * sizeof(unsigned int)));
    if (i < (with_positions ? 2 : 1))
      CUDA_CHECK(cudaMemcpy(device[i], array(i), n * sizeof(unsigned int), cudaMemcpyHostToDevice));
  }
}

static bool guards_changed(size_t n) {
  for (int i = 0; i < ARRAYS; i++) {
    unsigned int guard[GUARD];
    CUDA_CHECK(cudaMemcpy(guard, device[i] + n, sizeof guard, cudaMemcpyDeviceToHost));
    for (int k = 0; k < GUARD; k++)
      if (guard[k] != 0xa5a5a5a5u) return true;
  }
  return false;
}

static char sort_once(const SortVersion *version, Sort *sort) {
  Header *const header = (Header *)memory;
  const size_t n = header->n;
  const bool with_positions = header->with_positions != 0;
  if (n > capacity) check_fail("worker: n is greater than the shared memory");
  load(n, with_positions);
  stages_begin(version, false);
  host_copies_begin(array(0), n);
  CUDA_CHECK(cudaProfilerStart());  // a COUNT build counts from here
  sort(device[0], with_positions ? device[1] : NULL, device[2], with_positions ? device[3] : NULL,
       n);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaProfilerStop());
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) check_left_behind("your_sort", error);
  const bool on_host = host_copies_found();
  header->traffic = host_copies_traffic();
  host_copies_end();
  fetch(n, with_positions);
  if (guards_changed(n)) return 'g';
  if (on_host) return 'h';
  return scratch_outstanding() == 0 ? 'd' : 's';
}

// The steps of a lab are checked with small tiles too: LAB_SET="tileBits=5 steps=2". A knob that
// the version does not have stays unset.
static void set_knobs(const SortVersion *version) {
  char *const text = getenv("LAB_SET");
  Message ignored;
  for (char *word = text == NULL ? NULL : strtok(text, " "); word != NULL; word = strtok(NULL, " "))
    knob_option(version, word, &ignored);
}

int main(int argument_count, char **arguments) {
  if (argument_count != 2) check_fail("usage: worker VERSION.SO (started by the grader)");
  map_memory();
  void *const library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) check_fail("worker: %s", dlerror());
  const SortVersion *const version = dlsym(library, "sort_version");
  Sort *sort = NULL;
  void *const symbol = dlsym(library, "your_sort");
  memcpy(&sort, &symbol, sizeof sort);  // ISO C converts no object pointer to a function pointer
  if (version == NULL || sort == NULL) check_fail("worker: no sort_version or no your_sort");
  knobs_begin(version);
  set_knobs(version);
  answer('l');
  for (char command; read(COMMANDS, &command, 1) == 1;) {
    if (command == 's') answer(sort_once(version, sort));
    if (command == 'f') {
      fetch(((const Header *)memory)->n, ((const Header *)memory)->with_positions != 0);
      answer('f');
    }
  }
  return 0;
}
