// Return addresses as places in the source.
#ifndef CUDA_CPU_LINES_H
#define CUDA_CPU_LINES_H

#include <cstdint>
#include <string>

namespace cuda_cpu {

// "radix_v1/student_func.cu:57" of the call that returns to `pc`, by the debug information. Of
// functions inlined into each other, the innermost that is not cuda_cpu's, with the outermost
// in parentheses. The address itself if there is no such information.
std::string line_of(std::uintptr_t pc);

// As above, for a chain of calls, innermost first: the first one in CUDA code or, where there is
// none, the first one outside cuda_cpu.
std::string line_of_caller(void *const *pc, int count);

// The innermost line of such a chain that is neither cuda_cpu's nor the system's, or kUnknownLine.
// Empty if the path of an inner line contains `library`: the library caused it, not its caller.
// `library` may be null.
inline constexpr const char *kUnknownLine = "an unknown place";
std::string line_of_user(void *const *pc, int count, const char *library);

// The name of the function that begins there, without namespaces, template arguments and
// parameters.
std::string function_at(const void *address);

}  // namespace cuda_cpu
#endif
