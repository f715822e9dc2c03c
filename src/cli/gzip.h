// Text as a .gz file has it (RFC 1952); no time and no name in it, so the same text gives the same bytes.
#pragma once

#include <string>
#include <string_view>

namespace warptime::cli {

std::string gzip(std::string_view text);

}  // namespace warptime::cli
