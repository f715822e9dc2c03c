// Records the accesses of one SM of a functional run for a RequestRecord.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/exec/insn.h"
#include "sim/model/request_record.h"
#include "sim/state/load_store.h"
#include "sim/state/sm_state.h"

namespace warptime::sim {

class RequestRecorder {
 public:
  /// `most_requests`: this SM's share.
  explicit RequestRecorder(uint64_t most_requests) : most_requests_(most_requests) {}

  /// Block `number` has started with the warps of `slots`, one bit per warp slot.
  void starts(uint64_t number, uint64_t slots, const SmState& state);
  void accessed(uint32_t slot, uint32_t pc, const Insn& insn, const MemoryAccess& access);
  void arrived(uint32_t slot, uint32_t pc);
  /// Moves what was recorded to the end of the log.
  void finish(RequestRecord& log);

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  RecordedWarp* of(uint32_t slot) { return of_slot_[slot] == kNone ? nullptr : &warps_[of_slot_[slot]]; }

  uint64_t most_requests_;
  uint64_t requests_ = 0;
  uint64_t blocks_ = 0;
  std::vector<RecordedWarp> warps_;
  std::array<uint32_t, 64> of_slot_{};  // by warp slot: in warps_
};

}  // namespace warptime::sim
