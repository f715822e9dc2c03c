// A fault as an SM records it: numbers only. The chip converts the earliest one to a Fault with a message.
#pragma once

#include <cstdint>

#include "ptx/module.h"
#include "sim/fault.h"

namespace warptime::sim {

struct RuntimeError;

struct FaultRecord {
  Fault::Kind kind = Fault::Kind::OutOfBounds;
  bool raised = false;
  bool is_store = false;
  ptx::Space space = ptx::Space::None;
  uint16_t sm = 0;
  uint16_t launch = 0;  // LaunchContext::number
  uint32_t pc = 0;
  uint64_t block = 0;   // linear in the grid
  uint32_t thread = 0;  // linear in the block
  Addr address = 0;     // in its space
  uint32_t bytes = 0;
  uint64_t limit = 0;  // size of the space, where it has one; BranchIndex: how many there are, and `address` the index;
                       // StackOverflow: bytes, and `bytes` how many calls; BarrierCount: the barrier, and `bytes` the
                       // count; BarrierMismatch: the barrier, and `address` and `bytes` what its counts are;
                       // MemberMask: `address` is the mask; TensorCopy: a TensorProblem
  uint32_t lanes = 0;  // DivergentBarrier: lanes at the barrier; BarrierMismatch: those of the warp that came first
  uint32_t live = 0;   // DivergentBarrier: lanes that have not exited and are not about to
  const RuntimeError* runtime = nullptr;  // Assertion, RuntimeArgument, Free: the words, which belong to the SM
  Cycle cycle = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(kind, raised, is_store, space, sm, launch, pc, block, thread, address, bytes, limit, lanes, live, cycle);
  }
};

}  // namespace warptime::sim
