// The scoreboard: when each register of each warp may be used, and what it waits for until then. Cycle and reason are
// one number, with the cycle in the upper bits, so that the maximum of several waits is the latest one with its reason.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "sim/model/stall.h"
#include "sim/native/native_insn.h"

namespace warptime::sim {

/// (cycle, reason), ordered by cycle.
struct Wait {
  uint64_t key = 0;

  static constexpr unsigned kReasonBits = 8;
  static_assert(kStallCount <= (1u << kReasonBits));

  static constexpr Cycle kUnknown = Cycle{1} << 55;  // no simulation comes so far

  static constexpr Wait until(Cycle cycle, Stall reason) {
    return {(cycle << kReasonBits) | static_cast<uint64_t>(reason)};
  }
  /// Until an event whose time is not known yet: later than any cycle.
  static constexpr Wait unknown(Stall reason) { return until(kUnknown, reason); }

  constexpr Cycle cycle() const { return key >> kReasonBits; }
  constexpr Stall reason() const { return static_cast<Stall>(key & ((1u << kReasonBits) - 1)); }
  constexpr bool known() const { return cycle() < kUnknown; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(key);
    archive.expect((key & ((1u << kReasonBits) - 1)) < kStallCount);
  }
};
constexpr Wait latest(Wait a, Wait b) { return {std::max(a.key, b.key)}; }

class Scoreboard {
 public:
  /// `slots` register rows and predicates for each of `warps` warps.
  explicit Scoreboard(uint32_t warps, uint32_t slots = 0) : warps_(warps) { require(slots); }

  /// Warps of a kernel with so many slots are to come.
  void require(uint32_t slots) {
    if (slots <= slots_) return;
    std::vector<Wait> waits(size_t{warps_} * slots);
    for (size_t i = 0; i < waits_.size(); ++i) waits[i / slots_ * slots + i % slots_] = waits_[i];
    waits_ = std::move(waits);
    slots_ = slots;
  }

  void clear(uint32_t warp) {
    std::fill_n(waits_.begin() + static_cast<ptrdiff_t>(size_t{warp} * slots_), slots_, Wait{});
  }

  /// The wait of the instruction: for its guard, sources and destinations (read after write, write after write).
  Wait needed(uint32_t warp, const NativeProgram& program, const NativeInsn& insn) const {
    Wait wait = first_needed(warp, insn);
    for (size_t i = insn.waits.size(); i < program.wait_count(insn); ++i)
      wait = latest(wait, waits_[size_t{warp} * slots_ + program.wait(insn, i)]);
    return wait;
  }
  /// The wait of an instruction that depends on at most four slots.
  Wait first_needed(uint32_t warp, const NativeInsn& insn) const {
    const Wait* row = waits_.data() + size_t{warp} * slots_;
    // Unused entries repeat another one, or name a slot that is never written: a loop of variable length would cause
    // branch mispredictions on the host.
    const auto& slots = insn.waits;
    return latest(latest(row[slots[0]], row[slots[1]]), latest(row[slots[2]], row[slots[3]]));
  }

  /// The wait for all slots of a list.
  Wait needed(uint32_t warp, std::span<const uint16_t> slots) const {
    Wait wait;
    for (uint16_t slot : slots) wait = latest(wait, waits_[size_t{warp} * slots_ + slot]);
    return wait;
  }

  /// The wait for one register row, or predicate.
  Wait of(uint32_t warp, uint32_t slot) const { return waits_[size_t{warp} * slots_ + slot]; }

  /// The instruction's results may be used after `wait`.
  void set_results(uint32_t warp, const NativeProgram& program, const NativeInsn& insn, Wait wait) {
    Wait* row = waits_.data() + size_t{warp} * slots_;
    row[insn.writes[0]] = wait;
    row[insn.writes[1]] = wait;
    if (insn.write_count > insn.writes.size()) [[unlikely]]
      set_more_results(row, program, insn, wait);
  }

 private:
  [[gnu::noinline]] static void set_more_results(Wait* row, const NativeProgram& program, const NativeInsn& insn,
                                                 Wait wait) {
    for (size_t i = insn.writes.size(); i < insn.write_count; ++i) row[program.write(insn, i)] = wait;
  }

  uint32_t warps_, slots_ = 0;
  std::vector<Wait> waits_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive.table(waits_);
  }
};

}  // namespace warptime::sim
