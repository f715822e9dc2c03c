// What the warp in each slot of an SM is doing, in time: its status, what its next instruction waits for, and how far
// its cycles are accounted for. The hardware's counterpart is the valid and ready bits beside the warp schedulers.
//
// Every slot has exactly one status. The slots of each status are also a bit mask, because warp schedulers choose among
// all warps at once. Left out: whether the warp has the code of its next instruction (InstructionFetch), which pipe
// that needs (Pipes) and when it is ready (ReadySet) change at every issue, and whoever needs them needs masks.
#pragma once

#include <array>
#include <cstdint>

#include "base/clock.h"
#include "sim/core/ready_set.h"
#include "sim/core/scoreboard.h"

namespace warptime::sim {

enum class WarpStatus : uint8_t {
  Empty,         // the slot has no warp
  Runnable,      // the warp may issue from a known cycle on, or when its code has been fetched
  AwaitsLoad,    // its next instruction needs a value that is under way
  AtBarrier,     // until the other warps of the block have arrived
  AtFence,       // until its stores are acknowledged
  BeforeAtomic,  // its load reads what an atomic operation under way changes
  RuntimeCall,   // until its call of malloc or free is answered
};
inline constexpr size_t kWarpStatuses = 7;

class WarpTable {
 public:
  /// A cache line of the host, so that an issue touches one.
  struct alignas(64) Row {
    Wait wait;             // what the next instruction waits for
    Wait earliest;         // of a warp that awaits a load: the part that is not the scoreboard's
    Cycle started = 0;     // when the warp came
    Cycle accounted = 0;   // its cycles are charged up to here
    uint8_t sub_core = 0;  // whose warp scheduler it belongs to
    WarpStatus status = WarpStatus::Empty;
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
  /// The warp waits for an event outside of its own instructions: a trace shows when it ends.
  bool is_suspended(uint32_t slot) const { return rows_[slot].status >= WarpStatus::AtBarrier; }

  void start(uint32_t slot, Cycle cycle) {
    rows_[slot].started = rows_[slot].accounted = cycle;
    set(slot, WarpStatus::Runnable);
  }
  void set(uint32_t slot, WarpStatus status) {
    uint64_t bit = uint64_t{1} << slot;
    slots_[static_cast<size_t>(rows_[slot].status)] &= ~bit;
    slots_[static_cast<size_t>(status)] |= bit;
    rows_[slot].status = status;
  }
  /// The warp cannot issue until an event that has no cycle yet.
  void suspend(uint32_t slot, WarpStatus status, Stall reason) {
    rows_[slot].wait = Wait::unknown(reason);
    set(slot, status);
  }

 private:
  std::array<Row, ReadySet::kMaxWarps> rows_{};
  std::array<uint64_t, kWarpStatuses> slots_{};
};

}  // namespace warptime::sim
