// What instructions other than arithmetic and accesses to memory do to a warp, its block and the counters, at once. It
// is the same in timed runs, which add cycles and waits (sm_effects.h), and in functional ones, which add rounds and
// observers (gpu/functional_sm.cc).
#pragma once

#include <cstdint>

#include "sim/core/sm_counters.h"
#include "sim/state/runtime_calls.h"
#include "sim/state/sm_state.h"
#include "sim/state/spin_watch.h"

namespace warptime::sim {

/// What an effect changes.
struct EffectSite {
  SmState& state;
  const LoadStore& load_store;
  SpinWatch& watch;
  RuntimeCalls* runtime_calls;
  SmCounters& counters;
  FaultRecord& fault;
  uint64_t clock;  // what %clock reads
  Cycle now;       // without time: 0
};

/// What it has done.
struct EffectDone {
  bool moved = false;                           // the warp is where it goes on; else it is still at the instruction
  bool waits = false;                           // for the answer of a call of the runtime
  SmState::Arrival arrival = {.waits = false};  // at a barrier
  SmState::Exited exited = {};
};

/// `lanes`, whose guard is true, execute the instruction. `effect` is the instruction's: where it is a constant, the
/// rest of this function vanishes. In case of a fault, what is returned is not to be used.
[[gnu::always_inline]] inline EffectDone perform(const EffectSite& at, uint32_t slot, const Insn& insn,
                                                 ptx::Effect effect, uint32_t lanes) {
  using ptx::Effect;
  Warp& warp = at.state.warp(slot);
  const uint32_t pc = warp.stack.pc(), active = warp.stack.active();
  EffectDone done;
  switch (effect) {
    case Effect::Branch:
      if (insn.guard != kNoPredicate) ++at.counters.divergence.branches;
      if (warp.stack.branch(lanes, insn.branch().target, insn.branch().reconvergence)) {
        ++at.counters.divergence.divergent_branches;
        at.counters.diverged(pc, active, lanes);
      }
      break;
    case Effect::IndexedBranch:
    case Effect::Call:
    case Effect::Return: at.state.jump(slot, insn, lanes, at.counters.divergence, at.fault); break;
    case Effect::Clock:
      at.state.set_clocks(warp, at.clock);
      at.watch.did_anything();
      if (lanes != 0) insn.run(warp.values, insn, lanes);
      return done;
    case Effect::Collective:
      at.state.collective(slot, insn, lanes, at.fault);
      done.moved = true;
      return done;
    case Effect::Matrix:
      done.moved = at.state.wait_for_warp(slot);
      if (done.moved) return done;
      if (lanes == kFullMask) insn.run(warp.values, insn, lanes);
      else if (lanes != 0) at.state.partial_warp(slot, lanes, at.fault);
      return done;
    case Effect::AsyncMatrix:
      done.moved = at.state.wait_for_warp(slot);
      if (done.moved) return done;
      if (lanes == kFullMask) at.state.product(slot, insn, at.fault);
      else if (lanes != 0) at.state.partial_warp(slot, lanes, at.fault);
      return done;
    case Effect::Barrier:
      if (lanes == 0) return done;
      at.watch.arrived(slot, insn);
      done.arrival = at.state.arrive(slot, lanes, insn, at.fault);
      done.moved = at.state.independent_lanes();
      return done;
    case Effect::RuntimeCall:
      if (lanes == 0) return done;
      done.waits = at.runtime_calls->call(at.state, at.load_store, slot, insn, lanes, at.now, at.fault);
      return done;
    case Effect::Exit:
      if (lanes == 0) return done;
      done.exited = at.state.exit(slot, lanes, at.fault);
      done.moved = true;
      return done;
    case Effect::Trap:
      if (lanes == 0) return done;
      at.fault.kind = Fault::Kind::Trap;
      at.fault.raised = true;
      at.state.locate(at.fault, slot, lanes);
      return done;
    case Effect::None:
    case Effect::Nop:
    case Effect::Load:
    case Effect::Store:
    case Effect::Atomic:
    case Effect::AsyncCopy:
    case Effect::BulkCopy:
    case Effect::Async:
    case Effect::Texture:
    case Effect::Fence: return done;
  }
  done.moved = true;
  if (at.watch.on()) [[unlikely]]
    at.watch.jumped(slot, pc);
  return done;
}

}  // namespace warptime::sim
