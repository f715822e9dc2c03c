// A count with its noun, for sentences: "1 byte", "3 launches".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace warptime {

/// "1 byte", "3 bytes".
inline std::string plural(uint64_t count, std::string_view one) {
  return std::to_string(count) + " " + std::string(one) + (count == 1 ? "" : "s");
}
/// A count of a noun whose plural is not formed with an s: plural(n, "launch", "launches").
inline std::string plural(uint64_t count, std::string_view one, std::string_view several) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : several);
}

}  // namespace warptime
