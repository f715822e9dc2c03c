// Loads and stores of 32-bit words by whole warps in shared, constant and global memory, the bulk of all accesses: what
// lane code compiled for the host (exec/word_access.h) can answer without an address for every lane. What it cannot
// (faults, conflicts between a load and a pending store, many constant words) is left to the general way.
#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/state/load_store.h"

namespace warptime::sim {

namespace {

/// Whether each request of `request_lanes` is served in one step: one word for all, or one from each of the banks.
bool one_step_each(const LaneOffsets& at, const SharedConfig& config) {
  if (config.request_lanes > config.banks) return false;
  if (config.request_lanes == kWarpSize / 2)
    return at.half[0] != LanePattern::Other && at.half[1] != LanePattern::Other;
  return config.request_lanes == kWarpSize && (at.all_same() || at.all_consecutive());
}

}  // namespace

bool LoadStore::access_words(const Insn& insn, Warp& warp, MemoryAccess& out) {
  if (watches_ && insn.effect == ptx::Effect::Store) [[unlikely]]
    return false;
  switch (insn.space) {
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

/// Where the lanes are, all of them in [0, bytes); what later accesses by the same register need of it is remembered.
bool LoadStore::locate(const Insn& insn, Warp& warp, uint64_t bytes) {
  if (!words_.locate(warp.values, insn, 0, bytes, at_)) return false;
  if (insn.address == kNotRemembered || at_.half[0] == LanePattern::Other || at_.half[1] == LanePattern::Other)
    return true;
  auto end_of = [&](size_t half) {
    return at_.lanes[half * kWarpSize / 2] + (at_.half[half] == LanePattern::Consecutive ? kWarpSize / 2 * 4 : 4);
  };
  uint32_t first = at_.lanes[0], second = at_.lanes[kWarpSize / 2], lowest = std::min(first, second);
  warp.addresses[insn.address] = {warp.shared,
                                  lowest - static_cast<uint64_t>(insn.offset),
                                  std::max(end_of(0), end_of(1)) - lowest,
                                  {first - lowest, second - lowest},
                                  at_.half,
                                  one_step_each(at_, launch_->machine->sm.shared)};
  warp.known |= static_cast<uint8_t>(1u << insn.address);
  return true;
}

bool LoadStore::shared_words(const Insn& insn, Warp& warp, MemoryAccess& out) {
  const SharedConfig& config = launch_->machine->sm.shared;
  if (!locate(insn, warp, launch_->shared_bytes)) return false;
  if (insn.effect == ptx::Effect::Load) words_.load(warp.values, insn, warp.shared, at_);
  else words_.store(warp.values, insn, warp.shared, at_);
  out.on_chip = true;
  out.chip_space = ptx::Space::Shared;
  if (insn.vector == 1 && one_step_each(at_, config)) return true;
  BankPasses passes = shared_passes(at_.lanes, kFullMask, insn.vector * 4u, config.banks, config.request_lanes);
  out.passes = passes.degree;
  out.extra_passes = passes.extra;
  return true;
}

/// One word for all lanes.
bool LoadStore::constant_words(const Insn& insn, Warp& warp, MemoryAccess& out) {
  uint64_t bytes = launch_->constants.size();
  if (insn.vector != 1 || !(recall(insn, warp, bytes) || locate(insn, warp, bytes)) || !at_.all_same()) return false;
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
  uint32_t bytes = insn.vector * 4u;
  bool load = insn.effect == ptx::Effect::Load, in_rows = false, same = false;
  std::span<Transaction, kMaxTransactions> room(out.transactions.data(), kMaxTransactions);
  const CoalescingRule& rule = load ? load_rule_ : store_rule_;
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
    words_.load(warp.values, insn, launch_->memory->at(begin), at_);
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
  const std::byte* row = insn.data[0].in(warp.values);
  for (uint32_t i = 0; i < out.count; ++i) {
    const Transaction& transaction = out.transactions[i];
    PendingStore* store = stores_.add(transaction.address);
    out.stores[i] = store;
    std::memcpy(store->bytes.data(), row + std::countr_zero(transaction.lanes) * 4, transaction.bytes);
    store->byte_mask[0] = transaction.bytes >= 64 ? ~uint64_t{0} : (uint64_t{1} << transaction.bytes) - 1;
    store->byte_mask[1] = transaction.bytes == 128 ? ~uint64_t{0} : 0;
  }
}

}  // namespace warptime::sim
