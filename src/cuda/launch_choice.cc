#include "cuda/launch_choice.h"

#include <algorithm>

#include "base/parse_number.h"

namespace warptime::cuda {

bool LaunchChoice::is_timed(uint64_t launch) const {
  const auto has = [launch](const auto& range) { return launch >= range.first && launch < range.second; };
  return launch >= functional_before && (ranges.empty() || std::any_of(ranges.begin(), ranges.end(), has));
}

bool parse_launches(std::string_view text, LaunchChoice& choice) {
  for (bool more = true; more;) {
    const std::string_view item = text.substr(0, text.find(','));
    more = item.size() < text.size();
    text.remove_prefix(item.size() + (more ? 1 : 0));
    const size_t colon = item.find(':');
    uint64_t first = 0, end = ~uint64_t{0};
    auto read = [](std::string_view digits, uint64_t& number) {
      return digits.empty() || parse_number(digits, number) == NumberError::Ok;
    };
    if (item.empty() || !read(item.substr(0, colon), first)) return false;
    if (colon == std::string_view::npos) end = first + 1;
    else if (!read(item.substr(colon + 1), end)) return false;
    if (first >= end) return false;
    choice.ranges.emplace_back(first, end);
  }
  return true;
}

}  // namespace warptime::cuda
