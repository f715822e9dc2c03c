// map_f64_to_f32: f64 instructions execute as those for f32. Registers and memory keep the f64 of the value (8 bytes,
// as the host writes and reads them); sources are narrowed, the f32 instruction's lanes run, its result is widened.
#pragma once

#include <array>
#include <optional>

#include "sim/exec/insn.h"

namespace warptime::sim {

struct SingleForDouble {
  Handler run = nullptr;                  // of the f32 instruction
  std::array<uint8_t, 4> source_bytes{};  // of a lane in each source's row; 0: a predicate, or none
  std::array<bool, 4> source_is_double{};
  uint8_t result_bytes = 0;  // of a lane in the destination's row; 0: a predicate
  bool result_is_double = false;
};

/// The f32 instruction that stands for one of f64; nullopt if there is none.
std::optional<ptx::Instruction> as_single(const ptx::Instruction& in);

/// The handler of such an instruction: insn.single says what there is to do.
void run_single_for_double(const WarpValues& warp, const Insn& insn, uint32_t mask);

}  // namespace warptime::sim
