// The timing state of the warp in each slot of an SM: its status, the wait of its next instruction, and the cycle up to
// which its cycles have been charged. In hardware, these are the valid and ready bits of the warp schedulers.
//
// Every slot has exactly one status. The slots of each status are also kept as a bit mask, because warp schedulers
// choose among all warps at once. Not here, because it changes at every issue and is needed as masks: whether the warp
// has fetched its next instruction (InstructionFetch), which pipe that needs (Pipes) and when it is ready (ReadySet).
#pragma once

#include <array>
#include <cstdint>

#include "base/clock.h"
#include "sim/core/kernel_on_sm.h"
#include "sim/core/ready_set.h"
#include "sim/core/scoreboard.h"

namespace warptime::sim {

enum class WarpStatus : uint8_t {
  Empty,         // the slot has no warp
  Runnable,      // the warp may issue from a known cycle on, or when its code has been fetched
  AwaitsLoad,    // its next instruction needs an outstanding value
  AtBarrier,     // until the other warps of the block have arrived
  AtFence,       // until its stores are acknowledged
  BeforeAtomic,  // its load reads words that an outstanding atomic operation changes
  RuntimeCall,   // until its call of malloc or free is answered
  AtCopies,      // until its asynchronous copies are complete
  AtMbarrier,    // until a phase of an mbarrier object is complete, or it gives up
};
inline constexpr size_t kWarpStatuses = 9;

class WarpTable {
 public:
  /// A cache line of the host, so that an issue touches one.
  struct alignas(64) Row {
    Wait wait;                                     // of the next instruction
    Wait earliest;                                 // of a warp that waits for a load: the part without the scoreboard
    Cycle started = 0;                             // when the warp started
    Cycle accounted = 0;                           // its cycles are charged up to here
    uint32_t rest_of_issue = 0, rest_of_pipe = 0;  // of Insn::Time::ByLanes: parts of a cycle, times the warp's threads
    KernelOnSm* kernel = nullptr;                  // of the warp that the slot has, or had last
    uint8_t sub_core = 0;                          // whose warp scheduler it belongs to
    WarpStatus status = WarpStatus::Empty;

    template <class Archive>
    void serialize(Archive& archive) {
      archive(wait, earliest, started, accounted, rest_of_issue, rest_of_pipe, status);
    }
  };

  explicit WarpTable(uint32_t sub_cores) {
    slots_[static_cast<size_t>(WarpStatus::Empty)] = ~uint64_t{0};
    for (uint32_t slot = 0; slot < ReadySet::kMaxWarps; ++slot)
      rows_[slot].sub_core = static_cast<uint8_t>(slot % sub_cores);
  }

  Row& operator[](uint32_t slot) { return rows_[slot]; }
  const Row& operator[](uint32_t slot) const { return rows_[slot]; }

  /// The slots whose warps have this status.
  uint64_t with(WarpStatus status) const { return slots_[static_cast<size_t>(status)]; }
  /// The slots that have a warp.
  uint64_t resident() const { return ~with(WarpStatus::Empty); }
  bool is(uint32_t slot, WarpStatus status) const { return rows_[slot].status == status; }
  /// The warp waits for an event outside of its own instructions, whose end a trace shows.
  bool is_suspended(uint32_t slot) const { return rows_[slot].status >= WarpStatus::AtBarrier; }

  void start(uint32_t slot, KernelOnSm& kernel, Cycle cycle) {
    rows_[slot].kernel = &kernel;
    rows_[slot].started = rows_[slot].accounted = cycle;
    rows_[slot].rest_of_issue = rows_[slot].rest_of_pipe = 0;
    set(slot, WarpStatus::Runnable);
  }
  /// After a restore: all warps are of this kernel.
  void all_of(KernelOnSm& kernel) {
    for (Row& row : rows_) row.kernel = &kernel;
  }
  void set(uint32_t slot, WarpStatus status) {
    uint64_t bit = uint64_t{1} << slot;
    slots_[static_cast<size_t>(rows_[slot].status)] &= ~bit;
    slots_[static_cast<size_t>(status)] |= bit;
    rows_[slot].status = status;
  }
  /// The warp cannot issue until an event whose cycle is not known yet.
  void suspend(uint32_t slot, WarpStatus status, Stall reason) {
    rows_[slot].wait = Wait::unknown(reason);
    set(slot, status);
  }

 private:
  std::array<Row, ReadySet::kMaxWarps> rows_{};
  std::array<uint64_t, kWarpStatuses> slots_{};

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(rows_, slots_);
    std::array<uint64_t, kWarpStatuses> of_rows{};
    for (size_t slot = 0; slot < rows_.size(); ++slot) {
      of_rows[static_cast<size_t>(rows_[slot].status)] |= uint64_t{1} << slot;
      archive.expect(slot < archive.limits.warps || rows_[slot].status == WarpStatus::Empty);
    }
    archive.expect(of_rows == slots_);
  }
};

}  // namespace warptime::sim
