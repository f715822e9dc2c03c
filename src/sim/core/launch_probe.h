// An observer (observer.h) for a debugger: reports selected instructions, before and after they execute.
// The debugger finds out in which cycle it must stop; it then runs the launch up to that cycle anew, so that no SM ever
// stops within a step.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "sim/core/observer.h"
#include "sim/state/sm_state.h"

namespace warptime::sim {

struct ProbeEvent {
  enum class Kind : uint8_t {
    Issues,    // about to execute
    Accesses,  // the same, with the addresses of a load, store or atomic operation
    Issued,    // has executed; branches, barriers and exits have not changed the warp's control flow yet
  };
  Kind kind = Kind::Issues;
  const SmState* sm = nullptr;
  uint32_t slot = 0, pc = 0;
  uint32_t active = 0;  // active lanes; of Accesses the same as `lanes`
  uint32_t lanes = 0;   // of these, those whose guard is true
  Cycle cycle = 0;      // of the issue
  // With Issues: what the warp waited for since its last instruction, and how long.
  Stall reason = Stall::NoWarp;
  Cycle waited = 0;
  const std::array<Addr, kWarpSize>* addresses = nullptr;  // of Accesses, in the space of the instruction
};

/// What is reported, and to whom. It may change between the steps of a session.
struct LaunchProbe {
  static constexpr uint8_t bit(ProbeEvent::Kind kind) {
    return static_cast<uint8_t>(1u << static_cast<unsigned>(kind));
  }

  void (*report)(void* self, const ProbeEvent& event) = nullptr;
  void* self = nullptr;
  std::vector<uint8_t> wanted;     // by pc: bits of the kinds
  std::vector<uint64_t> followed;  // by SM: warp slots of which every instruction is reported, before and after
  bool wants_accesses = false;     // some `wanted` has Accesses
};

class ProbeObserver : public NoObserver {
 public:
  static constexpr bool kProbes = true;
  static constexpr bool kAddresses = true;

  void attach(const LaunchProbe* probe, const SmState* sm) {
    probe_ = probe;
    sm_ = sm;
  }

  bool wants_addresses() const { return probe_->wants_accesses; }
  void issues(uint32_t slot, uint32_t pc, uint32_t active, uint32_t lanes, Stall reason, Cycle waited, Cycle now) {
    now_ = now;
    if (wants(slot, pc, ProbeEvent::Kind::Issues)) [[unlikely]]
      probe_->report(probe_->self, {ProbeEvent::Kind::Issues, sm_, slot, pc, active, lanes, now, reason, waited});
  }
  void accesses(uint32_t slot, uint32_t pc, const Insn&, uint32_t lanes, const std::array<Addr, kWarpSize>& addresses,
                Cycle now) {
    if ((probe_->wanted[pc] & LaunchProbe::bit(ProbeEvent::Kind::Accesses)) != 0)
      probe_->report(probe_->self,
                     {ProbeEvent::Kind::Accesses, sm_, slot, pc, lanes, lanes, now, Stall::NoWarp, 0, &addresses});
  }
  void issued(uint32_t slot, uint32_t pc, uint32_t active, uint32_t lanes, Cycle) {
    if (wants(slot, pc, ProbeEvent::Kind::Issued)) [[unlikely]]
      probe_->report(probe_->self, {ProbeEvent::Kind::Issued, sm_, slot, pc, active, lanes, now_});
  }

 private:
  bool wants(uint32_t slot, uint32_t pc, ProbeEvent::Kind kind) const {
    return (probe_->wanted[pc] & LaunchProbe::bit(kind)) != 0 || ((probe_->followed[sm_->index()] >> slot) & 1) != 0;
  }

  const LaunchProbe* probe_ = nullptr;
  const SmState* sm_ = nullptr;
  Cycle now_ = 0;  // of the instruction that issues
};

}  // namespace warptime::sim
