// A fault of the simulated program: it names the PTX line, block, thread, address and cycle, and ends the run (exit
// status 3).
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/source_text.h"

namespace warptime::sim {

struct Fault {
  enum class Kind : uint8_t {
    OutOfBounds,
    Misaligned,
    TensorCopy,
    ReadOnly,
    DivergentBarrier,
    Deadlock,
    Livelock,
    NoProgress,
    CycleLimit,
    Trap,
    BranchIndex,
    BarrierCount,
    BarrierMismatch,
    CallTarget,
    StackOverflow,
    NoTexture,
    OutsideSurface,
    MemberMask,
    PartialWarp,
    PartialWarpgroup,
    Assertion,
    RuntimeArgument,
    Free,
    ExitedBlock,
    Interrupted,
  };
  Kind kind = Kind::OutOfBounds;
  std::string message;  // one sentence
  std::string hint;     // may be several lines ("who waits for what")
  std::string warps;    // lines: what the resident warps did, unless the hint says so
  SourceSpan where;     // the PTX instruction, if there is one
  UserLine user;        // the CUDA line from which it was compiled, if there is one
  bool has_thread = false;
  std::array<uint32_t, 3> block{}, thread{};
  uint64_t address = 0;
  bool has_address = false;
  Cycle cycle = 0;
  bool has_cycle = false;  // functional runs have none

  /// Whether the hint is what the warps do: so it is of a launch that does not end.
  bool hint_has_warps() const { return kind == Kind::Deadlock || kind == Kind::Livelock || kind == Kind::CycleLimit; }
};

/// The fault as a diagnostic: place, line, caret, then block, thread, address and cycle. `all_calls`: with the whole
/// chain of calls that were inlined there.
std::string format_fault(const Fault& fault, bool all_calls = false);

}  // namespace warptime::sim
