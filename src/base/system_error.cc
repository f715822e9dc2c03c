#include "base/system_error.h"

#include <fmt/format.h>

#include <cstring>

#ifdef __EMSCRIPTEN__
extern "C" const char* strerrordesc_np(int error);
#endif

namespace warptime {

std::string error_text(int error) {
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 32)
  const char* text = strerrordesc_np(error);  // std::strerror translates
  if (text != nullptr) return text;
#endif
#elif defined(__EMSCRIPTEN__)
  return strerrordesc_np(error);  // of src/web/system_calls.cc
#endif
  return fmt::format("error {} of the system", error);
}

}  // namespace warptime
