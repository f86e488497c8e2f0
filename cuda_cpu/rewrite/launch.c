// kernel<<<grid, block>>>(a, b)  ->  cuda_cpu::launcher(SIGNATURE, CALL, "kernel", grid, block)(a,
// b)
//
// SIGNATURE is a lambda that returns the kernel as a pointer, and cannot be called if that takes
// the arguments' types. CALL is a lambda that calls the kernel as an ordinary function, so that the
// compiler deduces template arguments, fills in default arguments, and inlines the kernel into the
// loop over a block's threads.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "translate.h"

// ---- the kernel, in front of <<<, read backwards ------------------------------------------------

static size_t skip_spaces_back(const char *data, size_t end) {
  while (end > 0 && isspace((unsigned char)data[end - 1])) end--;
  return end;
}

// Start of the brackets that end at `i`, or `i` if they have no start. Inside parentheses < and >
// only compare.
static size_t brackets_start(const char *data, size_t i) {
  const size_t end = i;
  int angles = 0, others = 0;
  do {
    i--;
    const char c = data[i];
    others += (strchr(")]}", c) != NULL) - (strchr("([{", c) != NULL);
    if (others > 0) continue;
    if (i > 0 && data[i] == '<' && data[i - 1] == '<')
      i--;  // a shift
    else if (!(c == '>' && i > 0 && data[i - 1] == '-'))
      angles += (c == '>') - (c == '<');
  } while (i > 0 && (angles > 0 || others > 0));
  return angles == 0 && others == 0 ? i : end;
}

static bool ends_with_keyword(const char *data, size_t end) {
  static const char *const keywords[] = {"return", "else",  "do",  "case",
                                         "if",     "while", "for", "switch"};
  size_t start = end;
  while (start > 0 && is_name(data[start - 1])) start--;
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
    if (end - start == strlen(keywords[i]) && strncmp(data + start, keywords[i], end - start) == 0)
      return true;
  return false;
}

// Start of the expression that names the kernel and ends at `end`: kernel, a::b<c>, table[i],
// (*pointer), object.member, choose(x). `end` if there is none.
static size_t kernel_start(const char *data, size_t end) {
  size_t i = end;
  for (;;) {
    bool group = false;  // brackets behind which nothing has been read
    size_t name_end, behind_first = i;
    for (;;) {
      name_end = skip_spaces_back(data, i);
      if (name_end == 0 || strchr(")]>", data[name_end - 1]) == NULL) break;
      const size_t open = brackets_start(data, name_end);
      if (open == name_end) return end;
      group = data[open] == '(';
      behind_first = i;
      i = open;
    }
    size_t start = name_end;
    while (start > 0 && is_name(data[start - 1])) start--;
    const bool keyword = start < name_end && ends_with_keyword(data, name_end);
    const bool has_name = start < name_end && !keyword;
    if (keyword && group && behind_first != end) i = behind_first;  // if (x) (*kernel)<<<
    if (has_name && !isdigit((unsigned char)data[start]))
      i = start;
    else if (!group)
      return end;
    if (keyword) return (size_t)(skip_spaces(data + i) - data);
    const size_t before = skip_spaces_back(data, i);
    if (before > 1 && ((data[before - 1] == ':' && data[before - 2] == ':') ||
                       (data[before - 1] == '>' && data[before - 2] == '-'))) {
      i = before - 2;
      const size_t left = skip_spaces_back(data, i);
      // ::kernel, with nothing in front
      if (data[before - 1] == ':' && (left == 0 || ends_with_keyword(data, left) ||
                                      (!is_name(data[left - 1]) && data[left - 1] != '>')))
        return i;
    } else if (before > 0 && data[before - 1] == '.') {
      i = before - 1;
    } else {
      return i;
    }
  }
}

// ---- the brackets -------------------------------------------------------------------------------

// Three < or > in a row, perhaps with spaces between them, as some editors format them: returns
// their end, or null.
static const char *three(const char *c, char bracket) {
  for (int i = 0; i < 3; i++) {
    while (i > 0 && isspace((unsigned char)*c)) c++;
    if (*c++ != bracket) return NULL;
  }
  return c;
}

const char *launch_opens(const char *c, const Text *out) {
  const char *const behind = *c == '<' ? three(c, '<') : NULL;
  if (behind == NULL) return NULL;
  const size_t end = skip_spaces_back(out->data, out->length);
  const bool declares_operator = end >= 8 && strncmp(out->data + end - 8, "operator", 8) == 0;
  return declares_operator ? NULL : behind;  // operator<< <T>
}

// Where the >>> begins, in front of the arguments.
static const char *find_end(const Source *source, const char *const begin, const char **behind) {
  const char *c = begin;
  int depth = 0;
  while (*c != '\0') {
    const char *const end = depth == 0 && *c == '>' ? three(c, '>') : NULL;
    if (end != NULL && *skip_spaces(end) == '(') {
      *behind = end;
      return c;
    }
    const char *const after = skip_literal(source, c);
    if (after != c) {
      c = after;
      continue;
    }
    if (strchr("([{", *c) != NULL) depth++;
    if (strchr(")]}", *c) != NULL) depth--;
    if (depth < 0 || (depth == 0 && *c == ';')) break;
    c += c[0] == '-' && c[1] == '>' ? 2 : 1;
  }
  fail(source, begin - 3, "a launch whose <<< has no >>>( to close it");
}

// ---- the launch ---------------------------------------------------------------------------------

static void append_literal(Text *out, const char *text) {
  append(out, "\"", 1);
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '"' || *c == '\\') append(out, "\\", 1);
    append(out, c, 1);
  }
  append(out, "\"", 1);
}

// Whether the expression names a kernel that is a template: kernel, a::kernel<1>.
static bool is_template(const char *kernel) {
  const char *name = kernel;
  for (const char *c = kernel; is_name(*c) || *c == ':' || *c == ' '; c++)
    if (*c == ':' || *c == ' ') name = c + 1;
  return is_template_kernel(name, word_length(name));
}

const char *rewrite_null(const Source *source, const char *open, const char *c, Text *out) {
  if (!is_word(c, "0") && !is_word(c, "__null") && !is_word(c, "NULL")) return c;
  // NULL stands between line markers, because a system header defines it.
  const char *const behind = c + word_length(c), *next = skip_spaces(behind);
  while (*next == '#') next = skip_spaces(next + strcspn(next, "\n"));
  size_t end = skip_spaces_back(out->data, out->length);
  for (size_t line = end; line > 0; line--)
    if (out->data[line - 1] == '\n') {
      if (out->data[line] != '#') break;
      end = skip_spaces_back(out->data, line);
      line = end + 1;
    }
  const char before = out->data[end - 1];
  if (strchr("(,", before) == NULL || (*next != ',' && *next != ')')) return c;
  int depth = 0;
  for (const char *d = open; d < c;) {
    const char *const literal = skip_literal(source, d);
    depth += (strchr("([{", *d) != NULL) - (strchr(")]}", *d) != NULL);
    d = literal != d ? literal : d + 1;
  }
  if (depth != 1) return depth == 0 ? NULL : c;
  append_format(out, "cuda_cpu::Null<decltype(%.*s)>{}", (int)(behind - c), c);
  return behind;
}

const char *rewrite_launch(const Source *source, const char *c, Text *out, const char **open) {
  const char *const configuration = launch_opens(c, out);
  const size_t end = skip_spaces_back(out->data, out->length);
  const size_t start = kernel_start(out->data, end);
  if (start == end) fail(source, c, "a launch without the name of a kernel");
  // Once with its line ends, so that the lines below keep their numbers.
  char *const original = checked(strndup(out->data + start, out->length - start));
  char *const kernel = on_one_line(original, end - start);
  // It is repeated four times, so a chain of launches would grow without end.
  if (strstr(kernel, "cuda_cpu::launcher(") != NULL)
    fail(source, c, "a launch in the name of another launch's kernel");
  out->length = start;
  // A pointer in host memory, which is read once, not by each thread.
  const bool is_member = strstr(kernel, "->") != NULL;
  append_format(
      out,
      "cuda_cpu::launcher([=](auto cuda_cpu_) -> decltype(cuda_cpu::signature(cuda_cpu_, "
      "%s)) { return cuda_cpu::signature(cuda_cpu_, %s); }, [=%s%s](auto... cuda_cpu_) -> "
      "decltype(%s(cuda_cpu_...)) { return %s(cuda_cpu_...); }, ",
      original, kernel, is_member ? ", cuda_cpu_kernel = " : "", is_member ? kernel : "", kernel,
      is_member ? "cuda_cpu_kernel" : kernel);
  append_literal(out, kernel);
  append(out, ", ", 2);
  const bool may_deduce = is_template(kernel);
  free(original);
  const char *behind;
  const char *const closing = find_end(source, configuration, &behind);
  append_line_ends(out, c, configuration);
  append(out, configuration, (size_t)(closing - configuration));
  append_line_ends(out, closing, behind);
  append(out, ")", 1);
  free(kernel);
  *open = may_deduce ? skip_spaces(behind) : NULL;
  return behind;
}
