// Handlers of comparison, selection, minimum and maximum, for one host instruction set.
#include "ptx/isa/comparison.h"

#include "ptx/isa/sign_min_max.h"
#include "sim/exec/lane_code.h"

namespace warptime::sim::inline WARPTIME_ISA {

void add_comparison(HandlerTable& table) {
  using namespace ptx;
  add_cards<Setp, Set, Selp, Slct, Abs, Neg, Min, Max, Copysign, Testp>(table);
}

}  // namespace warptime::sim::inline WARPTIME_ISA
