// Handlers of half-precision arithmetic and comparison, and of what computes on two integers or f32 in a register, for
// one host instruction set.
#include "ptx/isa/arithmetic.h"
#include "ptx/isa/comparison.h"
#include "ptx/isa/sign_min_max.h"
#include "ptx/isa/special_functions.h"
#include "sim/exec/half_code.h"
#include "sim/exec/packed_code.h"

namespace warptime::sim::inline WARPTIME_ISA {

void add_halves(HandlerTable& table);
void add_halves(HandlerTable& table) {
  add_half_cards(table, ptx::ArithmeticCards{});
  add_half_cards(table, ptx::ComparisonCards{});
  add_half_cards(table, ptx::SignMinMaxCards{});
  add_half_cards(table, ptx::SpecialFunctionCards{});
  add_packed_cards(table, ptx::ArithmeticCards{});
  add_packed_cards(table, ptx::SignMinMaxCards{});
}

}  // namespace warptime::sim::inline WARPTIME_ISA
