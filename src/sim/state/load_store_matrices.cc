// ldmatrix and stmatrix: each of the first lanes has the address of a row of 16 bytes in shared memory, and all lanes
// get or give a part of the rows. The banks see the rows as they see 16 bytes of each of these lanes.
#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/exec/lanes_of_mask.h"
#include "sim/exec/matrix_operation.h"
#include "sim/state/load_store.h"

namespace warptime::sim {

bool LoadStore::matrices(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out, FaultRecord& fault) {
  if (mask != kFullMask) {
    fault.raised = true;
    fault.kind = Fault::Kind::PartialWarp;
    fault.lanes = mask;
    fault.thread = static_cast<uint32_t>(std::countr_zero(mask));
    return false;
  }
  const uint32_t lanes = insn.addressing(mask), bytes = insn.access().bytes();
  lane_addresses(warp.values, insn.access().address, lanes, addresses_);
  if (insn.access().space != ptx::Space::Shared)  // a generic address; what is not in the window is out of bounds
    for_lanes_of(lanes, [&](uint32_t lane) { addresses_[lane] -= windows_.shared_base; });
  if (!check(lanes, bytes, launch_->shared_bytes, ptx::Space::Shared, fault)) return false;
  std::array<uint32_t, kWarpSize> offsets{};
  for_lanes_of(lanes, [&](uint32_t lane) {
    offsets[lane] = static_cast<uint32_t>(addresses_[lane]);
    from_[lane] = to_[lane] = warp.shared + addresses_[lane];
  });
  const bool load = insn.effect == ptx::Effect::Load;
  if (load) load_matrices(warp.values, insn, from_);
  else watch_here(lanes, bytes, [&] { store_matrices(warp.values, insn, to_); });
  out.on_chip = true;
  out.chip_space = ptx::Space::Shared;
  if (insn.access().conflict_free) return true;
  // The rows of each matrix are served together.
  for (uint32_t first = 0; first < kWarpSize; first += 8) {
    const uint32_t rows = lanes & (0xffu << first);
    if (rows == 0) break;
    const ConflictDegree conflicts = shared_conflicts(offsets, rows, bytes, machine_.sm.shared, load);
    out.conflict_degree = std::max(out.conflict_degree, conflicts.degree);
    out.replays += conflicts.replays;
  }
  return true;
}

}  // namespace warptime::sim
