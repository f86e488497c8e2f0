// CS344's compare.h: declared so that solutions that include it compile. HW4 judges the sort
// itself.
#ifndef COMMON_CS344_COMPARE_H
#define COMMON_CS344_COMPARE_H

#include <string>

void compareImages(std::string reference_filename, std::string test_filename, bool useEpsCheck,
                   double perPixelError, double globalError);

#endif
