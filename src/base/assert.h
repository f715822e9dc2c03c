// Errors of warptime itself: a violated invariant ends the program here (exit status 4). A user's mistake is a
// Diagnostic, an error of the simulated program a Fault.
#pragma once

#include <fmt/format.h>

#include <string>

namespace warptime {

/// Prints the sentence with its place and ends the program with exit status 4.
[[noreturn]] void assertion_failed(const char* file, int line, const char* condition, const std::string& sentence);

}  // namespace warptime

/// SIM_ASSERT(condition, "sentence with {} for values", values...): always on outside hot loops.
#define SIM_ASSERT(condition, ...)                                                              \
  do {                                                                                          \
    if (!(condition)) [[unlikely]]                                                              \
      ::warptime::assertion_failed(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__)); \
  } while (false)

/// SIM_ASSERT for hot loops: on in Debug and sanitizer builds only.
#ifdef NDEBUG
#define SIM_DEBUG_ASSERT(condition, ...) ((void)0)
#else
#define SIM_DEBUG_ASSERT(condition, ...) SIM_ASSERT(condition, __VA_ARGS__)
#endif
