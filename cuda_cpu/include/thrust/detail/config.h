// In front of Thrust's own header of this name, which would choose nvcc's dialect by __CUDACC__.
#pragma once

#pragma push_macro("__CUDACC__")
#undef __CUDACC__
#include_next <thrust/detail/config.h>
#pragma pop_macro("__CUDACC__")
