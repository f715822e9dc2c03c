// Values of calls: copies between the registers and .param variables of a caller and a device function.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/decode/compiled_kernel.h"

namespace warptime::sim {

/// The values that a call copies.
void transfer(const WarpValues& warp, std::span<const Transfer> list, uint32_t mask);
/// transfer() in two steps, for calls that change rows in between: read all values, then write them.
void take_values(const WarpValues& warp, std::span<const Transfer> list, uint32_t mask, std::vector<std::byte>& out);
void put_values(const WarpValues& warp, std::span<const Transfer> list, uint32_t mask,
                const std::vector<std::byte>& from);

}  // namespace warptime::sim
