// A trace: the state of the warps of one SM in every cycle (core/warp_trace.h records it).
//
// From its first cycle to its last a warp is in exactly one state: it issues, waits for a reason, or is ready while
// another warp issues. A wait has the reason that ended last, except that a barrier, a fence and an instruction fetch
// are separate from the waits before and after them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "sim/model/stall.h"

namespace warptime::sim {

/// Warp slots of an SM.
inline constexpr uint32_t kMaxTracedSlots = 64;

/// One warp's stay on the SM.
struct TracedWarp {
  uint32_t slot = 0;   // of the SM; another warp gets it afterwards
  uint64_t block = 0;  // linear in the grid
  uint32_t index_in_block = 0;
  Cycle begin = 0;
  Cycle end = kNever;
};

struct TraceEvent {
  enum class Kind : uint8_t {
    Issue,    // its sub-core is held by instruction `pc`, executed for `lanes` of `active`
    Stall,    // waits for `reason` before it can issue instruction `pc`
    Ready,    // could issue; another warp went first
    Mask,     // at `begin` the active lanes become `active`
    Arrive,   // at `begin` it has reached barrier `barrier`
    Release,  // at `begin` the barrier lets it go
  };
  Kind kind = Kind::Ready;
  Stall reason = Stall::NoWarp;
  uint32_t warp = 0;         // in TraceLog::warps
  Cycle begin = 0, end = 0;  // of a state: [begin, end), empty for the second of two that issue together
  uint32_t pc = 0;           // instruction index in the kernel
  uint32_t active = 0;       // lanes that are at this instruction
  uint32_t lanes = 0;        // of these, lanes that execute it: whose guard is true, or, of a branch, all
  uint32_t barrier = 0;

  bool is_state() const { return kind == Kind::Issue || kind == Kind::Stall || kind == Kind::Ready; }
};

struct AccessLog;

struct TraceLog {
  // What to record.
  uint64_t launch = 0;  // which of the device's launches
  uint32_t sm = 0;
  Cycle from = 0, to = kNever;
  AccessLog* accesses = nullptr;  // also the chip's accesses to memory (access_log.h)

  // What was recorded: everything that touches [from, to); a warp's events in order, but not those of different warps.
  struct QueueLength {
    Cycle cycle = 0;
    uint32_t transactions = 0;
  };
  std::vector<TracedWarp> warps = {};  // all that were on the SM
  std::vector<TraceEvent> events = {};
  std::vector<QueueLength> queue = {};  // of the SM's memory queue, polled when it issues and at every step

  /// The launch was cut short at this cycle: what SMs had done beyond it does not count.
  void close(Cycle at);
};

}  // namespace warptime::sim
