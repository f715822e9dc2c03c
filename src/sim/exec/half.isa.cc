// Handlers of half-precision arithmetic and comparison, for one host instruction set.
#include "ptx/isa/arithmetic.h"
#include "ptx/isa/comparison.h"
#include "ptx/isa/sign_min_max.h"
#include "ptx/isa/special_functions.h"
#include "sim/exec/half_code.h"

namespace warptime::sim::inline WARPTIME_ISA {

void add_halves(HandlerTable& table);
void add_halves(HandlerTable& table) {
  using namespace ptx;
  add_half_cards<Add, Sub, Mul, Fma, Abs, Neg, Min, Max, Ex2, Tanh, Setp, Set>(table);
}

}  // namespace warptime::sim::inline WARPTIME_ISA
