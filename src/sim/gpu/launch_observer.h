// The events of a functional launch, for a tool that observes it: every instruction, the addresses of every access
// before it is performed, arrivals at barriers, exits, the device heap; and what the host program does with device
// memory.
// Checkers derive from it. A launch with an observer uses one host thread, so that the order of the events is that of
// the simulated program and the same in every run. Without one, nothing of this is compiled in (functional_sm.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sim/exec/insn.h"
#include "sim/fault.h"
#include "sim/gpu/launch_listener.h"
#include "sim/model/texture.h"
#include "sim/state/async_operations.h"
#include "sim/state/fault_record.h"
#include "sim/state/sm_state.h"

namespace warptime::sim {

/// A warp at an instruction; `lanes`: those whose guard is true.
struct WarpEvent {
  const SmState& sm;
  uint32_t slot = 0;
  uint32_t pc = 0;
  const Insn& insn;
  uint32_t lanes = 0;

  const Warp& warp() const { return sm.warp(slot); }
};

/// A thread's call of malloc or free, after it was answered.
struct HeapEvent {
  FaultRecord where;  // thread and instruction
  bool is_free = false;
  uint64_t argument = 0;  // bytes, or the address to be freed
  Addr result = 0;        // of malloc
  bool refused = false;   // free() of an address where no block begins
};

class LaunchObserver : public LaunchListener {
 public:
  LaunchObserver() : LaunchListener({.observer = this}) {}
  LaunchObserver(const LaunchObserver&) = delete;
  LaunchObserver& operator=(const LaunchObserver&) = delete;

  /// Whether executes() is called for instructions that compute lanes only.
  virtual bool needs_all_instructions() const { return false; }
  /// A seed for another order of the launch's blocks, warps and lanes (adversary.h).
  virtual std::optional<uint64_t> adversarial_seed() const { return std::nullopt; }
  virtual void begins(const LaunchContext& /*launch*/) {}
  /// `fault`: what ended it, if it did not end by itself.
  virtual void ends(const Fault* /*fault*/) {}

  /// A block starts in the warp slots of `slots`, one bit each.
  virtual void starts(const SmState& /*sm*/, uint64_t /*slots*/) {}
  /// The instruction is about to execute; `lanes` may be empty.
  virtual void executes(const WarpEvent& /*event*/) {}
  /// A load, store or atomic operation is about to be performed; `addresses` are in its space. Returns the lanes that
  /// are to perform it: others load zero, or store nothing.
  virtual uint32_t accesses(const WarpEvent& event, const std::array<Addr, kWarpSize>& /*addresses*/) {
    return event.lanes;
  }
  /// A copy to shared memory is about to begin, `to` these offsets, and accesses() is called of what it reads. Returns
  /// the lanes that are to perform it.
  virtual uint32_t copies(const WarpEvent& event, const std::array<Addr, kWarpSize>& /*to*/) { return event.lanes; }
  /// It has begun.
  virtual void began(const SmState& /*sm*/, const AsyncCopy& /*copy*/) {}
  virtual void began(const SmState& /*sm*/, const BulkCopy& /*copy*/) {}
  /// A thread's bulk copy is about to be performed.
  virtual void bulk(const WarpEvent& /*event*/, const LoadStore::BulkRange& /*range*/,
                    std::span<const TensorPiece> /*pieces*/) {}
  virtual void arrived(const SmState& /*sm*/, const BulkCopy& /*copy*/) {}
  /// The bytes of these lanes of a copy have arrived. `arrival`: at the mbarrier object that counts them; nullptr:
  /// their threads wait for them.
  virtual void copied(const SmState& /*sm*/, const AsyncCopy& /*copy*/, uint32_t /*lanes*/,
                      const AsyncArrival* /*arrival*/) {}
  /// Lanes go on after the barrier of their cluster.
  virtual void left_cluster(const WarpEvent& /*event*/) {}
  /// A thread has used an mbarrier object.
  virtual void used(const SmState& /*sm*/, const MbarrierUse& /*use*/) {}
  /// A texture fetch is about to be performed. Returns the lanes that are to perform it: others load zero.
  virtual uint32_t fetches(const WarpEvent& event) { return event.lanes; }
  /// Lanes have arrived at a barrier, or have exited: with the warps that this released.
  virtual void arrived(const WarpEvent& /*event*/, const SmState::Arrival& /*arrival*/) {}
  virtual void exits(const WarpEvent& /*event*/) {}
  virtual void exited(const WarpEvent& /*event*/, const SmState::Exited& /*exited*/) {}
  virtual void heap(const LaunchContext& /*launch*/, const HeapEvent& /*event*/) {}

  // The host program.
  virtual void host_allocates(Addr /*begin*/, uint64_t /*bytes*/, bool /*is_written*/) {}
  virtual void host_writes(Addr /*begin*/, uint64_t /*bytes*/) {}
  virtual void host_copies(Addr /*to*/, Addr /*from*/, uint64_t /*bytes*/) {}
  virtual void host_frees(Addr /*begin*/, uint64_t /*bytes*/) {}
};

}  // namespace warptime::sim
