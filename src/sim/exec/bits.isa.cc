// Handlers of logic, shifts, bit fields, moves, for one host instruction set.
#include "ptx/isa/bit_field.h"
#include "ptx/isa/logic_shift.h"
#include "ptx/isa/movement.h"
#include "sim/exec/lane_code.h"

namespace warptime::sim::inline WARPTIME_ISA {

void add_bits(HandlerTable& table) {
  add_cards(table, ptx::BitFieldCards{});
  add_cards(table, ptx::LogicShiftCards{});
  add_cards(table, ptx::MovementCards{});
}

}  // namespace warptime::sim::inline WARPTIME_ISA
