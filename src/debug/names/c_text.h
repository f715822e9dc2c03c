// Values of C as text: "{x = 1, y = 2}", "{0.5, 1.5, ...}", "0x10000 (in + 16)".
#pragma once

#include <string>

#include "debug/names/lane_view.h"

namespace warptime::debug {

/// Where a value of C is in a thread.
struct CLocation {
  ptx::Space space = ptx::Space::None;
  Addr address = 0;
  std::optional<uint32_t> reg = {};  // or: in this register
};

/// Where a variable is now; nullopt: nowhere, or its register has no value. `why`: then a sentence about it without its
/// name, "has no value here: ...".
std::optional<CLocation> locate(const LaneView& lane, const CVariable& variable, std::string* why = nullptr);
/// The number at a place, of a scalar or pointer type; nullopt: it cannot be read.
std::optional<Value> c_value(const LaneView& lane, uint32_t type, const CLocation& at);
/// `format`: of format_value, for each number.
std::string c_text(const LaneView& lane, uint32_t type, const CLocation& at, char format = 0);
/// An address, and the buffer that it is in.
std::string pointer_text(const LaneView& lane, uint64_t address);

}  // namespace warptime::debug
