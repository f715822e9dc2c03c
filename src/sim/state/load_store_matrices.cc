// ldmatrix and stmatrix: each of the first lanes has the address of a row of 16 bytes in shared memory, and all lanes
// get or give a part of the rows. The banks see the rows as they see 16 bytes of each of these lanes.
#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "sim/exec/lanes_of_mask.h"
#include "sim/exec/matrix_operation.h"
#include "sim/state/load_store.h"

namespace warptime::sim {

namespace {

uint64_t base_of(const WarpValues& warp, const AddressOperand& address) {
  std::array<Addr, kWarpSize> addresses{};
  lane_addresses(warp, address, 1, addresses);
  return addresses[0];
}

}  // namespace

uint32_t LoadStore::part_count(const Insn& insn) {
  const MatrixInMemory& matrix = *insn.load_store().matrix();
  return matrix.distinct_registers() * matrix.pieces_per_register();
}

Insn LoadStore::part(const Insn& insn, const WarpValues& warp, uint32_t number,
                     std::array<Addr, kWarpSize>& addresses) {
  const MatrixInMemory& matrix = *insn.load_store().matrix();
  const uint32_t pieces = matrix.pieces_per_register(), reg = number / pieces;
  const uint64_t base = base_of(warp, insn.access().address), stride = lane_of<uint32_t>(matrix.stride.in(warp), 0);
  for (uint32_t lane = 0; lane < kWarpSize; ++lane)
    addresses[lane] = base + matrix.offset(lane, reg, number % pieces, stride);
  Insn out = insn;
  LoadStorePayload& payload = out.load_store();
  payload.access.of_warp = false;
  payload.register_bytes = payload.access.element_bytes;
  payload.set_register(matrix.registers[reg]);
  return out;
}

/// Elements of less than a register go through a row of their own.
bool LoadStore::fragment(const Insn& insn, Warp& warp, uint32_t warp_slot, MemoryAccess& out, FaultRecord& fault) {
  const MatrixInMemory& matrix = *insn.load_store().matrix();
  const bool load = insn.effect == ptx::Effect::Load;
  const uint32_t pieces = matrix.pieces_per_register(), bytes = matrix.piece_bytes();
  const WarpValues values = warp.values;  // before a load changes the address or the stride
  std::array<std::byte, kRowBytes> row{};
  std::vector<std::array<std::byte, 2 * kRowBytes>> loaded(matrix.distinct_registers());
  for (uint32_t i = 0; i < part_count(insn); ++i) {
    Insn access = part(insn, values, i, addresses_);
    const uint32_t reg = i / pieces, at = i % pieces * bytes;
    std::byte* piece = load && pieces == 1 ? loaded[reg].data() : row.data();
    if (!load && pieces > 1) {
      const std::byte* from = matrix.registers[reg].in(values);
      for (uint32_t lane = 0; lane < kWarpSize; ++lane)
        std::memcpy(row.data() + lane * bytes, from + lane * 4 + at, bytes);
    }
    const bool aside = load || pieces > 1;
    if (aside) {
      access.load_store().data[0] = RowRef::to(RowArea::Registers, 0);
      warp.values.areas[0] = piece;
    }
    const bool good = access_space(access, warp, warp_slot, kFullMask, out, fault);
    warp.values.areas[0] = values.areas[0];
    if (!good) return false;
    if (load && pieces > 1)
      for (uint32_t lane = 0; lane < kWarpSize; ++lane)
        std::memcpy(loaded[reg].data() + lane * 4 + at, row.data() + lane * bytes, bytes);
  }
  if (load)
    for (size_t reg = 0; reg < matrix.registers.size(); ++reg)
      std::memcpy(warp.values.rows() + matrix.registers[reg].bits, loaded[reg % loaded.size()].data(),
                  size_t{kWarpSize} * matrix.register_bytes());
  return true;
}

bool LoadStore::matrices(const Insn& insn, Warp& warp, uint32_t warp_slot, uint32_t mask, MemoryAccess& out,
                         FaultRecord& fault) {
  if (mask != kFullMask) {
    fault.raised = true;
    fault.kind = Fault::Kind::PartialWarp;
    fault.lanes = mask;
    fault.thread = static_cast<uint32_t>(std::countr_zero(mask));
    return false;
  }
  if (insn.load_store().matrix() != nullptr) return fragment(insn, warp, warp_slot, out, fault);
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
