// Asynchronous copies of the load/store unit: what they read, at once, and the transactions of their source. The bytes
// arrive in shared memory later (async_copies.h). Left out: the cycles that they take of shared memory's banks then.
#include <algorithm>
#include <cstring>

#include "sim/state/load_store.h"

namespace warptime::sim {

uint32_t LoadStore::source_bytes(const Insn& insn, const Warp& warp, uint32_t mask,
                                 std::array<uint32_t, kWarpSize>& bytes) {
  const AsyncCopyPayload& payload = insn.async_copy();
  const uint32_t all = payload.access.bytes();
  bytes.fill(all);
  if (!payload.has_size) return mask;
  uint32_t reads = 0;
  if (payload.is_ignored) {
    const uint32_t ignored = warp.values.predicates[payload.source_bytes.bits];
    reads = mask & (payload.is_negated ? ignored : ~ignored);
  } else {
    const std::byte* sizes = payload.source_bytes.in(warp.values);
    for_lanes_of(mask, [&](uint32_t lane) {
      bytes[lane] = std::min(all, lane_of<uint32_t>(sizes, lane));
      if (bytes[lane] != 0) reads |= 1u << lane;
    });
  }
  for_lanes_of(mask & ~reads, [&](uint32_t lane) { bytes[lane] = 0; });
  return reads;
}

bool LoadStore::copy(const Insn& insn, Warp& warp, uint32_t mask, AsyncCopies& copies, MemoryAccess& out,
                     FaultRecord& fault) {
  const AsyncCopyPayload& payload = insn.async_copy();
  const uint32_t bytes = payload.access.bytes();
  out.clear();
  follow(warp);
  lane_addresses(warp.values, payload.to, mask, addresses_);
  fault.is_store = true;
  if (!check(mask, bytes, launch_->shared_bytes, ptx::Space::Shared, fault)) return false;
  Addresses to = addresses_;

  std::array<uint32_t, kWarpSize> read{};
  const uint32_t reads = source_bytes(insn, warp, mask, read);
  uint32_t whole = 0, part = 0;
  for_lanes_of(reads, [&](uint32_t lane) { (read[lane] == bytes ? whole : part) |= 1u << lane; });
  lane_addresses(warp.values, payload.access.address, mask, addresses_);
  fault.is_store = false;
  if (whole != 0 && !check_allocated(insn, whole, bytes, fault)) return false;
  for (uint32_t rest = part; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const Addr address = addresses_[lane];
    const bool misaligned = address % bytes != 0;
    if (!misaligned && memory_->find(address, read[lane]) != nullptr) continue;
    fault.raised = true;
    fault.kind = misaligned ? Fault::Kind::Misaligned : Fault::Kind::OutOfBounds;
    fault.space = ptx::Space::Global;
    fault.thread = lane;
    fault.address = address;
    fault.bytes = misaligned ? bytes : read[lane];
    return false;
  }

  out.copy = copies.begin(warp.slot_of_block, warp.index_in_block, insn.number, mask, bytes);
  AsyncCopy& copy = copies[out.copy];
  for_lanes_of(mask, [&](uint32_t lane) {
    copy.to[lane] = static_cast<uint32_t>(to[lane]);
    copy.from[lane] = addresses_[lane];
    copy.read[lane] = read[lane];
    std::byte* data = copy.data[lane].data();
    std::memset(data, 0, bytes);
    if (read[lane] == 0) return;
    std::memcpy(data, memory_->at(addresses_[lane]), read[lane]);
    if (!stores_.empty() && stores_.may_hold(addresses_[lane])) stores_.overlay(addresses_[lane], read[lane], data);
  });
  if (reads == 0) return true;
  std::span<Transaction, kMaxTransactions> room(out.transactions.data(), kMaxTransactions);
  const Coalesced found = coalesce(rule_of(insn), addresses_, reads, bytes, room);
  out.off_chip = true;
  out.count = found.count;
  out.coalesced = found.coalesced;
  out.uncoalesced = found.uncoalesced;
  return true;
}

}  // namespace warptime::sim
