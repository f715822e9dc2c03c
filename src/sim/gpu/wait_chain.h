// Why a launch cannot go on, as one chain: who waits for whom, from a first waiting warp on, until the chain closes or
// ends with something that never comes. Each link is a line of the report.
//
// A warp at a barrier waits for a warp of its block that has not come there. Lanes in a loop that polls memory wait for
// threads that have left the loop: lanes of the same warp that lockstep holds back, else warps of the same block, else
// of any; else for a block that has no place yet. Who wrote the polled value is not recorded, so this is what the code
// makes likely, not a proof.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/state/sm_state.h"
#include "sim/state/spin_watch.h"

namespace warptime::sim {

/// Lanes of a warp that wait at an instruction.
struct WaitingLanes {
  uint32_t pc = 0;
  uint32_t lanes = 0;
};

/// Where the lanes of a warp that waits at a barrier are; of independent lanes each group has its own place.
std::vector<WaitingLanes> lanes_at_barrier(const SmState& state, const Warp& warp);

/// "k.cu:7", or "PTX line 12" where there is no line of the user.
std::string line_text(const LaunchContext& launch, uint32_t pc);

/// Whether it reads memory that other threads may write.
bool may_poll(const Insn& insn);
/// Whether an instruction of the loop writes the register that `of` has its address in.
bool writes_address(const CompiledKernel& kernel, SpinWatch::Loop loop, const Insn& of);

/// "lock[0] at 0x10000": an address in memory with its variable or buffer.
std::string address_text(const LaunchContext& launch, const Insn& insn, Addr address);

/// Blocks of the launch that have not begun.
struct BlocksLeft {
  uint64_t first = 0, count = 0;
};

class WaitChain {
 public:
  explicit WaitChain(BlocksLeft left) : left_(left) {}
  /// `watch`: the loops of the SM's warps are those that it found; nullptr: its warps are in no loop.
  void add(const SmState& state, const SpinWatch* watch) { sms_.push_back({&state, watch}); }

  /// The lines, each with its end; empty if no warp waits.
  std::string text() const;
  /// The instruction at which the chain begins.
  std::optional<uint32_t> first_pc() const;

 private:
  struct Sm {
    const SmState* state;
    const SpinWatch* watch;
  };
  struct Link {
    size_t sm = 0;
    uint32_t slot = 0;
    bool held = false;  // its lanes that have left the loop in which the others are
    bool operator==(const Link&) const = default;
  };
  std::optional<Link> first() const;
  std::optional<Link> next(const Link& link) const;
  std::optional<Link> past_the_loop(const Link& from) const;
  std::optional<SpinWatch::Loop> loop_of(const Link& link) const;
  std::string link_text(const Link& link) const;
  std::string barrier_text(const Link& link) const;
  std::string loop_text(const Link& link, SpinWatch::Loop loop) const;
  std::string held_text(const Link& link) const;
  std::string end_text(const Link& last) const;
  const Warp& warp(const Link& link) const { return sms_[link.sm].state->warp(link.slot); }

  BlocksLeft left_;
  std::vector<Sm> sms_;
};

}  // namespace warptime::sim
