#include "cli/commit.h"

#include <fmt/format.h>

#include "base/fnv.h"
#include "host/report/report.h"

namespace warptime::cli {

std::string program_build() { return fmt::format("{} ({})", host::version(), commit()); }

std::string build_digits() {
  Fnv1a hash;
  hash.mix(program_build());
  return hash.digits().substr(0, 6);
}

}  // namespace warptime::cli
