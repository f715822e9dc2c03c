#include "cpu/counted.h"

namespace warptime::cpu::counted {

namespace {

Cycle mul(Cycle ready) { return CpuCore::current().execute(CpuOperation::mul, ready); }
Cycle add(Cycle ready) { return CpuCore::current().execute(CpuOperation::add, ready); }
Cycle estimate(Cycle ready) { return CpuCore::current().execute(CpuOperation::estimate, ready); }

}  // namespace

// r (2 - x r)
Cycle packed_reciprocal(Cycle ready) { return mul(add(mul(estimate(ready)))); }

// (r / 2) (3 - (x r) r); the half is ready by then.
Cycle packed_reciprocal_root(Cycle ready) {
  Cycle r = estimate(ready);
  Cycle difference = add(mul(mul(r)));
  mul(r);
  return mul(difference);
}

}  // namespace warptime::cpu::counted
