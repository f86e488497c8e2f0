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

static bool is_asm(const char *c) {
  return is_word(c, "asm") || is_word(c, "__asm__") || is_word(c, "__asm");
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

// Behind spaces and comments.
static const char *first_word(const Source *source, const char *c) {
  while (isspace((unsigned char)*c) || skip_literal(source, c) != c)
    c = isspace((unsigned char)*c) ? c + 1 : skip_literal(source, c);
  return c;
}

// CUDA's qualifier, not the attribute's name, which follows a parenthesis, a comma or a colon.
static bool is_noinline(const Source *source, const char *c) {
  if (!is_word(c, "__noinline__")) return false;
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

// Drops __launch_bounds__(...).
static const char *read_bound(const Source *source, const char *c, char **bound, Text *out) {
  const char *const open = skip_spaces(c + word_length(c));
  if (*open != '(') return c + word_length(c);
  const char *const end = find_closing(source, open + 1, ")") + 1;
  free(*bound);
  *bound = on_one_line(open, (size_t)(end - open));
  append_line_ends(out, c, end);
  return end;
}

// How far the source has been read, and what the rest of the present statement depends on.
typedef struct Reader {
  const Source *source;
  Text *out;
  Device device;
  const char *statement;   // where the present one begins,
  size_t statement_start;  // also in `out`
  const char *arguments;   // the ( of the last launch's, if its kernel is a template
  const char *asked;       // the ) of the last call that asks about a kernel
  char *bound;             // "(256)" of the declaration's __launch_bounds__
  bool is_kernel;          // of the declaration that is being read
  Lockstep lockstep;
} Reader;

static const char *begin_statement(Reader *r, const char *c) {
  r->statement = c;
  r->statement_start = r->out->length;
  return c;
}

// Spaces and comments in front of the present statement have been written unchanged.
static void skip_to_first_word(Reader *r) {
  const char *const word = first_word(r->source, r->statement);
  r->statement_start += (size_t)(word - r->statement);
  r->statement = word;
}

// At __global__ or __device__.
static void begin_function(Reader *r, const char *c) {
  r->device.declared = !r->device.system_header && r->device.braces == 0;
  r->device.parentheses = 0;
  if (r->device.declared) r->lockstep.function = c;
  r->is_kernel = is_word(c, "__global__");
  if (r->is_kernel)
    note_kernel(r->source, c + word_length(c),
                is_word(first_word(r->source, r->statement), "template"));
}

// Translates what begins with the word at `c`. Returns where to go on reading, or `c` if the word
// stays as it is.
static const char *rewrite_word(Reader *r, const char *c) {
  const Source *const source = r->source;
  Text *const out = r->out;
  const char *const behind = c + word_length(c);
  const bool on_device = r->device.braces > 0;
  if (on_device && !r->device.for_host) refuse_host_only(source, c);
  if (r->arguments != NULL) {
    const char *const end = rewrite_null(source, r->arguments, c, out);
    if (end == NULL) r->arguments = NULL;
    if (end != NULL && end != c) return end;
  }
  if (r->asked != NULL && c < r->asked) {
    const char *const end = rewrite_kernel_argument(c, out);
    if (end != c) return end;
  }
  if (is_word(c, "__global__") || is_word(c, "__device__")) {
    begin_function(r, c);
    return behind;
  }
  if (is_word(c, "__host__")) {
    if (!on_device) r->device.for_host = true;
    return behind;
  }
  if (is_word(c, "__launch_bounds__")) return read_bound(source, c, &r->bound, out);
  if (is_noinline(source, c)) {
    append_format(out, "__attribute__((noinline))");
    return behind;
  }
  if (is_word(c, "const")) return repeats_const(out) ? behind : c;
  if (is_word(c, "device_ptr")) return rewrite_device_pointer(c, out);
  if (is_word(c, "reinterpret_cast")) return rewrite_cast(c, out);
  if (on_device && calls_clock(source, c)) {
    append_format(out, "cuda_cpu::device_clock");
    return behind;
  }
  if (asks_about_kernel(c) && *skip_spaces(behind) == '(')
    r->asked = find_closing(source, skip_spaces(behind) + 1, ")");
  if (launches_by_pointer(c)) return drop_cast(c, out);
  if (is_asm(c) && !r->device.system_header) return rewrite_asm(source, c, out);
  if (is_word(c, "__shared__")) {
    skip_to_first_word(r);
    return begin_statement(
        r, rewrite_shared(source, r->statement, r->statement_start, on_device, out));
  }
  return c;
}

// The same where no word begins.
static const char *rewrite_symbol(Reader *r, const char *c) {
  if (launch_opens(c, r->out) != NULL) return rewrite_launch(r->source, c, r->out, &r->arguments);
  if (r->device.braces > 0 && (strncmp(c, "<<", 2) == 0 || strncmp(c, ">>", 2) == 0))
    return rewrite_shift(c, r->out);
  if (*c == '(') return rewrite_cast(c, r->out);
  if (*c == '#') {  // it begins no statement
    read_line_marker(c, &r->device);
    skip_to_first_word(r);
    return begin_statement(r, copy_directive(r->source, c, r->out));
  }
  return c;
}

// A statement, a body or a block ends or begins with the ; or brace at `c`, which has been copied.
static void end_statement(Reader *r, const char *c) {
  const bool on_device = r->device.braces > 0;
  if (*c == ';') r->arguments = NULL;
  if (*c == ';' && on_device) warn_of_lockstep(r->source, &r->lockstep, r->statement, c);
  if (*c == '{' && r->device.braces == 1 && r->is_kernel) {
    if (r->bound != NULL) append_format(r->out, " cuda_cpu::check_bound%s;", r->bound);
    note_body(r->bound != NULL);
  }
  if (on_device || !r->device.declared) {
    free(r->bound);
    r->bound = NULL;
    r->is_kernel = false;
  }
  if (!on_device) r->device.for_host = false;
  begin_statement(r, c + 1);
}

static void rewrite(const Source *source, Text *out) {
  Reader reader = {.source = source, .out = out};
  begin_kernels();
  for (const char *c = begin_statement(&reader, source->text); *c != '\0';) {
    const char *end = skip_literal(source, c);
    if (end != c)
      append(out, c, (size_t)(end - c));
    else
      end = word_starts(source, c) ? rewrite_word(&reader, c) : rewrite_symbol(&reader, c);
    if (end == c) {  // as it is
      append(out, c, 1);
      follow(&reader.device, c[0], c[1]);
      if (strchr(";{}", *c) != NULL) end_statement(&reader, c);
      end++;
    }
    c = end;
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
