// The instantiations of an SM: whether every issue slot and every warp's cycles are charged to a reason (`kStalls`),
// and which observer it has. Unused parts are not compiled in.
#pragma once

#include "sim/core/block_counter.h"
#include "sim/core/launch_probe.h"
#include "sim/core/observer.h"
#include "sim/core/warp_trace.h"

namespace warptime::sim {

struct Attributed {
  static constexpr bool kStalls = true;
  using Observer = NoObserver;
};
struct Unattributed {
  static constexpr bool kStalls = false;
  using Observer = NoObserver;
};
struct Traced {
  static constexpr bool kStalls = true;
  using Observer = WarpTrace;
};
struct Counted {
  static constexpr bool kStalls = true;
  using Observer = BlockCounter;
};
struct Probed {
  static constexpr bool kStalls = true;
  using Observer = ProbeObserver;
};

}  // namespace warptime::sim
