// cvt with floating-point registers that are wider than their types (PTX ISA 9.0, 9.4.1): sources are cut, a result is
// extended with zeros. Integers in wide registers have handlers of their own (conversion_lanes.h).
#pragma once

#include "sim/exec/single_for_double.h"

namespace warptime::sim {

/// Runs insn.single's handler on rows as wide as the types (insn.width); `source_is_double` and `result_is_double` mark
/// those that stay as they are.
void run_with_wide_registers(const WarpValues& warp, const Insn& insn, uint32_t mask);

}  // namespace warptime::sim
