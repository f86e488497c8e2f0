// The names of kernels, and what depends on them:
// (void *)kernel<int>  ->  cuda_cpu::kernel_address("kernel<int>", kernel<int>)
// which remembers the types of the parameters, so that the kernel can be launched by its address.
// cudaFuncGetAttributes(&a, kernel<int>)  ->
//     cudaFuncGetAttributes(&a, cuda_cpu::bounded(kernel<int>)) if the kernel has __launch_bounds__
#include <stdlib.h>
#include <string.h>

#include "translate.h"

static struct Kernel {
  char *name;
  bool is_template;
  bool bounded, unbounded;  // a definition has, or has not, a bound: both of overloads
} * kernels;
static size_t kernel_count;
static struct Kernel *last;  // that was declared

static struct Kernel *find(const char *name, size_t length) {
  for (size_t i = 0; i < kernel_count; i++)
    if (strlen(kernels[i].name) == length && strncmp(kernels[i].name, name, length) == 0)
      return &kernels[i];
  return NULL;
}

void note_kernel(const Source *source, const char *c, bool is_template) {
  last = NULL;
  while (*c != '\0' && strchr(";{}", *c) == NULL) {
    const char *const literal = skip_literal(source, c);
    if (literal != c) {
      c = literal;
    } else if (is_name(*c)) {
      const size_t length = word_length(c);
      const char *const behind = skip_spaces(c + length);
      if (strchr("(<", *behind) != NULL && *behind != '\0' && !is_word(c, "__attribute__") &&
          !is_word(c, "__launch_bounds__")) {
        last = find(c, length);
        if (last != NULL) return;
        kernels = checked(realloc(kernels, (kernel_count + 1) * sizeof *kernels));
        last = &kernels[kernel_count++];
        *last = (struct Kernel){checked(strndup(c, length)), is_template, false, false};
        return;
      }
      c = *behind == '(' ? find_closing(source, behind + 1, ")") + 1 : c + length;
    } else {
      c++;
    }
  }
}

void note_body(bool bounded) {
  if (last == NULL) return;
  last->bounded |= bounded;
  last->unbounded |= !bounded;
}

bool is_template_kernel(const char *name, size_t length) {
  const struct Kernel *const kernel = find(name, length);
  return kernel != NULL && kernel->is_template;
}

void begin_kernels(void) {
  kernels = last = NULL;
  kernel_count = 0;
}

void forget_kernels(void) {
  while (kernel_count > 0) free(kernels[--kernel_count].name);
  free(kernels);
  begin_kernels();
}

// Behind `[const] void [const] *`, or null.
static const char *skip_void_pointer(const char *c) {
  bool is_void = false;
  for (c = skip_spaces(c); is_word(c, "const") || is_word(c, "void");
       c = skip_spaces(c + word_length(c)))
    is_void = is_void || is_word(c, "void");
  return is_void && *c == '*' ? skip_spaces(c + 1) : NULL;
}

bool launches_by_pointer(const char *c) {
  return is_word(c, "cudaLaunchKernel") || is_word(c, "cudaLaunchCooperativeKernel");
}

const char *drop_cast(const char *const c, Text *out) {
  const char *const open = skip_spaces(c + word_length(c));
  const char *const cast = *open == '(' ? skip_spaces(open + 1) : open;
  const char *const end = cast > open && *cast == '(' ? skip_void_pointer(cast + 1) : NULL;
  if (end == NULL || *end != ')') return c;
  append(out, c, word_length(c));
  append(out, "(", 1);
  append_line_ends(out, c, end);
  return end + 1;
}

// Behind a::kernel<int>, or null if that names no kernel. `kernel` becomes the kernel.
static const char *skip_kernel(const char *c, const struct Kernel **kernel) {
  for (;;) {
    const size_t length = word_length(c);
    const char *const behind = skip_spaces(c + length);
    if (behind[0] == ':' && behind[1] == ':') {
      c = skip_spaces(behind + 2);
      continue;
    }
    *kernel = find(c, length);
    if (*kernel == NULL) return NULL;
    if (*behind != '<') return c + length;
    int angles = 0, others = 0;
    for (c = behind; *c != '\0' && *c != ';'; c++) {
      others += (strchr("([{", *c) != NULL) - (strchr(")]}", *c) != NULL);
      if (others == 0) angles += (*c == '<') - (*c == '>');
      if (angles == 0) return c + 1;
    }
    return NULL;
  }
}

// The kernel, in front of `end`, which remembers its bound.
static void append_bounded(const struct Kernel *kernel, const char *c, const char *end, Text *out) {
  const bool asks = kernel->bounded && !kernel->unbounded;
  append_format(out, asks ? "cuda_cpu::bounded(%.*s)" : "%.*s", (int)(end - c), c);
}

bool asks_about_kernel(const char *call) {
  return is_word(call, "cudaFuncGetAttributes") || strncmp(call, "cudaOccupancy", 13) == 0;
}

const char *rewrite_kernel_argument(const char *c, Text *out) {
  const struct Kernel *kernel;
  const char *const end = skip_kernel(c, &kernel);
  if (end == NULL || strchr(",)", *skip_spaces(end)) == NULL) return c;
  size_t start = out->length;
  while (start > 0 && strchr(" \n&", out->data[start - 1]) != NULL) start--;
  if (start == 0 || strchr("(,", out->data[start - 1]) == NULL) return c;
  for (; start < out->length; start++)
    if (out->data[start] == '&') out->data[start] = ' ';
  append_bounded(kernel, c, end, out);
  return end;
}

const char *rewrite_cast(const char *const begin, Text *out) {
  const bool named = is_word(begin, "reinterpret_cast");
  const char *c = skip_spaces(named ? begin + word_length(begin) : begin);
  if (*c != (named ? '<' : '(')) return begin;
  c = skip_void_pointer(c + 1);
  if (c == NULL || *c != (named ? '>' : ')')) return begin;
  c = skip_spaces(c + 1);
  if (named) {
    if (*c != '(') return begin;
    c = skip_spaces(c + 1);
  }
  if (*c == '&') c = skip_spaces(c + 1);
  const struct Kernel *known;
  const char *const kernel = c, *const end = skip_kernel(c, &known);
  if (end == NULL) return begin;
  c = named ? skip_spaces(end) : end;
  if (named && *c++ != ')') return begin;
  if (strchr("([.", *skip_spaces(c)) != NULL) return begin;  // the cast is not of the kernel
  append(out, "cuda_cpu::kernel_address(\"", 26);
  for (const char *d = kernel; d < end; d++) {
    if (*d == '"' || *d == '\\') append(out, "\\", 1);
    append(out, *d == '\n' ? " " : d, 1);
  }
  append(out, "\", ", 3);
  append_bounded(known, kernel, end, out);
  append(out, ")", 1);
  append_line_ends(out, begin, kernel);
  append_line_ends(out, end, c);
  return c;
}
