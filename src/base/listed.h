// The beginning of a list of names, for sentences: five names say more than three hundred.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace warptime {

/// "a, b, c, d, e and 12 more": at most five names.
inline std::string listed(const std::vector<std::string_view>& names, std::string_view separator = ", ") {
  constexpr size_t kMost = 5;
  const size_t shown = std::min(names.size(), kMost);
  std::string out =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<ptrdiff_t>(shown), separator));
  return shown == names.size() ? out : out + fmt::format(" and {} more", names.size() - shown);
}

}  // namespace warptime
