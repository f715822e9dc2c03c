// The counters of an SM. All statistics that follow from the execution counts of the PTX instructions (thread
// instructions, flops, native instructions) are computed from them at the end.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/zero_pages.h"
#include "sim/exec/insn.h"
#include "sim/model/statistics.h"
#include "sim/state/load_store.h"

namespace warptime::sim {

/// The execution counts of one PTX instruction.
struct ExecutionCounters {
  uint64_t warp_instructions;
  uint64_t thread_instructions;  // while it is counted: minus the lanes that did not execute it (SmCounters::completed)

  template <class Archive>
  void serialize(Archive& archive) {
    archive(warp_instructions, thread_instructions);
  }
};

/// The sub-core cycles that are charged to one PTX instruction.
struct SlotCounters {
  uint64_t issued;  // cycles in which it occupied a sub-core
  StallCounts stalls;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(issued, stalls);
  }
};

/// Without std::popcount, which is a library call on hosts whose baseline has no instruction for it.
inline uint32_t count_lanes(uint32_t lanes) {
  if (lanes == kFullMask) return kWarpSize;
  lanes -= (lanes >> 1) & 0x55555555;
  lanes = (lanes & 0x33333333) + ((lanes >> 2) & 0x33333333);
  return (((lanes + (lanes >> 4)) & 0x0f0f0f0f) * 0x01010101) >> 24;
}

struct SmCounters : SmStatistics {
  /// One row for each instruction. Allocated on use, because programs may be long and many SMs idle.
  ZeroTable<ExecutionCounters> instructions;
  /// One row for each instruction, and a last one for cycles without a warp. If cycles are not requested by
  /// instruction, a single row has all of them.
  ZeroTable<SlotCounters> slots;
  /// One row for each instruction, if asked for.
  ZeroTable<LineStatistics> lines;
  std::array<uint64_t, ptx::kUnits.size()> pipe_busy{};  // cycles, by ptx::Unit

  SmCounters(size_t instruction_count, bool by_instruction, bool with_lines = false)
      : instructions(instruction_count),
        slots(by_instruction ? instruction_count + 1 : 1),
        lines(with_lines ? instruction_count : 0),
        slot_mask_(by_instruction ? ~uint32_t{0} : 0),
        has_lines_(with_lines) {}
  SlotCounters& slots_of(uint32_t pc) { return slots[pc & slot_mask_]; }
  SlotCounters& no_instruction() { return slots.back(); }
  bool by_instruction() const { return slot_mask_ != 0; }
  bool has_lines() const { return has_lines_; }
  PipeBusy pipes() const {
    auto of = [this](ptx::Unit unit) { return pipe_busy[static_cast<size_t>(unit)]; };
#define BUSY(unused, name, ...) of(ptx::Unit::name),
    return {PTX_PIPES(BUSY, ) of(ptx::Unit::Memory)};
#undef BUSY
  }

  /// By `lanes` of the warp, which has `live` ones: lanes of a thread that has not exited. Warps of which all lanes
  /// execute are not counted apart: completed() finds their number.
  void executed(uint32_t pc, uint32_t lanes, uint32_t live) {
    ExecutionCounters& row = instructions[pc];
    ++row.warp_instructions;
    if (lanes != kFullMask) [[unlikely]]
      executed_by_some(row, lanes, live);
  }
  /// An instruction that executed() has counted was not executed after all.
  void take_back(uint32_t pc, uint32_t lanes, uint32_t live) {
    ExecutionCounters& row = instructions[pc];
    --row.warp_instructions;
    if (lanes == kFullMask) return;
    const uint32_t count = count_lanes(lanes);
    row.thread_instructions += kWarpSize - count;
    --active_lanes_histogram[count];
    divergence.absent_lanes -= kWarpSize - count_lanes(live);
  }
  /// Charges those of so many issue slots that are not charged yet: other launches used them.
  void charge_rest(uint64_t all_slots);
  /// With what executed() leaves out.
  SmCounters completed() &&;
  SmCounters completed() const& { return SmCounters(*this).completed(); }
  void accessed(const Insn& insn, uint32_t lanes, const MemoryAccess& access) {
    if (access.on_chip && access.chip_space == ptx::Space::Shared) {
      ++shared.accesses;
      shared.conflict_passes += access.replays;
    }
    if (!access.off_chip) return;
    bool store = insn.effect == ptx::Effect::Store, atomic = insn.effect == ptx::Effect::Atomic;
    ++(atomic ? global.atomics : store ? global.stores : global.loads);
    global.coalesced += access.coalesced;
    global.uncoalesced += access.uncoalesced;
    global.transactions += access.count;
    global.bytes_requested += uint64_t{lanes} * insn.access().bytes();
  }
  /// A part of a bulk copy.
  void copied(const MemoryAccess& access, bool loads, bool reduces, uint32_t bytes) {
    ++(reduces ? global.atomics : loads ? global.loads : global.stores);
    global.coalesced += access.coalesced;
    global.uncoalesced += access.uncoalesced;
    global.transactions += access.count;
    global.bytes_requested += bytes;
  }
  /// Counts an access for its line; `load_store` has performed it.
  void accessed_by(uint32_t pc, const Insn& insn, uint32_t lanes, const MemoryAccess& access,
                   const LoadStore& load_store);
  /// At a branch, `taken` of the `active` lanes went another way than the rest.
  void diverged(uint32_t pc, uint32_t active, uint32_t taken) {
    if (!has_lines()) [[likely]]
      return;
    LineDivergence& line = lines[pc].divergence;
    ++line.branches;
    line.lanes_taken += count_lanes(taken);
    line.lanes_not_taken += count_lanes(active & ~taken);
  }

 private:
  [[gnu::noinline]] void executed_by_some(ExecutionCounters& row, uint32_t lanes, uint32_t live);

  uint32_t slot_mask_;
  bool has_lines_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    zip_groups(*this, *this, [&](const StatGroup&, auto& group, const auto&) { archive(group); });
    archive.table(instructions);
    archive.table(slots);
    archive.table(lines);
    archive(pipe_busy);
  }
};

}  // namespace warptime::sim
