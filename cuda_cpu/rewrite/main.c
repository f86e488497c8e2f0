// rewrite FILE.ii > FILE.cpp: makes CUDA C++ compile with an ordinary C++ compiler.
//
// These things in CUDA C++ are not C++ already: launches (launch.c), __shared__ (shared.c), inline
// PTX (asm.c), and bounds of launches, which become a check where the kernel begins:
// __global__ void __launch_bounds__(N) kernel() {  ->  void kernel() { cuda_cpu::check_bound(N);
// cuda_runtime.h provides the rest as macros, variables and functions.
//
// It runs behind the preprocessor (g++ -E), so that launches in macros and in included files are
// translated too. Comments, strings, line numbers and the preprocessor's line markers stay. A
// construct that cannot be translated is reported with its line, and the exit code is 1.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "translate.h"

// Copies a directive unchanged, up to the end of its line.
static const char *copy_directive(const Source *source, const char *c, Text *out) {
  while (*c != '\0' && *c != '\n') {
    const char *behind = c + 1;
    if (c[0] == '/' && (c[1] == '/' || c[1] == '*')) behind = skip_literal(source, c);
    if (c[0] == '\\' && c[1] == '\n') behind = c + 2;
    append(out, c, (size_t)(behind - c));
    c = behind;
  }
  return c;
}

static bool word_starts(const Source *source, const char *c) {
  return is_name(*c) && (c == source->text || !is_name(c[-1]));
}

// Calls whose first parameter is `const void *` in CUDA. cuda_cpu needs the kernel with its type.
static bool launches_by_pointer(const char *c) {
  return is_word(c, "cudaLaunchKernel") || is_word(c, "cudaLaunchCooperativeKernel");
}

static bool is_asm(const char *c) {
  return is_word(c, "asm") || is_word(c, "__asm__") || is_word(c, "__asm");
}

// cudaLaunchKernel((void *)kernel, ...  ->  cudaLaunchKernel(kernel, ...
static const char *drop_cast(const char *c, Text *out) {
  const char *const name_end = c + word_length(c);
  append(out, c, word_length(c));
  const char *end = skip_spaces(name_end);
  if (*end != '(') return name_end;
  end = skip_spaces(end + 1);
  if (*end == '(') {
    end = skip_spaces(end + 1);
    if (is_word(end, "const")) end = skip_spaces(end + word_length(end));
    if (!is_word(end, "void")) return name_end;
    end = skip_spaces(end + word_length(end));
    if (*end != '*') return name_end;
    end = skip_spaces(end + 1);
    if (*end != ')') return name_end;
    end++;
  } else {
    return name_end;
  }
  append(out, "(", 1);
  for (c = name_end; c < end; c++)
    if (*c == '\n') append(out, c, 1);  // so that the lines below keep their numbers
  return end;
}

// thrust::device_ptr<T>(d_in) as an argument  ->  thrust::device_ptr<T>{d_in}
// g++ 12 takes vector(pointer(d_in), pointer(d_in) + n) for a function's declaration, and then
// fails; CS344's own lines for debugging have that. Returns `c` if it is none.
static const char *rewrite_device_pointer(const char *c, Text *out) {
  const char *const angle = skip_spaces(c + word_length(c));
  if (*angle != '<') return c;
  const size_t type =
      strspn(angle + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_: ");
  if (angle[1 + type] != '>') return c;
  const char *const open = skip_spaces(angle + type + 2);
  if (*open != '(') return c;
  const char *const name = skip_spaces(open + 1);
  if (isdigit((unsigned char)*name)) return c;
  const char *const close = skip_spaces(name + word_length(name));
  if (word_length(name) == 0 || *close != ')') return c;
  const char *const next = skip_spaces(close + 1);
  if (*next == '\0' || strchr(",+)", *next) == NULL) return c;
  append(out, c, (size_t)(open - c));
  append(out, "{", 1);
  append(out, open + 1, (size_t)(close - open - 1));
  append(out, "}", 1);
  return close + 1;
}

// clock() in device code, which is not that of C. Not a member, nor another namespace's.
static bool calls_clock(const Source *source, const char *c) {
  if (!is_word(c, "clock") || *skip_spaces(c + word_length(c)) != '(') return false;
  while (c > source->text && isspace((unsigned char)c[-1])) c--;
  const char before = c > source->text ? c[-1] : ' ', second = c > source->text + 1 ? c[-2] : ' ';
  return before != '.' && !(before == '>' && second == '-') && !(before == ':' && second == ':');
}

// Where the text is with respect to functions that run on the device.
typedef struct Device {
  bool system_header;  // whose functions stay as they are
  bool for_host;       // the function is marked __host__ too
  bool declared;       // behind __device__ or __global__, in front of the body
  int parentheses;     // since then
  int braces;          // open ones of the body; 0 outside
} Device;

static void read_line_marker(const char *c, Device *device) {
  const size_t length = strcspn(c, "\n");
  const char *const quote = memchr(c, '"', length);
  if (c[1] != ' ' || !isdigit((unsigned char)c[2]) || quote == NULL) return;
  const char *const end = memchr(quote + 1, '"', (size_t)(c + length - quote - 1));
  if (end != NULL) device->system_header = memchr(end, '3', (size_t)(c + length - end)) != NULL;
}

static void follow(Device *device, char c, char next) {
  if (device->braces > 0) {
    device->braces += (c == '{') - (c == '}');
  } else if (device->declared) {
    device->parentheses += (c == '(') - (c == ')');
    if (device->parentheses > 0) return;
    if (c == '{') device->braces = 1;
    // A variable; but operator== and the like have another symbol in front or behind.
    if (c == '{' || c == ';' || (c == '=' && next == ' ')) device->declared = false;
  }
}

static bool begins_template(const Source *source, const char *c) {
  while (isspace((unsigned char)*c) || skip_literal(source, c) != c)
    c = isspace((unsigned char)*c) ? c + 1 : skip_literal(source, c);
  return is_word(c, "template");
}

// From the start of a statement, behind spaces and comments, which have been written unchanged.
static void skip_to_first_word(const Source *source, const char **statement, size_t *start) {
  while (isspace((unsigned char)**statement) || skip_literal(source, *statement) != *statement) {
    const char *const after = skip_literal(source, *statement);
    const size_t skipped = after != *statement ? (size_t)(after - *statement) : 1;
    *statement += skipped;
    *start += skipped;
  }
}

// CUDA's qualifier, not the attribute's name, which follows a parenthesis, a comma or a colon.
static bool is_noinline(const Source *source, const char *c) {
  if (!word_starts(source, c) || !is_word(c, "__noinline__")) return false;
  while (c > source->text && isspace((unsigned char)c[-1])) c--;
  return c == source->text || strchr("(,:", c[-1]) == NULL;
}

// Whether a const at the end of `out` would repeat one of the same declaration, as in const int
// const *a, which nvcc accepts and g++ refuses.
static bool repeats_const(const Text *out) {
  size_t i = out->length;
  while (i > 0) {
    const size_t end = i;
    while (i > 0 && is_name(out->data[i - 1])) i--;
    if (end - i == 5 && strncmp(out->data + i, "const", 5) == 0) return true;
    if (i > 1 && out->data[i - 1] == ':' && out->data[i - 2] == ':')
      i -= 2;
    else if (i > 0 && isspace((unsigned char)out->data[i - 1]))
      i--;
    else if (end == i)
      return false;
  }
  return false;
}

// Drops __launch_bounds__(...), with its line ends, so that the lines below keep their numbers.
static const char *read_bound(const Source *source, const char *c, char **bound, Text *out) {
  const char *const open = skip_spaces(c + word_length(c));
  if (*open != '(') return c + word_length(c);
  const char *const end = find_closing(source, open + 1, ")") + 1;
  free(*bound);
  *bound = on_one_line(open, (size_t)(end - open));
  for (; c < end; c++)
    if (*c == '\n') append(out, c, 1);
  return end;
}

static void rewrite(const Source *source, Text *out) {
  Device device = {false, false, false, 0, 0};
  const char *arguments = NULL;  // the ( of the last launch's, if its kernel is a template
  const char *asked = NULL;      // the ) of the last call that asks about a kernel
  char *bound = NULL;            // "(256)" of the declaration's __launch_bounds__
  bool is_kernel = false;        // of the declaration that is being read
  Lockstep lockstep = {NULL, NULL, NULL};
  begin_kernels();
  const char *statement = source->text;  // start of the present statement, here and in `out`
  size_t statement_start = out->length;
  for (const char *c = source->text; *c != '\0';) {
    const char *const behind = skip_literal(source, c);
    const char *cast_end, *null_end, *pointer_end, *kernel_end;
    if (device.braces > 0 && !device.for_host && behind == c && word_starts(source, c))
      refuse_host_only(source, c);
    if (behind != c) {
      append(out, c, (size_t)(behind - c));
      c = behind;
    } else if (launch_opens(c, out) != NULL) {
      c = rewrite_launch(source, c, out, &arguments);
    } else if (arguments != NULL && word_starts(source, c) &&
               (null_end = rewrite_null(source, arguments, c, out)) != c) {
      if (null_end == NULL)
        arguments = NULL;
      else
        c = null_end;
    } else if (word_starts(source, c) && (is_word(c, "__global__") || is_word(c, "__device__"))) {
      device.declared = !device.system_header && device.braces == 0;
      device.parentheses = 0;
      if (device.declared) lockstep.function = c;
      is_kernel = is_word(c, "__global__");
      if (is_kernel) note_kernel(source, c + word_length(c), begins_template(source, statement));
      c += word_length(c);
    } else if (word_starts(source, c) && is_word(c, "__host__")) {
      if (device.braces == 0) device.for_host = true;
      c += word_length(c);
    } else if (word_starts(source, c) && is_word(c, "__launch_bounds__")) {
      c = read_bound(source, c, &bound, out);
    } else if (is_noinline(source, c)) {
      append_format(out, "__attribute__((noinline))");
      c += word_length(c);
    } else if (word_starts(source, c) && is_word(c, "device_ptr") &&
               (pointer_end = rewrite_device_pointer(c, out)) != c) {
      c = pointer_end;
    } else if (word_starts(source, c) && is_word(c, "const") && repeats_const(out)) {
      c += word_length(c);
    } else if (device.braces > 0 && word_starts(source, c) && calls_clock(source, c)) {
      append_format(out, "cuda_cpu::device_clock");
      c += word_length(c);
    } else if (device.braces > 0 && (strncmp(c, "<<", 2) == 0 || strncmp(c, ">>", 2) == 0)) {
      c = rewrite_shift(c, out);
    } else if ((*c == '(' || (word_starts(source, c) && is_word(c, "reinterpret_cast"))) &&
               (cast_end = rewrite_cast(c, out)) != c) {
      c = cast_end;
    } else if (asked != NULL && c < asked && word_starts(source, c) &&
               (kernel_end = rewrite_kernel_argument(c, out)) != c) {
      c = kernel_end;
    } else if (word_starts(source, c) && asks_about_kernel(c) &&
               *skip_spaces(c + word_length(c)) == '(') {
      asked = find_closing(source, skip_spaces(c + word_length(c)) + 1, ")");
      append(out, c, word_length(c));
      c += word_length(c);
    } else if (word_starts(source, c) && launches_by_pointer(c)) {
      c = drop_cast(c, out);
    } else if (word_starts(source, c) && is_asm(c) && !device.system_header) {
      const char *const after = rewrite_asm(source, c, out);
      if (after == c) append(out, c, word_length(c));
      c = after == c ? c + word_length(c) : after;
    } else if (is_word(c, "__shared__") && (c == source->text || !is_name(c[-1]))) {
      skip_to_first_word(source, &statement, &statement_start);
      c = rewrite_shared(source, statement, statement_start, device.braces > 0, out);
      statement = c;
      statement_start = out->length;
    } else {
      if (*c == '#') {  // it begins no statement
        read_line_marker(c, &device);
        skip_to_first_word(source, &statement, &statement_start);
        c = copy_directive(source, c, out);
        statement = c;
        statement_start = out->length;
        continue;
      }
      append(out, c, 1);
      follow(&device, c[0], c[1]);
      if (strchr(";{}", *c) != NULL) {
        if (*c == ';') arguments = NULL;
        if (*c == ';' && device.braces > 0) warn_of_lockstep(source, &lockstep, statement, c);
        if (*c == '{' && device.braces == 1 && is_kernel) {
          if (bound != NULL) append_format(out, " cuda_cpu::check_bound%s;", bound);
          note_body(bound != NULL);
        }
        if (device.braces > 0 || !device.declared) {
          free(bound);
          bound = NULL;
          is_kernel = false;
        }
        if (device.braces == 0) device.for_host = false;
        statement = c + 1;
        statement_start = out->length;
      }
      c++;
    }
  }
}

static char *read_file(const char *name) {
  FILE *const file = fopen(name, "rb");
  if (file == NULL) {
    perror(name);
    exit(1);
  }
  Text text = {NULL, 0, 0};
  char buffer[65536];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;) append(&text, buffer, n);
  if (ferror(file)) {
    perror(name);
    exit(1);
  }
  fclose(file);
  append(&text, "", 1);
  return text.data;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fputs("usage: rewrite FILE.ii > FILE.cpp\n", stderr);
    return 1;
  }
  char *const text = read_file(argv[1]);
  const Source source = {argv[1], text};
  Text out = {NULL, 0, 0};
  rewrite(&source, &out);
  fwrite(out.data, 1, out.length, stdout);
  forget_kernels();
  free(out.data);
  free(text);
  return fflush(stdout) == 0 ? 0 : 1;
}
