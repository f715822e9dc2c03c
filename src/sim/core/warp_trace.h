// The observer of an SM that records the state of its warps in every cycle, as a TraceLog (model/trace.h), and if that
// asks for them its accesses to memory (access_recorder.h).
#pragma once

#include <array>
#include <cstdint>

#include "sim/core/access_recorder.h"
#include "sim/core/observer.h"
#include "sim/model/trace.h"

namespace warptime::sim {

class WarpTrace : public NoObserver {
 public:
  static constexpr bool kOn = true;
  static constexpr bool kAddresses = true;

  void record(TraceLog* log) { log_ = log; }
  bool recording() const { return log_ != nullptr; }
  /// Records also the accesses of this SM, traced or not.
  void record_accesses(AccessLog* log, uint32_t sm, const MachineConfig& machine) {
    accesses_.record(log, sm, machine, log_);
  }
  bool wants_addresses() const { return accesses_.on(); }

  void starts(uint32_t slot, Cycle cycle, uint64_t block, uint32_t index_in_block);
  void waited(uint32_t slot, uint32_t pc, Cycle able, Stall reason, Cycle free, Stall busy, Cycle now);
  void accesses(uint32_t slot, uint32_t pc, const Insn& insn, uint32_t lanes,
                const std::array<Addr, kWarpSize>& addresses, Cycle now) {
    accesses_.accesses(slot, pc, insn, lanes, addresses, now);
  }
  void sent(uint32_t slot, uint32_t pc, const Insn& insn, const MemoryAccess& access, uint32_t load, Cycle now) {
    if (accesses_.on()) accesses_.sent(slot, pc, insn, access, load, now);
  }
  void answered(uint32_t load, Cycle cycle) {
    if (accesses_.on()) accesses_.answered(load, cycle);
  }
  void prepared(uint32_t slot, const ControlFlow& stack) {
    if (accesses_.on()) accesses_.stack(slot, stack, warps_[slot].issued);
  }
  void visible(uint32_t, const PendingStore& store, Cycle cycle) {
    if (accesses_.on()) accesses_.visible(store, cycle);
  }
  void issued(uint32_t slot, uint32_t pc, uint32_t active, uint32_t lanes, Cycle until);
  void arrives(uint32_t slot, uint32_t barrier);
  void released(uint32_t slot, uint32_t pc, Cycle cycle, Stall reason);
  void ends(uint32_t slot);
  void queue(Cycle now, uint32_t transactions);

 private:
  struct RecordedWarp {
    uint32_t warp = 0;    // index in TraceLog::warps
    Cycle recorded = 0;   // its states are recorded up to here
    Cycle issued = 0;     // end of its last issue
    uint32_t active = 0;  // its active lanes
  };
  void state(uint32_t slot, TraceEvent event, Cycle until);
  void moment(uint32_t slot, TraceEvent event, Cycle cycle);

  TraceLog* log_ = nullptr;  // nullptr: this SM is not recorded
  AccessRecorder accesses_;
  std::array<RecordedWarp, kMaxTracedSlots> warps_{};
};

}  // namespace warptime::sim
