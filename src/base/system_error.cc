#include "base/system_error.h"

#include <fmt/format.h>

#include <cstring>

namespace warptime {

std::string error_text(int error) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 32)
  const char* text = strerrordesc_np(error);  // std::strerror translates
  if (text != nullptr) return text;
#endif
  return fmt::format("error {} of the system", error);
}

}  // namespace warptime
