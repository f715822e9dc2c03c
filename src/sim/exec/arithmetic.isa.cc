// Handlers of sums and products, for one host instruction set.
#include "ptx/isa/arithmetic.h"

#include "sim/exec/lane_code.h"

namespace warptime::sim::inline WARPTIME_ISA {

void add_arithmetic(HandlerTable& table) { add_cards(table, ptx::ArithmeticCards{}); }

}  // namespace warptime::sim::inline WARPTIME_ISA
