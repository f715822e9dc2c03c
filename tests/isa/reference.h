// What each instruction computes, lane by lane, straight from the PTX manual: the judge of the lane code, which shares
// nothing with it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ptx/isa/card.h"

namespace warptime::sim {

/// What was asked: the instruction's spelling, and the target's rules.
struct Spelled {
  std::string_view name;
  ptx::ModSet mods;
  ptx::Type type = ptx::Type::None, type2 = ptx::Type::None;
  bool legacy = false;  // sm_1x

  bool has(ptx::Mod mod) const { return mods.has(mod); }
};

/// Bits of a result in its type's width (a predicate: 0 or 1); `ulps` how far an approximate f32 result may be away.
struct Result {
  uint64_t bits = 0;
  bool second = false;  // the q of p|q
  uint32_t ulps = 0;
};

/// nullopt: this instruction has no reference yet.
using Sources = std::span<const uint64_t>;
std::optional<Result> reference(const Spelled& spelled, Sources sources);

// One for each family; the first that knows the name answers.
std::optional<Result> integer_reference(const Spelled& spelled, Sources sources);
std::optional<Result> bit_reference(const Spelled& spelled, Sources sources);
std::optional<Result> float_reference(const Spelled& spelled, Sources sources);
std::optional<Result> double_reference(const Spelled& spelled, Sources sources);
std::optional<Result> compare_reference(const Spelled& spelled, Sources sources);
std::optional<Result> half_reference(const Spelled& spelled, Sources sources);
std::optional<Result> convert_reference(const Spelled& spelled, Sources sources);

/// Values to try for an operand of a type, the edges first.
std::vector<uint64_t> edge_values(ptx::Type type);
/// Those of an operand of an instruction: where it is rounded to a type of less precision, values around halfway too.
std::vector<uint64_t> operand_values(const Spelled& spelled, ptx::Type type);
/// The few that are worth crossing with each other.
std::vector<uint64_t> core_values(ptx::Type type);

// Helpers of the families.
__extension__ typedef __int128 Wide;
/// The number that an integer type reads from these bits.
Wide number(ptx::Type type, uint64_t bits);
/// The bits of a number in an integer type; what does not fit is cut off.
uint64_t bits_as(ptx::Type type, Wide number);
float to_f32(uint64_t bits);
uint64_t from_f32(float value);
double to_f64(uint64_t bits);
uint64_t from_f64(double value);
/// The number that a half-precision type or tf32 has for these bits.
double narrow_value(ptx::Type type, uint64_t bits);
/// The host's rounding mode (cfenv) for the instruction's.
int host_rounding(const Spelled& spelled);
/// .ftz on an f32 operand or result.
uint64_t flushed(const Spelled& spelled, uint64_t bits);
/// An f32 result after .ftz, the one NaN and .sat.
Result finished(const Spelled& spelled, uint64_t bits, uint32_t ulps = 0);

}  // namespace warptime::sim
