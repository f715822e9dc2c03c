// Handlers on registers whose lanes are others than theirs. map_f64_to_f32: f64 instructions execute as those for f32;
// registers and memory keep the f64 of the value (8 bytes, as the host writes and reads them), sources are narrowed,
// the f32 instruction's lanes run, its result is widened. And cvt with floating-point registers that are wider than
// their types (PTX ISA 9.0, 9.4.1): sources are cut, a result is extended with zeros. Integers in wide registers have
// handlers of their own (conversion_lanes.h).
#pragma once

#include <array>
#include <optional>

#include "sim/exec/insn.h"

namespace warptime::sim {

/// A handler, and the lanes of each operand in its register and in the handler.
struct LaneWidths {
  struct Operand {
    uint8_t in_register = 0, in_handler = 0;  // bytes; 0: a predicate, or none
    bool is_single_for_double = false;
  };
  Handler run = nullptr;
  std::array<Operand, 4> sources{};
  Operand result;
};

/// The f32 instruction that stands for one of f64; nullopt if there is none.
std::optional<ptx::Instruction> as_single(const ptx::Instruction& in);

/// Runs the handler of the payload's LaneWidths.
void run_with_lane_widths(const WarpValues& warp, const Insn& insn, uint32_t mask);

}  // namespace warptime::sim
