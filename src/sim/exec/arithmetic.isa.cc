// Handlers of sums and products, for one host instruction set.
#include "ptx/isa/arithmetic.h"

#include "sim/exec/lane_code.h"

namespace warptime::sim::inline WARPTIME_ISA {

void add_arithmetic(HandlerTable& table) {
  using namespace ptx;
  add_cards<Add, Sub, Mul, Mad, Fma, Mul24, Mad24, Sad, Dp2a, Dp4a>(table);
}

}  // namespace warptime::sim::inline WARPTIME_ISA
