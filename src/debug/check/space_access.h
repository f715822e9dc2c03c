// An access of a warp in one state space: a generic access may be several of these.
#pragma once

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
  uint32_t bytes = 0;  // of each lane

  uint32_t element_bytes() const { return event.insn.access().element_bytes; }
  bool reads() const { return event.insn.effect != ptx::Effect::Store; }
  bool writes() const { return event.insn.effect != ptx::Effect::Load; }
  bool is_atomic() const { return event.insn.effect == ptx::Effect::Atomic; }
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
