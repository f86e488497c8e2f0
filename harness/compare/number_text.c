#include "harness/compare/number_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *number_grouped(size_t n, char text[32]) {
  char digits[24];
  const int length = snprintf(digits, sizeof digits, "%zu", n);
  int at = 0;
  for (int i = 0; i < length; i++) {
    if (i > 0 && (length - i) % 3 == 0) text[at++] = ',';
    text[at++] = digits[i];
  }
  text[at] = '\0';
  return text;
}

const char *number_short(double value, int digits, int decimals, char text[32]) {
  // The exponent after rounding: 9.996 has two digits before its point.
  char rounded[40];
  snprintf(rounded, sizeof rounded, "%.*e", digits - 1, value);
  const char *const exponent = strchr(rounded, 'e');  // NULL: infinite, or not a number
  const int wanted = exponent == NULL ? 0 : digits - 1 - (int)strtol(exponent + 1, NULL, 10);
  snprintf(text, 32, "%.*f", wanted < 0 ? 0 : wanted > decimals ? decimals : wanted, value);
  return text;
}

const char *number_percent(double value, char text[32]) {
  char digits[32];
  snprintf(text, 32, "%.30s%%", number_short(value, 3, 2, digits));
  return text;
}
