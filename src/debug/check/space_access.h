// An access of a warp in one state space: a generic access may be several of these.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "sim/exec/lanes_of_mask.h"
#include "sim/gpu/launch_observer.h"

namespace warptime::debug {

struct SpaceAccess {
  const sim::WarpEvent& event;
  const std::array<Addr, sim::kWarpSize>& addresses;  // in the space
  ptx::Space space = ptx::Space::None;
  uint32_t lanes = 0;
  uint32_t bytes = 0;      // of each lane
  bool is_target = false;  // of an asynchronous copy: where to

  uint32_t element_bytes() const {
    return event.insn.has_access() ? event.insn.access().element_bytes : std::min(bytes, 16u);
  }
  bool reads() const { return !is_target && event.insn.effect != ptx::Effect::Store; }
  bool writes() const { return is_target || event.insn.effect == ptx::Effect::Store || is_atomic(); }
  bool is_atomic() const { return event.insn.effect == ptx::Effect::Atomic; }
  /// Whether it stores registers.
  bool has_value() const { return event.insn.effect == ptx::Effect::Store; }
};

/// Where lanes of a copy write.
class CopyTarget {
 public:
  CopyTarget(const sim::SmState& sm, const sim::AsyncCopy& copy, uint32_t lanes)
      : event_{sm, slot_of(sm, copy.block, copy.warp), copy.pc, sm.launch().kernel->insns[copy.pc], lanes},
        access_{event_, to_, ptx::Space::Shared, lanes, copy.bytes, true} {
    for (size_t lane = 0; lane < to_.size(); ++lane) to_[lane] = copy.to[lane];
  }
  CopyTarget(const sim::SmState& sm, const sim::BulkCopy& copy)
      : event_{sm, slot_of(sm, copy.block, copy.thread / sim::kWarpSize), copy.pc, sm.launch().kernel->insns[copy.pc],
               1u << copy.thread % sim::kWarpSize},
        access_{event_, to_, ptx::Space::Shared, event_.lanes, copy.extent(), true} {
    to_.fill(copy.to);
  }
  CopyTarget(const CopyTarget&) = delete;
  CopyTarget& operator=(const CopyTarget&) = delete;
  const SpaceAccess& access() const { return access_; }

  static uint32_t slot_of(const sim::SmState& sm, uint32_t block, uint32_t warp) {
    uint32_t slot = 0;
    while (slot + 1 < sm.warp_slots() && (sm.warp(slot).slot_of_block != block || sm.warp(slot).index_in_block != warp))
      ++slot;
    return slot;
  }

 private:
  sim::WarpEvent event_;
  std::array<Addr, sim::kWarpSize> to_{};
  SpaceAccess access_;
};

/// The barrier that the warps of `slots` have waited at.
inline sim::SmState::BarrierUse barrier_of_waiting(const sim::SmState& sm, uint64_t slots) {
  const sim::Warp& warp = sm.warp(static_cast<uint32_t>(std::countr_zero(slots)));
  return sm.barrier_use(warp, sm.staying_lanes(warp), sm.insn(warp.barrier_pc));
}

/// The least and the greatest address of some lanes, and the bits that any of them has.
struct AddressBounds {
  Addr low = ~Addr{0}, high = 0, bits = 0;

  explicit AddressBounds(const SpaceAccess& access) {
    auto add = [&](Addr address) {
      low = address < low ? address : low;
      high = address > high ? address : high;
      bits |= address;
    };
    if (access.lanes == sim::kFullMask) {  // in a shape that compilers turn into vector code
      for (Addr address : access.addresses) add(address);
    } else {
      sim::for_lanes_of(access.lanes, [&](uint32_t lane) { add(access.addresses[lane]); });
    }
  }
};

}  // namespace warptime::debug
