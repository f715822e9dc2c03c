// The operations of atom and red on one word.
#pragma once

#include <cstdint>

#include "ptx/isa/types.h"

namespace warptime::sim {

/// 128 bits are two words of 64, which change together (AtomicPayload::compares).
inline constexpr uint32_t kWideWordBytes = 16;

/// The word's new value from its old one and the operands b and c (cas: c if old == b). Words narrower than 64 bits are
/// in the low bits; higher ones of the result are zero.
using AtomicOperation = uint64_t (*)(uint64_t old, uint64_t b, uint64_t c);

/// The operation that `mods` names, on a word of `type`. `flush`: f32 addition takes subnormals for zero, as in global
/// memory (PTX ISA 9.7.13.13).
AtomicOperation atomic_operation(ptx::ModSet mods, ptx::Type type, bool flush);

}  // namespace warptime::sim
