#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

#include "base/foreign_state.h"
#include "base/standard_streams.h"

namespace warptime {

void assertion_failed(const char* file, int line, const char* condition, const std::string& sentence) {
  std::fflush(stdout);
  if (std::string text = foreign_state_failure(sentence); !text.empty()) {
    print_error(text);
    std::_Exit(kForeignStateStatus);
  }
  print_error(
      fmt::format("warptime: internal fault: {}\n  at {}:{}: {}\n  This is a mistake in warptime, not in your input.\n",
                  sentence, file, line, condition));
  std::_Exit(4);
}

}  // namespace warptime
