// The header of a .npy file: a Python dictionary with the keys descr, fortran_order and shape
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
#ifndef HARNESS_NPY_HEADER_H
#define HARNESS_NPY_HEADER_H

#include <stddef.h>

#include "harness/process/message.h"

// Reads a header of one dimension of '<u4', such as {'descr': '<u4', 'fortran_order': False,
// 'shape': (3,), }, and the number of elements. Failure: false, and the end of a sentence whose
// subject is the file.
bool npy_header_read(const char *header, size_t *n, Message *reason);

#endif
