// Handlers of quotients, roots and special functions, for one host instruction set.
#include "ptx/isa/division.h"

#include "ptx/isa/special_functions.h"
#include "sim/exec/lane_code.h"

namespace warptime::sim::inline WARPTIME_ISA {

void add_division(HandlerTable& table) {
  add_cards(table, ptx::DivisionCards{});
  add_cards(table, ptx::SpecialFunctionCards{});
}

}  // namespace warptime::sim::inline WARPTIME_ISA
