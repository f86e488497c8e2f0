// Warns of a warp's old reduction: volatile memory and no __syncwarp() between statements such as
//
// s[t] += s[t + 16];
// s[t] += s[t + 8];
//
// It needs lanes in lockstep. Here they are not, and the sum is wrong.
#include <string.h>

#include "translate.h"

static bool same_word(const char *a, const char *b) {
  const size_t length = word_length(a);
  return length == word_length(b) && strncmp(a, b, length) == 0;
}

// s[...] = ... s[another place] ...; returns s, or null.
static const char *array_of_exchange(const Source *source, const char *c, const char *end) {
  for (; c < end; c++) {
    if (!is_name(*c) || is_name(c[-1])) continue;
    const char *const open = skip_spaces(c + word_length(c));
    if (*open != '[') continue;
    const char *const close = find_closing(source, open + 1, "]");
    const char *sign = skip_spaces(close + 1);
    if (*sign != '\0' && strchr("+*&|^", *sign) != NULL) sign++;
    if (sign[0] != '=' || sign[1] == '=') continue;
    for (const char *other = sign; other < end; other++) {
      if (is_name(other[-1]) || !same_word(other, c)) continue;
      const char *const index = skip_spaces(other + word_length(other));
      if (*index == '[' && strncmp(index, open, (size_t)(close + 1 - open)) != 0) return c;
    }
    return NULL;
  }
  return NULL;
}

// Whether a declaration in front of `array`, in the same function, makes it volatile.
static bool is_volatile(const char *function, const char *array) {
  bool declares = false;
  for (const char *c = function + 1; c < array; c++) {
    if (strchr(",;=(){}", *c) != NULL) declares = false;
    if (!is_name(*c) || is_name(c[-1])) continue;
    if (is_word(c, "volatile")) declares = true;
    if (declares && same_word(c, array)) return true;
  }
  return false;
}

void warn_of_lockstep(const Source *source, Lockstep *lockstep, const char *statement,
                      const char *end) {
  const char *const array = array_of_exchange(source, statement, end);
  if (array != NULL && lockstep->array != NULL && same_word(array, lockstep->array) &&
      lockstep->warned_of != lockstep->function && is_volatile(lockstep->function, array)) {
    lockstep->warned_of = lockstep->function;
    report(source, array,
           "warning: lanes exchange values in volatile memory with no __syncwarp() between: the "
           "result is wrong, since they are not in lockstep here");
  }
  lockstep->array = array;
}
