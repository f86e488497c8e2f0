// The translations. Each reads from `c` on, writes to `out` and returns where to go on reading.
#ifndef CUDA_CPU_REWRITE_TRANSLATE_H
#define CUDA_CPU_REWRITE_TRANSLATE_H

#include "lexer.h"
#include "text.h"

// Behind the <<< that begins at `c`, or null if there is none.
const char *launch_opens(const char *c, const Text *out);

// kernel<<<grid, block>>>, at the <<<. The kernel's name is already in `out`. `open` becomes the (
// of the arguments if the kernel is a template, else null.
const char *rewrite_launch(const Source *source, const char *c, Text *out, const char **open);

// An argument, of a launch whose arguments begin at `open`, that is just 0 or NULL: may be a null
// pointer, which the type of a lambda's parameter does not show. (x, 0) -> (x,
// cuda_cpu::Null<decltype(0)>{}) Returns `c` if it is no such argument, null behind the last one.
const char *rewrite_null(const Source *source, const char *open, const char *c, Text *out);

// A declaration with __shared__. It begins at `begin` and, in `out`, at `start`.
const char *rewrite_shared(const Source *source, const char *begin, size_t start, bool in_function,
                           Text *out);

// asm(...), at the word asm. Returns `c` if it stays as it is.
const char *rewrite_asm(const Source *source, const char *c, Text *out);

// Behind a __global__: remembers the kernel's name.
void note_kernel(const Source *source, const char *c, bool is_template);
// The body of that kernel begins, and has a check of its __launch_bounds__ or not.
void note_body(bool bounded);
bool is_template_kernel(const char *name, size_t length);
void begin_kernels(void);  // none are known
void forget_kernels(void);

// (void *)kernel or reinterpret_cast<void *>(kernel). Returns `c` if it is no such cast.
const char *rewrite_cast(const char *c, Text *out);

// cudaLaunchKernel((void *)kernel, ...  ->  cudaLaunchKernel(kernel, ...
// Calls whose first parameter is `const void *` in CUDA; cuda_cpu needs the kernel with its type.
// drop_cast() returns `c` if there is no cast.
bool launches_by_pointer(const char *c);
const char *drop_cast(const char *c, Text *out);

// A kernel as an argument of a call that asks for its attributes, at the kernel's name. Returns `c`
// if it is none or has no bound.
bool asks_about_kernel(const char *call);
const char *rewrite_kernel_argument(const char *c, Text *out);

// At a word in device code: ends the program if it begins what only the host has, such as
// std::sort(.
void refuse_host_only(const Source *source, const char *c);

// At the end of a statement of device code: warns if it and the last one rely on lockstep.
typedef struct Lockstep {
  const char *function;   // where the present one begins
  const char *array;      // in which the last statement's lanes exchanged values, or null
  const char *warned_of;  // the function of the last warning
} Lockstep;
void warn_of_lockstep(const Source *source, Lockstep *lockstep, const char *statement,
                      const char *end);

// A shift in device code, at its << or >>.
const char *rewrite_shift(const char *c, Text *out);

#endif
