// Values of PTX types as text ("1048576", "-2.5", "0xff") and as bytes: arguments, buffers, constants. The types are
// those of a launch file; packed and predicate types are not supported.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/isa/types.h"

namespace warptime::host {

/// u8 s8 b8 u16 s16 b16 f16 u32 s32 b32 f32 u64 s64 b64 f64, in this order.
const std::vector<std::string_view>& value_type_names();
std::optional<ptx::Type> value_type(std::string_view name);

/// The value's bits (in the low bytes), or nullopt, with the reason in `why`. Integers may be decimal or 0x..., floats
/// also 0f... and 0d... (the bits, as in PTX). A `b` type accepts values that fit it as signed or unsigned.
std::optional<uint64_t> parse_value(ptx::Type type, std::string_view text, std::string* why);

/// The nearest value of the type (floats: rounded to nearest even; integers: truncated, wrapping).
uint64_t encode_value(ptx::Type type, double value);
double decode_value(ptx::Type type, uint64_t bits);

/// Reads or writes element `index` of an array.
uint64_t load_element(ptx::Type type, std::span<const std::byte> bytes, uint64_t index);
void store_element(ptx::Type type, std::span<std::byte> bytes, uint64_t index, uint64_t bits);

/// How two values, given by their bits, compare; a NaN is unordered.
std::partial_ordering order_of(ptx::Type type, uint64_t a, uint64_t b);

/// Distance in units in the last place; integers: the difference. Two NaN are equal; the distance of a NaN and a number
/// is the maximum.
uint64_t ulp_distance(ptx::Type type, uint64_t a, uint64_t b);

}  // namespace warptime::host
