// Values that a shuffle has read from a lane that does not execute it: they are undefined (PTX ISA 9.0, 9.7.9.6). Sums
// over part of a warp read such lanes and never use what they got; so the values are followed through registers, lane
// by lane, until one is stored, is an address, or decides a branch. Left out: what is kept in local memory or passed to
// functions.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "debug/check/finding.h"

namespace warptime::debug {

class UndefinedLanes {
 public:
  explicit UndefinedLanes(Findings& findings) : findings_(findings) {}

  /// Whether the launch has shuffles: then every instruction matters.
  bool follows() const { return has_shuffles_; }
  void begins(const sim::LaunchContext& launch);
  void starts(const sim::SmState& sm, uint64_t slots);
  void executes(const sim::WarpEvent& event);

 private:
  struct WarpLanes {
    std::vector<uint32_t> undefined;  // by register: its lanes
    std::vector<uint32_t> from;       // by register: the shuffle
    uint32_t registers = 0;           // that have undefined lanes
  };
  /// What an instruction reads and writes.
  struct Uses {
    std::vector<uint32_t> reads, writes;  // registers, the guard not among them
    bool is_shuffle = false, is_select = false, combines_lanes = false, is_use = false;
  };
  /// Lanes of one origin.
  struct Lanes {
    uint32_t lanes = 0, from = ptx::kNoIndex;
    void add(uint32_t more, uint32_t origin) {
      if (lanes == 0) from = origin;
      lanes |= more;
    }
  };

  static Uses uses_of(const ptx::Kernel& kernel, const ptx::Instruction& instruction);
  WarpLanes& warp_of(const sim::SmState& sm, uint32_t slot);
  Lanes read_by(const sim::WarpEvent& event, const WarpLanes& warp, const Uses& uses) const;
  Lanes shuffled(const sim::WarpEvent& event, const WarpLanes& warp, const Uses& uses);
  void set(WarpLanes& warp, uint32_t reg, uint32_t written, const Lanes& by);
  void report(const sim::WarpEvent& event, const Lanes& used);

  Findings& findings_;
  const sim::LaunchContext* launch_ = nullptr;
  bool has_shuffles_ = false;
  std::vector<Uses> uses_;                             // by instruction
  std::vector<WarpLanes> warps_;                       // by SM and warp slot
  std::map<uint32_t, std::array<uint32_t, 2>> first_;  // by shuffle: a lane, and the one that it read
};

}  // namespace warptime::debug
