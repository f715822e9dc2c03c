// The exponent of a power of two.
#pragma once

#include <bit>
#include <cstdint>

namespace warptime {

constexpr uint32_t log2_of(uint32_t power_of_two) { return static_cast<uint32_t>(std::countr_zero(power_of_two)); }

}  // namespace warptime
