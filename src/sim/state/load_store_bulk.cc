// Bulk copies of the load/store unit: ranges that one thread copies between global and shared memory, in transactions
// as those of a warp that accesses them in order. What is read is read at once; what goes to global memory is a store,
// or an atomic operation on each word. The hardware has a copy engine of its own; here it is the memory port.
#include <algorithm>
#include <cstring>

#include "sim/state/load_store.h"

namespace warptime::sim {

namespace {

constexpr uint32_t kBulkAlignment = 16, kObjectBytes = 8;

bool bulk_fault(FaultRecord& fault, Fault::Kind kind, ptx::Space space, uint32_t lane, Addr address, uint32_t bytes,
                uint64_t limit) {
  fault.raised = true;
  fault.kind = kind;
  fault.space = space;
  fault.thread = lane;
  fault.address = address;
  fault.bytes = bytes;
  fault.limit = limit;
  return false;
}

}  // namespace

bool LoadStore::find_bulk(const Insn& insn, Warp& warp, uint32_t lane, BulkRange& out, FaultRecord& fault) {
  follow(warp);
  const BulkCopyPayload& payload = insn.bulk_copy();
  out = {};
  out.bytes = lane_of<uint32_t>(payload.bytes.in(warp.values), lane);
  auto address_of = [&](const AddressOperand& operand) {
    lane_addresses(warp.values, operand, 1u << lane, addresses_);
    return addresses_[lane];
  };
  auto in_shared = [&](Addr address, uint32_t bytes, uint32_t alignment, bool is_store, uint32_t& at) {
    fault.is_store = is_store;
    if (address % alignment != 0 || bytes % alignment != 0)
      return bulk_fault(fault, Fault::Kind::Misaligned, ptx::Space::Shared, lane, address, alignment, 0);
    if (address > launch_->shared_bytes || launch_->shared_bytes - address < bytes)
      return bulk_fault(fault, Fault::Kind::OutOfBounds, ptx::Space::Shared, lane, address, bytes,
                        launch_->shared_bytes);
    at = static_cast<uint32_t>(address);
    return true;
  };
  if (payload.to_shared && (!in_shared(address_of(payload.to), out.bytes, kBulkAlignment, true, out.to) ||
                            !in_shared(address_of(payload.mbarrier), kObjectBytes, kObjectBytes, true, out.mbarrier)))
    return false;
  if (payload.from_shared && !in_shared(address_of(payload.from), out.bytes, kBulkAlignment, false, out.from))
    return false;
  if (payload.to_shared && payload.from_shared) return true;
  out.global = address_of(payload.to_shared ? payload.from : payload.to);
  fault.is_store = !payload.to_shared;
  if (out.global % kBulkAlignment != 0)
    return bulk_fault(fault, Fault::Kind::Misaligned, ptx::Space::Global, lane, out.global, kBulkAlignment, 0);
  if (out.bytes != 0 && memory_->find(out.global, out.bytes) == nullptr)
    return bulk_fault(fault, Fault::Kind::OutOfBounds, ptx::Space::Global, lane, out.global, out.bytes, 0);
  return true;
}

uint32_t LoadStore::begin_bulk(const Insn& insn, const Warp& warp, uint32_t lane, const BulkRange& range,
                               AsyncCopies& copies) {
  const uint32_t id = copies.begin_bulk(warp.slot_of_block);
  BulkCopy& copy = copies.bulk(id);
  copy.thread = warp.index_in_block * kWarpSize + lane;
  copy.pc = insn.number;
  copy.to = range.to;
  copy.mbarrier = range.mbarrier;
  copy.from_shared = insn.bulk_copy().from_shared;
  copy.from = copy.from_shared ? range.from : range.global;
  copy.data.resize(range.bytes);
  std::memcpy(copy.data.data(), copy.from_shared ? warp.shared + range.from : memory_->at(range.global), range.bytes);
  if (!copy.from_shared && !stores_.empty())
    for (uint32_t at = 0; at < range.bytes; at += kBulkAlignment)
      if (stores_.may_hold(range.global + at))
        stores_.overlay(range.global + at, kBulkAlignment, copy.data.data() + at);
  return id;
}

uint32_t LoadStore::bulk_part(const Insn& insn, const Warp& warp, const BulkRange& range, uint32_t begin,
                              MemoryAccess& out) {
  const BulkCopyPayload& payload = insn.bulk_copy();
  const uint32_t each = payload.reduce != nullptr ? payload.word_bytes : kBulkAlignment;
  const uint32_t lanes = std::min(kWarpSize, (range.bytes - begin) / each);
  const uint32_t mask = lanes == kWarpSize ? kFullMask : (1u << lanes) - 1;
  out.clear();
  out.off_chip = true;
  for (uint32_t lane = 0; lane < lanes; ++lane) addresses_[lane] = range.global + begin + lane * each;
  const std::span<Transaction, kMaxTransactions> room(out.transactions.data(), kMaxTransactions);
  const Coalesced found = coalesce(store_rule_, addresses_, mask, each, room);
  out.count = found.count;
  out.coalesced = found.coalesced;
  out.uncoalesced = found.uncoalesced;
  const uint32_t next = begin + lanes * each;
  if (payload.to_shared) return next;
  const std::byte* source = warp.shared + range.from + begin;
  for (uint32_t i = 0; i < out.count; ++i) {
    const Transaction& transaction = out.transactions[i];
    if (payload.reduce == nullptr) {
      PendingStore* store = stores_.add(transaction.address);
      out.stores[i] = store;
      for_lanes_of(transaction.lanes, [&](uint32_t lane) {
        const auto at = static_cast<uint32_t>(addresses_[lane] - transaction.address);
        store->byte_mask[at / 64] |= ((uint64_t{1} << each) - 1) << (at % 64);
        std::memcpy(store->bytes.data() + at, source + lane * each, each);
      });
      continue;
    }
    PendingAtomic& atomic = *atomics_.add(transaction.address);
    atomic.combine = payload.reduce;
    atomic.size = transaction.bytes;
    atomic.lanes = transaction.lanes;
    atomic.word_bytes = payload.word_bytes;
    atomic.conflict_free = true;
    for_lanes_of(transaction.lanes, [&](uint32_t lane) {
      atomic.at[lane] = static_cast<uint8_t>(addresses_[lane] - transaction.address);
      atomic.b[lane] = 0;
      std::memcpy(&atomic.b[lane], source + lane * each, each);
      atomic.c[lane] = 0;
    });
    out.stores[i] = &atomic;
  }
  if (watches_) [[unlikely]]
    watch_sent(out, 0, payload.reduce != nullptr);
  return next;
}

}  // namespace warptime::sim
