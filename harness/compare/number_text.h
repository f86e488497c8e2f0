// Numbers as the table prints them. Each function writes into `text` and returns it.
#ifndef HARNESS_COMPARE_NUMBER_TEXT_H
#define HARNESS_COMPARE_NUMBER_TEXT_H

#include <stddef.h>

// "1,000,000"
const char *number_grouped(size_t n, char text[32]);

// At most `digits` significant digits and `decimals` decimals, never an exponent. value >= 0.
//   3 digits, 5 decimals:  0.0123, 1.23, 1234
const char *number_short(double value, int digits, int decimals, char text[32]);

// Three digits: "0.43%", "12.3%", "104%". value in percent, >= 0.
const char *number_percent(double value, char text[32]);

#endif
