// Fills an AccessLog (model/access_log.h) with what one SM does: every SM counts its accesses and samples some of them;
// the traced one also records its requests and the SIMT stacks of its warps, in the window of the trace.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "sim/exec/insn.h"
#include "sim/model/access_log.h"
#include "sim/model/dram_map.h"
#include "sim/model/partition_map.h"
#include "sim/model/trace.h"
#include "sim/state/control_flow.h"
#include "sim/state/load_store.h"

namespace warptime::sim {

class AccessRecorder {
 public:
  /// `traced`: of this SM; nullptr: it only counts.
  void record(AccessLog* log, uint32_t sm, const MachineConfig& machine, const TraceLog* traced);
  bool on() const { return log_ != nullptr; }

  struct WarpPlace {
    uint32_t warp = 0;  // in TraceLog::warps
    uint64_t block = 0;
    uint32_t index_in_block = 0;
  };
  void starts(uint32_t slot, const WarpPlace& place);
  void accesses(uint32_t slot, uint32_t pc, const Insn& insn, uint32_t lanes,
                const std::array<Addr, kWarpSize>& addresses, Cycle now);
  void sent(uint32_t slot, uint32_t pc, const Insn& insn, const MemoryAccess& access, uint32_t load, Cycle now);
  void answered(uint32_t load, Cycle cycle);
  void visible(const PendingStore& store, Cycle cycle);
  /// `cycle`: end of the warp's last issue.
  void stack(uint32_t slot, const ControlFlow& stack, Cycle cycle);

 private:
  static constexpr uint32_t kNoRequest = ~uint32_t{0};

  bool in_window(Cycle cycle) const { return traced_ != nullptr && cycle >= traced_->from && cycle < traced_->to; }
  void count(uint32_t lanes, const std::array<Addr, kWarpSize>& addresses, Cycle now);
  uint32_t begin_request(uint32_t slot, uint32_t pc, const MemoryAccess& access, bool has_bytes, Cycle now);

  AccessLog* log_ = nullptr;
  AccessLog::OfSm* own_ = nullptr;
  const TraceLog* traced_ = nullptr;
  uint32_t sm_ = 0;
  std::optional<PartitionMap> map_;
  std::optional<DramMap> banks_;
  const AccessLog::Buffer* last_buffer_ = nullptr;
  bool open_sample_ = false;  // the issuing instruction's access is the last sample
  std::array<WarpPlace, kMaxTracedSlots> warps_{};
  std::vector<uint32_t> of_load_;  // by the SM's number of the load
  struct Store {
    const PendingStore* store = nullptr;
    uint32_t request = 0;
  };
  std::vector<Store> stores_;  // outstanding
  struct LastStack {
    uint32_t reconvergence = 0, active = 0;
    std::vector<LoggedEntry> entries;
  };
  std::array<LastStack, kMaxTracedSlots> stacks_{};
  std::vector<LoggedEntry> now_;  // the stack that is compared
};

}  // namespace warptime::sim
