#include "sim/native/instruction_time.h"

namespace warptime::sim {

SetTime& set_time_of(NativeCost cost) {
  switch (cost) {
    case NativeCost::ptx: break;
    case NativeCost::g80:
    case NativeCost::g80_rotate: return set_g80_time;
  }
  return set_ptx_time;
}

}  // namespace warptime::sim
