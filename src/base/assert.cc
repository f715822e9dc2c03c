#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace warptime {

void assertion_failed(const char* file, int line, const char* condition, const std::string& sentence) {
  std::fflush(stdout);
  fmt::print(stderr,
             "warptime: internal fault: {}\n  at {}:{}: {}\n  This is a mistake in warptime, not in your input.\n",
             sentence, file, line, condition);
  std::fflush(stderr);
  std::_Exit(4);
}

}  // namespace warptime
