// The functions of gsort.h: arguments, errors, and the loop around plan.c.
#include "gsort/gsort.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "gsort/call.h"

enum {
  VERDICTS = 64,
  OVERWRITE_FROM = 500001,  // elements; fewer need little workspace anyway
};

// Pinned memory of one call, in separate cache lines.
typedef union Verdict {
  HostVerdict verdict;
  char line[256];
} Verdict;
_Static_assert(sizeof(Verdict) == 256, "a HostVerdict fits");

struct gsort {
  Device device;
  int key, value;
  bool descending, overwrite, no_host_wait;
  const unsigned long long *n_on_device;
  int begin_bit, end_bit;
  Verdict *verdicts;             // [VERDICTS], pinned
  atomic_bool in_use[VERDICTS];  // by a call
  atomic_uint next;              // verdict to be tried first
};

int gsort_version(void) { return GSORT_VERSION; }

const char *gsort_error_string(int error) {
  if (error > GSORT_ERROR_CUDA) return cudaGetErrorString((cudaError_t)(error - GSORT_ERROR_CUDA));
  switch (error) {
    case GSORT_OK: return "no error";
    case GSORT_ERROR_ARGUMENT:
      return "a pointer is NULL, or is not although there is no such array, or an array is not "
             "aligned to its elements, or the workspace not to 256 bytes";
    case GSORT_ERROR_TYPE: return "unknown type of keys or values";
    case GSORT_ERROR_UNSUPPORTED: return "this version does not sort such keys or values";
    case GSORT_ERROR_OPTION:
      return "unknown option, or a value out of its range, or the first bit that counts is not "
             "below the end";
    case GSORT_ERROR_SIZE: return "n is greater than 2^32 - 1";
    case GSORT_ERROR_WORKSPACE: return "the workspace has fewer bytes than gsort_workspace() says";
    case GSORT_ERROR_OVERLAP: return "two of the arrays and the workspace share memory";
    case GSORT_ERROR_DEVICE:
      return "there is no device, or the current one is not that for which the sort was created";
    case GSORT_ERROR_MEMORY: return "no memory on the host";
    case GSORT_ERROR_CUDA: return "a CUDA call failed";
    default: return "unknown error";
  }
}

// A CUDA error is told by what gsort returns, and does not stay for the program's next
// cudaGetLastError().
static bool failed(cudaError_t error) {
  if (error != cudaSuccess) cudaGetLastError();
  return error != cudaSuccess;
}

static int attribute(enum cudaDeviceAttr which, int device) {
  int value = 0;
  return failed(cudaDeviceGetAttribute(&value, which, device)) ? 0 : value;
}

bool find_device(Device *device) {
  if (failed(cudaGetDevice(&device->number))) return false;
  const int major = attribute(cudaDevAttrComputeCapabilityMajor, device->number),
            shared = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device->number);
  device->multiprocessors = (unsigned int)attribute(cudaDevAttrMultiProcessorCount, device->number);
  device->shared_limit = shared > 1024 ? (size_t)shared - 1024 : 0;
  device->hopper = major >= 9;
  return device->multiprocessors > 0 && device->shared_limit > 0;
}

static int key_bits(const gsort *sort) { return sort->key >= GSORT_U64 ? 64 : 32; }

static size_t value_bytes(int value) {
  if (value == GSORT_KEYS) return 0;
  return value == GSORT_VALUE64 || value == GSORT_INDEX64 ? 8 : 4;
}

static bool reads_values(const gsort *sort) {
  return sort->value == GSORT_VALUE32 || sort->value == GSORT_VALUE64;
}

int gsort_create(gsort **sort, int key, int value) {
  if (sort == NULL) return GSORT_ERROR_ARGUMENT;
  *sort = NULL;
  if (key < GSORT_U32 || key > GSORT_F64 || value < GSORT_KEYS || value > GSORT_INDEX64)
    return GSORT_ERROR_TYPE;
  if (key < GSORT_U64 && value_bytes(value) == 8) return GSORT_ERROR_UNSUPPORTED;
  gsort *const made = calloc(1, sizeof *made);
  if (made == NULL) return GSORT_ERROR_MEMORY;
  made->key = key;
  made->value = value;
  made->end_bit = key_bits(made);
  const bool has_device = find_device(&made->device);
  if (has_device && !failed(cudaMallocHost((void **)&made->verdicts, VERDICTS * sizeof(Verdict)))) {
    *sort = made;
    return GSORT_OK;
  }
  free(made);
  return has_device ? GSORT_ERROR_MEMORY : GSORT_ERROR_DEVICE;
}

void gsort_destroy(gsort *sort) {
  if (sort == NULL) return;
  failed(cudaFreeHost(sort->verdicts));
  free(sort);
}

static int set_flag(bool *flag, int64_t value) {
  if (value != 0 && value != 1) return GSORT_ERROR_OPTION;
  *flag = value == 1;
  return GSORT_OK;
}

int gsort_set(gsort *sort, int option, int64_t value) {
  if (sort == NULL) return GSORT_ERROR_ARGUMENT;
  switch (option) {
    case GSORT_DESCENDING: return set_flag(&sort->descending, value);
    case GSORT_OVERWRITE: return set_flag(&sort->overwrite, value);
    case GSORT_NO_HOST_WAIT: return set_flag(&sort->no_host_wait, value);
    case GSORT_N_ON_DEVICE:
      if ((uint64_t)value > UINTPTR_MAX || value % (int64_t)sizeof(uint64_t) != 0)
        return GSORT_ERROR_OPTION;
      sort->n_on_device = (const unsigned long long *)(uintptr_t)value;
      return GSORT_OK;
    case GSORT_BEGIN_BIT:
      if (value < 0 || value >= key_bits(sort)) return GSORT_ERROR_OPTION;
      sort->begin_bit = (int)value;
      return GSORT_OK;
    case GSORT_END_BIT:
      if (value < 1 || value > key_bits(sort)) return GSORT_ERROR_OPTION;
      sort->end_bit = (int)value;
      return GSORT_OK;
    default: return GSORT_ERROR_OPTION;
  }
}

static WideCode code_of(const gsort *sort) {
  const bool is_float = sort->key == GSORT_F32 || sort->key == GSORT_F64;
  const unsigned long long all = ~0ull >> (64 - key_bits(sort)), sign = all ^ all >> 1;
  WideCode code = {sort->key == GSORT_U32 || sort->key == GSORT_U64 ? 0 : sign,
                   is_float ? all ^ sign : 0};
  if (sort->descending) code.flip ^= all;
  return code;
}

// A call whose arrays are not known yet; what they point to only says which there are.
static Call call_of(const gsort *sort, uint64_t n) {
  static unsigned int some;
  Call call = {0};
  if (sort->value != GSORT_KEYS) call.output.values = &some;
  if (reads_values(sort)) call.input.values = &some;
  call.n = n;
  call.wide_code = code_of(sort);
  call.code = (KeyCode){(unsigned int)call.wide_code.flip, (unsigned int)call.wide_code.negative};
  call.key_bytes = (size_t)key_bits(sort) / 8;
  call.value_bytes = value_bytes(sort->value);
  call.begin_bit = sort->begin_bit;
  call.bits = sort->end_bit - sort->begin_bit;
  call.n_on_device = sort->n_on_device;
  call.no_host_wait = sort->no_host_wait || sort->n_on_device != NULL;
  call.overwrite = sort->overwrite && n >= OVERWRITE_FROM && call.n_on_device == NULL;
  call.device = &sort->device;
  return call;
}

// Of many keys only sweeps sort by some of the bits, or a number that the device knows.
static Known known_of(const Call *call) {
  const bool only_sweeps = call->bits < (int)call->key_bytes * 8 || call->n_on_device != NULL;
  return (Known){.finding = call->overwrite ? IN_PLACE
                            : only_sweeps   ? UNEVEN
                                            : UNKNOWN,
                 .range = WHOLE_RANGE};
}

static int check_kind(const gsort *sort, uint64_t n) {
  if (sort == NULL) return GSORT_ERROR_ARGUMENT;
  if (sort->begin_bit >= sort->end_bit) return GSORT_ERROR_OPTION;
  return n > UINT32_MAX ? GSORT_ERROR_SIZE : GSORT_OK;
}

int gsort_workspace(const gsort *sort, uint64_t n, size_t *bytes) {
  if (bytes == NULL) return GSORT_ERROR_ARGUMENT;
  *bytes = 0;
  const int error = check_kind(sort, n);
  if (error != GSORT_OK) return error;
  const Call call = call_of(sort, n);
  if (n > 0) *bytes = FINDINGS_BYTES + plan_bytes(&call);
  return GSORT_OK;
}

const char *gsort_way(const gsort *sort, uint64_t n) {
  if (check_kind(sort, n) != GSORT_OK) return "none";
  const Call call = call_of(sort, n);
  const Known known = known_of(&call);
  return n == 0 ? "none" : plan_way(&call, &known)->name;
}

typedef struct Extent {
  uintptr_t begin;
  size_t bytes, alignment;
} Extent;

// It is right for extents that end behind the last address, too.
static bool overlap(Extent a, Extent b) {
  return a.bytes > 0 && b.bytes > 0 && (a.begin - b.begin < b.bytes || b.begin - a.begin < a.bytes);
}

static int check_arrays(const gsort *sort, const Call *call, const void *workspace, size_t bytes) {
  const size_t keys = call->n * call->key_bytes, values = call->n * call->value_bytes,
               needed = FINDINGS_BYTES + plan_bytes(call);
  const Extent extents[] = {
      {(uintptr_t)call->input.keys, keys, call->key_bytes},
      {(uintptr_t)call->output.keys, keys, call->key_bytes},
      {(uintptr_t)call->input.values, reads_values(sort) ? values : 0, call->value_bytes},
      {(uintptr_t)call->output.values, values, call->value_bytes},
      {(uintptr_t)workspace, needed, WORKSPACE_ALIGNMENT},
      {(uintptr_t)call->n_on_device, call->n_on_device != NULL ? sizeof(uint64_t) : 0,
       sizeof(uint64_t)},
  };
  enum { EXTENTS = sizeof extents / sizeof *extents };
  for (int i = 0; i < EXTENTS; i++)
    if (extents[i].bytes > 0 ? extents[i].begin == 0 || extents[i].begin % extents[i].alignment != 0
                             : extents[i].begin != 0)
      return GSORT_ERROR_ARGUMENT;
  if (bytes < needed) return GSORT_ERROR_WORKSPACE;
  for (int i = 0; i < EXTENTS; i++)
    for (int j = 0; j < i; j++)
      if (overlap(extents[i], extents[j])) return GSORT_ERROR_OVERLAP;
  return GSORT_OK;
}

// A verdict that no other call uses. There are more than a device runs streams at once; the one
// returned last is used last, as its kernels may still be writing to it.
static unsigned int take_verdict(gsort *sort) {
  for (;;) {
    const unsigned int i = atomic_fetch_add(&sort->next, 1) % VERDICTS;
    if (!atomic_exchange(&sort->in_use[i], true)) return i;
  }
}

static void sort_as_planned(Call *call) {
  Known known = known_of(call);
  while (known.finding != SORTED && call->error == cudaSuccess)
    known.finding = plan_way(call, &known)->run(call, &known);
}

int gsort_run(gsort *sort, void *workspace, size_t bytes, const void *keys_in, void *keys_out,
              const void *values_in, void *values_out, uint64_t n, struct CUstream_st *stream) {
  int error = check_kind(sort, n);
  if (error != GSORT_OK || n == 0) return error;
  Call call = call_of(sort, n);
  // Not written to without GSORT_OVERWRITE.
  call.input = (Elements){(unsigned int *)(uintptr_t)keys_in, (unsigned int *)(uintptr_t)values_in};
  call.output = (Elements){keys_out, values_out};
  error = check_arrays(sort, &call, workspace, bytes);
  if (error != GSORT_OK) return error;
  int device = 0;
  if (failed(cudaGetDevice(&device)) || device != sort->device.number) return GSORT_ERROR_DEVICE;
  call.findings = workspace;
  call.workspace = (char *)workspace + FINDINGS_BYTES;
  call.stream = stream;
  if (call.no_host_wait) {
    sort_as_planned(&call);
  } else {
    const unsigned int verdict = take_verdict(sort);
    call.host = &sort->verdicts[verdict].verdict;
    sort_as_planned(&call);
    atomic_store(&sort->in_use[verdict], false);
  }
  return failed(call.error) ? GSORT_ERROR_CUDA + (int)call.error : GSORT_OK;
}
