// Loads and stores of 32-bit words by whole warps in shared, constant and global memory, the bulk of all accesses: what
// lane code compiled for the host (exec/word_access.h) can answer without an address for every lane. What it cannot
// (faults, a load of what a pending store writes, many constant words) is left to the general way.
#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/state/load_store.h"

namespace warptime::sim {

namespace {

/// Whether no request of `request_lanes` has a bank conflict: one word for all, or one from each of the banks.
bool conflict_free(const LaneOffsets& at, const SharedConfig& config) {
  if (config.request_lanes > config.banks) return false;
  if (config.request_lanes == kWarpSize / 2)
    return at.half[0] != LanePattern::Other && at.half[1] != LanePattern::Other;
  return config.request_lanes == kWarpSize && (at.all_same() || at.all_consecutive());
}

}  // namespace

bool LoadStore::access_words(const Insn& insn, Warp& warp, MemoryAccess& out) {
  if (watches_ && insn.effect == ptx::Effect::Store) [[unlikely]]
    return false;
  switch (insn.access().space) {
    case ptx::Space::Shared: return shared_words(insn, warp, out);
    case ptx::Space::Const: return constant_words(insn, warp, out);
    case ptx::Space::Global: return global_words(insn, warp, out);
    case ptx::Space::None:
    case ptx::Space::Generic:
    case ptx::Space::Param:
    case ptx::Space::Local:
    case ptx::Space::Reg:
    case ptx::Space::Sreg:
    case ptx::Space::Tex: break;
  }
  return false;
}

/// Where the lanes are, all of them in [0, bytes); cached for later accesses by the same register.
bool LoadStore::locate(const Insn& insn, Warp& warp, uint64_t bytes) {
  if (!words_.locate(warp.values, insn, 0, bytes, at_)) return false;
  if (insn.load_store().cached_address == kNotCached || !CachedAddress::can_hold(at_)) return true;
  if (launch_->lines) return true;  // the fast path counts no lines
  const bool free = conflict_free(at_, machine_.sm.shared);
  warp.addresses.put(insn, CachedAddress::of(insn, warp.shared, at_, free), warp.cached);
  return true;
}

bool LoadStore::shared_words(const Insn& insn, Warp& warp, MemoryAccess& out) {
  const SharedConfig& config = machine_.sm.shared;
  if (!locate(insn, warp, launch_->shared_bytes)) return false;
  if (insn.effect == ptx::Effect::Load) words_.load(warp.values, insn, warp.shared, at_);
  else words_.store(warp.values, insn, warp.shared, at_);
  out.on_chip = true;
  out.chip_space = ptx::Space::Shared;
  if (insn.access().vector == 1 && conflict_free(at_, config)) return true;
  ConflictDegree conflicts =
      shared_conflicts(at_.lanes, kFullMask, insn.access().vector * 4u, config, insn.effect == ptx::Effect::Load);
  out.conflict_degree = conflicts.degree;
  out.replays = conflicts.replays;
  return true;
}

/// One word for all lanes.
bool LoadStore::constant_words(const Insn& insn, Warp& warp, MemoryAccess& out) {
  uint64_t bytes = launch_->constants.size();
  if (insn.access().vector != 1) return false;
  const CachedAddress* cached = warp.addresses.find(insn, warp.cached);
  if (cached == nullptr || !cached->locate(insn, bytes, at_)) {
    if (!locate(insn, warp, bytes)) return false;
  }
  if (!at_.all_same()) return false;
  words_.load(warp.values, insn, launch_->constants.data(), at_);
  out.on_chip = true;
  out.chip_space = ptx::Space::Const;
  addresses_[0] = at_.lanes[0];
  constant_lines(1, 4, launch_->constant_base, out);
  return true;
}

bool LoadStore::global_words(const Insn& insn, Warp& warp, MemoryAccess& out) {
  auto [begin, end] = found_by(insn);
  if (begin % 16 != 0 || !words_.locate(warp.values, insn, begin, end - begin, at_)) return false;
  uint32_t bytes = insn.access().vector * 4u;
  bool load = insn.effect == ptx::Effect::Load, in_rows = false, same = false;
  std::span<Transaction, kMaxTransactions> room(out.transactions.data(), kMaxTransactions);
  const CoalescingRule& rule = rule_of(insn);
  Coalesced found;
  if (at_.follow(LanePattern::Consecutive))
    in_rows = coalesce_consecutive(rule, begin + at_.lanes[0], begin + at_.lanes[kWarpSize / 2], room, found);
  else if (load && bytes == 4 && at_.follow(LanePattern::Same))
    same = coalesce_same(rule, begin + at_.lanes[0], begin + at_.lanes[kWarpSize / 2], room, found);
  if (!in_rows && !same) {
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) addresses_[lane] = begin + at_.lanes[lane];
    found = coalesce(rule, addresses_, kFullMask, bytes, room);
  }
  out.off_chip = true;
  out.count = found.count;
  out.coalesced = found.coalesced;
  out.uncoalesced = found.uncoalesced;
  if (!load) {
    if (in_rows) store_rows(insn, warp, out);
    else store_global(insn, warp, kFullMask, bytes, 0, out);
  } else if (!may_be_pending(begin)) {
    words_.load(warp.values, insn, memory_->at(begin), at_);
  } else {
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) addresses_[lane] = begin + at_.lanes[lane];
    load_global(insn, warp, kFullMask, bytes);
  }
  return true;
}

/// Whether a word of at_ may be that of a store that is not in memory yet. Vectors lie within a line of the buffer.
bool LoadStore::may_be_pending(Addr begin) const {
  if (stores_.empty()) return false;
  constexpr uint32_t kLast = kWarpSize / 2 - 1;
  for (uint32_t half = 0; half < 2; ++half) {
    const uint32_t* lanes = at_.lanes.data() + half * kWarpSize / 2;
    if (stores_.may_hold(begin + lanes[0])) return true;
    if (at_.half[half] == LanePattern::Consecutive && stores_.may_hold(begin + lanes[kLast])) return true;
    if (at_.half[half] != LanePattern::Other) continue;
    for (uint32_t lane = 1; lane <= kLast; ++lane)
      if (stores_.may_hold(begin + lanes[lane])) return true;
  }
  return false;
}

/// A store whose transactions are rows of consecutive lanes' words.
void LoadStore::store_rows(const Insn& insn, const Warp& warp, MemoryAccess& out) {
  const std::byte* row = insn.load_store().data[0].in(warp.values);
  for (uint32_t i = 0; i < out.count; ++i) {
    const Transaction& transaction = out.transactions[i];
    PendingStore* store = stores_.add(transaction.address);
    out.stores[i] = store;
    std::memcpy(store->bytes.data(), row + std::countr_zero(transaction.lanes) * 4, transaction.bytes);
    store->byte_mask[0] = transaction.bytes >= 64 ? ~uint64_t{0} : (uint64_t{1} << transaction.bytes) - 1;
    store->byte_mask[1] = transaction.bytes == 128 ? ~uint64_t{0} : 0;
  }
}

Addr LoadStore::uniform_address(const Insn& insn, const Warp& warp, uint32_t mask) {
  follow(warp);
  const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
  lane_addresses(warp.values, insn.access().address, 1u << lane, addresses_);
  const bool is_constant = insn.access().space == ptx::Space::Const;
  return (is_constant ? launch_->constant_base : launch_->parameter_base) + addresses_[lane];
}

}  // namespace warptime::sim
