// The tornado chart of a what-if: gnuplot's script, with all that it draws.
#pragma once

#include <string>
#include <vector>

#include "host/whatif/tornado.h"

namespace warptime::cli {

/// The first `top` bars; there is at least one.
std::string tornado_chart(const std::vector<host::TornadoBar>& bars, size_t top, const std::string& title);

}  // namespace warptime::cli
