// Handlers of comparison, selection, minimum and maximum, for one host instruction set.
#include "ptx/isa/comparison.h"

#include "ptx/isa/sign_min_max.h"
#include "sim/exec/lane_code.h"

namespace warptime::sim::inline WARPTIME_ISA {

void add_comparison(HandlerTable& table) {
  add_cards(table, ptx::ComparisonCards{});
  add_cards(table, ptx::SignMinMaxCards{});
}

}  // namespace warptime::sim::inline WARPTIME_ISA
