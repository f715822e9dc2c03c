#include "sim/state/async_operations.h"

#include "sim/model/address_space.h"

namespace warptime::sim {

bool find_mbarriers(const SmState& state, uint32_t slot, const Insn& insn, uint32_t lanes, MbarrierPlaces& out,
                    FaultRecord& fault) {
  constexpr uint32_t kBytes = 8;
  const Warp& warp = state.warp(slot);
  const AsyncPayload& payload = insn.async();
  const LaunchContext& launch = state.launch_of(slot);
  const auto windows = GenericWindows::for_address_bytes(launch.kernel->module->address_bytes);
  std::array<Addr, kWarpSize> addresses{};
  lane_addresses(warp.values, payload.mbarrier, lanes, addresses);
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    Addr address = addresses[lane] - (payload.is_generic ? windows.shared_base : 0);
    if (const uint32_t bits = cluster_block_bits(address); bits != 0 && bits <= launch.cluster_blocks) {
      const uint32_t own = cluster_place(launch, state.block_of(warp).index).rank;
      if (bits == own + 1 || reaches_other_blocks(payload.operation)) address &= ~kClusterBlockMask;
      out.cluster_block[lane] = bits == own + 1 ? 0 : bits;
      if (out.cluster_block[lane] != 0 && !launch.clusters_apart && launch.shared_bytes != 0 &&
          warp.kernel->shared_of(warp.shared, bits - 1) == nullptr) {
        fault.raised = true;
        fault.kind = Fault::Kind::ExitedBlock;
        state.locate(fault, slot, 1u << lane);
        fault.address = warp.kernel->index_of(warp.shared, bits - 1);
        return false;
      }
    }
    const bool misaligned = address % kBytes != 0;
    if (!misaligned && address < launch.shared_bytes && launch.shared_bytes - address >= kBytes) {
      out.at[lane] = static_cast<uint32_t>(address);
      continue;
    }
    fault.raised = true;
    fault.kind = misaligned ? Fault::Kind::Misaligned : Fault::Kind::OutOfBounds;
    fault.is_store = true;
    fault.space = ptx::Space::Shared;
    fault.address = address;
    fault.bytes = kBytes;
    fault.limit = launch.shared_bytes;
    state.locate(fault, slot, 1u << lane);
    return false;
  }
  return true;
}

}  // namespace warptime::sim
