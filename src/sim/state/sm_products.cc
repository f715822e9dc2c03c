// Products of warpgroups: what wgmma does to the values of a warp.
#include "sim/state/sm_state.h"

namespace warptime::sim {

namespace {

constexpr uint32_t kGroupWarps = 4;

}  // namespace

void SmState::product(uint32_t slot, const Insn& insn, FaultRecord& fault) {
  using Operation = AsyncMatrixPayload::Operation;
  Warp& warp = warps_[slot];
  const AsyncMatrixPayload& payload = insn.async_matrix();
  switch (payload.operation) {
    case Operation::Fence: return;
    case Operation::Commit: return products_.commit(slot);
    case Operation::Wait: warp.cached = 0; return products_.arrive(slot, payload.count, warp.values);
    case Operation::Multiply: break;
  }
  const LaunchContext& launch = launch_of(slot);
  const uint32_t group_end = (warp.index_in_block / kGroupWarps + 1) * kGroupWarps * kWarpSize;
  fault.raised = true;
  if (group_end > launch.threads_per_block) {
    fault.kind = Fault::Kind::PartialWarpgroup;
    return locate(fault, slot, kFullMask);
  }
  const ProductInput in{warp.values, warp.index_in_block % kGroupWarps, {warp.shared, launch.shared_bytes}};
  const auto outside = products_.begin(slot, insn.number, *payload.product, in);
  fault.raised = outside.has_value();
  if (!outside) return;
  fault.kind = Fault::Kind::OutOfBounds;
  fault.space = ptx::Space::Shared;
  fault.address = *outside;
  fault.bytes = 4;
  fault.limit = launch.shared_bytes;
  locate(fault, slot, kFullMask);
}

}  // namespace warptime::sim
