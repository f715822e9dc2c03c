// Handlers of quotients, roots and special functions, for one host instruction set.
#include "ptx/isa/division.h"

#include "ptx/isa/special_functions.h"
#include "sim/exec/lane_code.h"

namespace warptime::sim::inline WARPTIME_ISA {

void add_division(HandlerTable& table) {
  using namespace ptx;
  add_cards<Div, Rem, Rcp, Sqrt, Rsqrt, Sin, Cos, Lg2, Ex2, Tanh>(table);
}

}  // namespace warptime::sim::inline WARPTIME_ISA
