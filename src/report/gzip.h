// Compresses text to the .gz format (RFC 1952), without time and name, so that the same text gives the same bytes.
#pragma once

#include <string>
#include <string_view>

namespace warptime::report {

std::string gzip(std::string_view text);

}  // namespace warptime::report
