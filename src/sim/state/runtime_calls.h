// The runtime calls of one SM's warps: copies arguments from their registers and results to them. printf and assert are
// performed at once; malloc and free become requests that the chip answers between steps, in an order that does not
// depend on host threads.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/runtime/device_runtime.h"
#include "sim/state/load_store.h"
#include "sim/state/sm_state.h"

namespace warptime::sim {

/// A warp's call of malloc or free.
struct HeapRequest {
  const RuntimeLink* link = nullptr;
  uint32_t slot = 0;  // the warp's
  uint32_t lanes = 0;
  Cycle cycle = 0;
  FaultRecord where;  // block, warp and instruction, in case of a fault
  std::array<uint64_t, kWarpSize> arguments{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(slot, lanes, cycle, where, arguments);
    archive.expect(slot < archive.limits.warps);
    archive.pointer(link);
    archive.expect(link != nullptr);
  }
};

class RuntimeCalls {
 public:
  explicit RuntimeCalls(const MachineConfig& machine) : runtime_(machine.runtime.printf_fifo_bytes) {}

  /// `lanes` (not empty) of the warp make the call. True: the warp continues when its request has been answered.
  /// `fault` is set in case of a fault.
  bool call(SmState& state, const LoadStore& memory, uint32_t slot, const Insn& insn, uint32_t lanes, Cycle cycle,
            FaultRecord& fault);

  const std::vector<HeapRequest>& requests() const { return requests_; }
  void clear_requests() { requests_.clear(); }
  /// Answers one request. False: `fault` has the reason.
  bool answer(const HeapRequest& request, SmState& state, DeviceHeap& heap, FaultRecord& fault);
  /// The address that malloc gave to a lane of the request.
  static Addr result(const HeapRequest& request, const SmState& state, uint32_t lane);

  PrintfBuffer& printed() { return runtime_.printed(); }

 private:
  bool fail(FaultRecord& fault, Fault::Kind kind);

  DeviceRuntime runtime_;
  std::vector<HeapRequest> requests_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(runtime_, requests_);
  }
};

}  // namespace warptime::sim
