#include "harness/process/parse.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double MAX_SIZE = 1e15;  // beyond any device; exact in a double

// A decimal number without sign, "inf", "nan" or hexadecimal digits, which strtod would take too.
static double decimal(const char *text, char **end) {
  *end = (char *)text;
  if (!isdigit((unsigned char)*text) || (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')))
    return NAN;
  return strtod(text, end);
}

// The factor of a suffix K, M, G, Ki, Mi, Gi; moves *text behind it. 1 without one.
static double suffix(char **text) {
  static const char letters[] = "KMG";
  const char *const letter = **text == '\0' ? NULL : strchr(letters, **text);
  if (letter == NULL) return 1.0;
  (*text)++;
  const bool binary = **text == 'i';
  *text += binary;
  return pow(binary ? 1024.0 : 1000.0, (double)(letter - letters + 1));
}

bool parse_size(const char *text, uint64_t *value) {
  char *end = NULL;
  double number = decimal(text, &end);
  if (end == text) return false;
  if (*end == '^') {
    const char *const exponent = end + 1;
    number = pow(number, decimal(exponent, &end));
    if (end == exponent) return false;
  } else {
    number *= suffix(&end);
  }
  if (*end != '\0' || !(number >= 0.0 && number <= MAX_SIZE) || number != floor(number))
    return false;
  *value = (uint64_t)number;
  return true;
}

// FROM..TO, FROM..TOxF or FROM..TO+S. False if it is none, or if it has more values than fit.
static bool parse_range(const char *text, const char *dots, uint64_t *values, int *count, int max) {
  char from[32], to[32];
  const size_t length = strcspn(dots + 2, "x+");
  snprintf(from, sizeof from, "%.*s", (int)(dots - text), text);
  snprintf(to, sizeof to, "%.*s", (int)length, dots + 2);
  const char step_kind = dots[2 + length];
  uint64_t first = 0, last = 0, step = 2;
  const bool good = (size_t)(dots - text) < sizeof from && length < sizeof to &&
                    parse_size(from, &first) && parse_size(to, &last) &&
                    (step_kind == '\0' || parse_size(dots + 3 + length, &step));
  const bool adds = step_kind == '+';
  if (!good || first > last || step < (adds ? 1 : 2) || (!adds && first == 0)) return false;
  for (uint64_t value = first; *count < max; value = adds ? value + step : value * step) {
    values[(*count)++] = value;
    if (adds ? last - value < step : value > last / step) return true;
  }
  return false;
}

const char *parse_sizes(const char *text, uint64_t *values, int *count, int max) {
  static char sentence[160];
  while (true) {
    char item[100];
    const size_t length = strcspn(text, ",");
    snprintf(item, sizeof item, "%.*s", (int)(length < sizeof item ? length : sizeof item), text);
    const char *const dots = strstr(item, "..");
    bool good = length < sizeof item && *count < max;
    if (good && dots != NULL) {
      good = parse_range(item, dots, values, count, max);
    } else if (good) {
      good = parse_size(item, &values[*count]);
      *count += good;
    }
    if (!good && *count == max)
      snprintf(sentence, sizeof sentence, "there are more than %d values at '%.60s'", max, item);
    else if (!good)
      snprintf(sentence, sizeof sentence, "'%.60s' is not a %s", item,
               dots != NULL ? "range like 1M..8M (doubling), 1K..1Gx10 or 100..500+100"
                            : "number like 1000, 1e6, 64K, 1M or 2^28");
    if (!good) return sentence;
    if (text[length] == '\0') return NULL;
    text += length + 1;
  }
}

bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *value) {
  if (*text == '\0' || strspn(text, "0123456789") != strlen(text)) return false;
  errno = 0;
  const unsigned long long number = strtoull(text, NULL, 10);
  if (errno != 0 || number < min || number > max) return false;
  *value = number;
  return true;
}

bool parse_percent(const char *text, double *fraction) {
  char *end = NULL;
  const double number = decimal(text, &end);
  if (end == text) return false;
  end += *end == '%';
  if (*end != '\0' || !(number <= 100.0)) return false;
  *fraction = number / 100.0;
  return true;
}

bool parse_seconds(const char *text, double *seconds) {
  char *end = NULL;
  const double number = decimal(text, &end);
  if (end == text) return false;
  const double unit = *end == 'm' ? 60.0 : 1.0;
  end += *end == 'm' || *end == 's';
  if (*end != '\0' || !(number > 0.0 && number * unit <= 86400.0)) return false;
  *seconds = number * unit;
  return true;
}
