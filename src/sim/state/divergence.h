// Divergence of one warp as a policy that the machine chooses (`sm.reconvergence`): which lanes run next, and where the
// others wait. ControlFlow (control_flow.h) holds what runs, and asks the policy only where lanes part, meet, call,
// return, exit or wait for each other. Each policy is a class in a file of its own, behind a function of the factory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/module.h"
#include "sim/exec/insn.h"
#include "sim/model/machine.h"

namespace warptime {
class StateReader;
class StateWriter;
}  // namespace warptime

namespace warptime::sim {

/// Barrier numbers: no barrier; lanes wait for others of their member mask, or for all at an instruction of the warp.
inline constexpr uint32_t kNoBarrier = ~uint32_t{0}, kMembers = kNoBarrier - 1, kWholeWarp = kNoBarrier - 2;

/// What a warp executes next: all that an instruction without control flow needs.
struct Running {
  uint32_t pc = 0;
  uint32_t reconvergence = ptx::kNoIndex;  // where the active lanes meet others; kNoIndex: nowhere
  uint32_t active = 0;                     // lanes that execute the instruction at pc
  uint32_t live = 0;                       // lanes that have not exited
  bool reports_jumps = false;              // the policy has to know of branches that all active lanes take, too

  template <class Archive>
  void serialize(Archive& archive) {
    archive(pc, reconvergence, active, live);
    archive.expect(live == 0 || pc < archive.limits.code);
  }
};

/// Lanes that go on together.
struct LanePath {
  uint32_t pc, reconvergence, lanes;

  template <class Archive>
  void serialize(Archive& archive) {
    archive.index(pc, archive.limits.code + 1);
    archive(reconvergence, lanes);
  }
};

/// Each function that is given what runs leaves there what runs next.
class Divergence {
 public:
  virtual ~Divergence() = default;
  virtual void start(const Running& now) = 0;
  /// The active lanes have reached now.reconvergence.
  virtual void reconverge(Running& now) = 0;
  // Each as the function of ControlFlow that calls it. Branches that do not part lanes come here only with
  // `reports_jumps`.
  virtual bool branch(Running& now, uint32_t taken, uint32_t target, uint32_t reconvergence) = 0;
  virtual bool branch(Running& now, uint32_t lanes, const std::array<uint32_t, 32>& targets,
                      uint32_t reconvergence) = 0;
  virtual void call(Running& now, uint32_t lanes, uint32_t target, uint32_t again) = 0;
  virtual void ret(Running& now, uint32_t lanes) = 0;
  /// They are not in now.live any more.
  virtual void exit(Running& now, uint32_t lanes) = 0;
  virtual uint32_t calls() const = 0;
  virtual uint32_t caller(uint32_t frame) const = 0;
  virtual std::vector<LanePath> waiting(const Running& now) const = 0;
  virtual void append_state(const Running& now, std::vector<uint32_t>& out) const = 0;
  virtual void save(StateWriter& archive, Running& now) = 0;
  virtual void restore(StateReader& archive, Running& now) = 0;

  // Lanes in lockstep wait together, so that only SmState need know where.
  virtual uint32_t awaited_barrier() const { return kNoBarrier; }
  virtual bool at_barriers() const { return false; }
  virtual void park(Running& /*now*/, uint32_t /*lanes*/, uint32_t /*barrier*/) {}
  virtual void release(Running& /*now*/) {}
  virtual void wait_for_members(Running& /*now*/, uint32_t /*lanes*/, Handler /*kind*/,
                                const std::array<uint32_t, 32>& /*masks*/) {}
  virtual std::vector<LanePath> release_members(Running& /*now*/) { return {}; }
  virtual void wait_for_warp(Running& /*now*/) {}
  virtual uint32_t choices() const { return 0; }
  virtual void reorder(Running& /*now*/, uint32_t /*parting*/, uint32_t /*first*/) {}
};

std::unique_ptr<Divergence> make_stack_divergence();
std::unique_ptr<Divergence> make_independent_lanes();

inline std::unique_ptr<Divergence> make_divergence(Reconvergence choice) {
  switch (choice) {
    case Reconvergence::stack: return make_stack_divergence();
    case Reconvergence::independent: return make_independent_lanes();
  }
  return nullptr;
}

}  // namespace warptime::sim
