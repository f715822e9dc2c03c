// Handlers of logic, shifts, bit fields, moves, for one host instruction set.
#include "ptx/isa/bit_field.h"
#include "ptx/isa/logic_shift.h"
#include "ptx/isa/movement.h"
#include "sim/exec/lane_code.h"

namespace warptime::sim::inline WARPTIME_ISA {

void add_bits(HandlerTable& table) {
  using namespace ptx;
  add_cards<And, Or, Xor, Not, Cnot, Lop3, Shf, Shl, Shr, Prmt, Popc, Clz, Bfind, Brev, Bfe, Bfi, Szext, Bmsk, Mov>(
      table);
}

}  // namespace warptime::sim::inline WARPTIME_ISA
