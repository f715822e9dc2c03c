// Bulk copies of the load/store unit: ranges that one thread copies between global and shared memory, in transactions
// as those of a warp that accesses them in order. What is read is read at once; what goes to global memory is a store,
// or an atomic operation on each word. Boxes of tensors are in load_store_tensor.cc.
#include <algorithm>
#include <cstring>

#include "sim/model/address_space.h"
#include "sim/state/access_fault.h"
#include "sim/state/load_store.h"

namespace warptime::sim {

namespace {

constexpr uint32_t kBulkAlignment = 16, kObjectBytes = 8;

}  // namespace

bool LoadStore::problem(TensorProblem what, uint32_t lane, Addr address, FaultRecord& fault) {
  return fault_at(fault, Fault::Kind::TensorCopy, ptx::Space::Global, lane, address, 0, static_cast<uint64_t>(what));
}

Addr LoadStore::lane_address(const Warp& warp, const AddressOperand& operand, uint32_t lane) {
  lane_addresses(warp.values, operand, 1u << lane, addresses_);
  return addresses_[lane];
}

bool LoadStore::find_shared(Addr address, uint32_t bytes, uint32_t alignment, uint32_t lane, BulkPlace& out,
                            FaultRecord& fault) {
  if (const uint32_t bits = cluster_block_bits(address); bits != 0 && bits <= launch_->cluster_blocks) {
    out.block = bits;
    address &= ~kClusterBlockMask;
  }
  if (address % alignment != 0 || bytes % std::min(alignment, kBulkAlignment) != 0)
    return fault_at(fault, Fault::Kind::Misaligned, ptx::Space::Shared, lane, address, alignment, 0);
  if (address > launch_->shared_bytes || launch_->shared_bytes - address < bytes)
    return fault_at(fault, Fault::Kind::OutOfBounds, ptx::Space::Shared, lane, address, bytes, launch_->shared_bytes);
  out.at = static_cast<uint32_t>(address);
  return true;
}

/// Where the bytes go in shared memory, and the object that counts them there: in the same block.
bool LoadStore::find_shared_target(const Insn& insn, const Warp& warp, uint32_t lane, uint32_t alignment,
                                   BulkRange& out, FaultRecord& fault) {
  const BulkCopyPayload& payload = insn.bulk_copy();
  const Addr window = payload.detail != nullptr && payload.detail->is_generic
                          ? GenericWindows::for_address_bytes(launch_->kernel->module->address_bytes).shared_base
                          : 0;
  fault.is_store = true;
  BulkPlace to, object;
  if (!find_shared(lane_address(warp, payload.to, lane) - window, out.bytes, alignment, lane, to, fault) ||
      !find_shared(lane_address(warp, payload.mbarrier, lane) - window, kObjectBytes, kObjectBytes, lane, object,
                   fault))
    return false;
  const uint32_t own = kernel_->rank_of(warp.shared) + 1;
  if (to.block == own) to.block = 0;
  if (object.block == own) object.block = 0;
  if (to.block != object.block) return problem(TensorProblem::Object, lane, 0, fault);
  out.to = to.at;
  out.mbarrier = object.at;
  out.block = to.block;
  auto has_exited = [&](uint32_t rank) {
    return !launch_->clusters_apart && kernel_->shared_of(warp.shared, rank) == nullptr;
  };
  if (out.block != 0 && has_exited(out.block - 1)) {
    fault.thread = lane;
    return exited(warp, out.block - 1, fault);
  }
  if (!is_multicast(payload)) return true;
  out.blocks = lane_of<uint16_t>(payload.detail->blocks.in(warp.values), lane);
  if (out.blocks == 0 || out.blocks >> launch_->cluster_blocks != 0)
    return problem(TensorProblem::Blocks, lane, out.blocks, fault);
  for (uint32_t rest = out.blocks; rest != 0; rest &= rest - 1)
    if (const auto rank = static_cast<uint32_t>(std::countr_zero(rest)); has_exited(rank)) {
      fault.thread = lane;
      return exited(warp, rank, fault);
    }
  return true;
}

bool LoadStore::find_bulk(const Insn& insn, Warp& warp, uint32_t lane, BulkRange& out, FaultRecord& fault) {
  follow(warp);
  const BulkCopyPayload& payload = insn.bulk_copy();
  out = {};
  if (const BulkDetail* detail = payload.detail) {
    out.reduce = detail->reduce;
    if (detail->kind == BulkDetail::Kind::Tensor) return find_tensor(insn, warp, lane, out, fault);
    if (detail->kind == BulkDetail::Kind::MapField) return change_map(insn, warp, lane, out, fault);
    if (detail->kind == BulkDetail::Kind::Registers) {
      out.bytes = static_cast<uint32_t>(detail->element_bytes * detail->values.size());
      return find_shared_target(insn, warp, lane, out.bytes, out, fault);
    }
  }
  out.word_bytes = payload.word_bytes;
  out.bytes = out.extent = lane_of<uint32_t>(payload.bytes.in(warp.values), lane);
  if (payload.to_shared && !find_shared_target(insn, warp, lane, kBulkAlignment, out, fault)) return false;
  fault.is_store = false;
  BulkPlace from;
  if (payload.from_shared) {
    if (!find_shared(lane_address(warp, payload.from, lane), out.bytes, kBulkAlignment, lane, from, fault))
      return false;
    out.from = from.at;
    if (from.block != 0 && from.block != kernel_->rank_of(warp.shared) + 1)
      return problem(TensorProblem::Source, lane, 0, fault);
  }
  if (payload.to_shared && payload.from_shared) return true;
  out.source = payload.from_shared ? warp.shared + out.from : nullptr;
  out.global = lane_address(warp, payload.to_shared ? payload.from : payload.to, lane);
  fault.is_store = !payload.to_shared;
  if (out.global % kBulkAlignment != 0)
    return fault_at(fault, Fault::Kind::Misaligned, ptx::Space::Global, lane, out.global, kBulkAlignment, 0);
  if (out.bytes != 0 && memory_->find(out.global, out.bytes) == nullptr)
    return fault_at(fault, Fault::Kind::OutOfBounds, ptx::Space::Global, lane, out.global, out.bytes, 0);
  return true;
}

uint32_t LoadStore::begin_bulk(const Insn& insn, const Warp& warp, uint32_t lane, const BulkRange& range,
                               uint32_t block, AsyncCopies& copies) {
  const uint32_t id = block == kOtherSms ? copies.begin_outgoing() : copies.begin_bulk(block);
  const BulkCopyPayload& payload = insn.bulk_copy();
  BulkCopy& copy = copies.bulk(id);
  copy.thread = warp.index_in_block * kWarpSize + lane;
  copy.pc = insn.number;
  copy.to = range.to;
  copy.mbarrier = range.mbarrier;
  copy.is_remote = block != warp.slot_of_block;
  copy.from_shared = payload.from_shared || range.is_tensor;
  copy.data.resize(range.bytes);
  if (range.is_tensor) {
    read_tensor(range, copy);
    return id;
  }
  if (payload.detail != nullptr && payload.detail->kind == BulkDetail::Kind::Registers) {
    const uint32_t each = payload.detail->element_bytes;
    copy.reduce = range.reduce;
    copy.word_bytes = static_cast<uint8_t>(each);
    for (size_t i = 0; i < payload.detail->values.size(); ++i)
      std::memcpy(copy.data.data() + i * each, payload.detail->values[i].in(warp.values) + size_t{lane} * each, each);
    copy.from = copy.to;
    return id;
  }
  copy.from = copy.from_shared ? range.from : range.global;
  std::memcpy(copy.data.data(), copy.from_shared ? warp.shared + range.from : memory_->at(range.global), range.bytes);
  if (!copy.from_shared && !stores_.empty())
    for (uint32_t at = 0; at < range.bytes; at += kBulkAlignment)
      if (stores_.may_hold(range.global + at))
        stores_.overlay(range.global + at, kBulkAlignment, copy.data.data() + at);
  return id;
}

LoadStore::BulkPart LoadStore::bulk_part(const Insn& insn, const BulkRange& range, uint32_t begin, MemoryAccess& out) {
  if (range.is_tensor) return tensor_part(insn, range, begin, out);
  const uint32_t each = range.reduce != nullptr ? range.word_bytes : kBulkAlignment;
  uint32_t lanes = std::min(kWarpSize, (range.bytes - begin) / each);
  // The requests of a copy engine are aligned from the second on.
  const uint32_t request = machine_.copy_engine.request_bytes;
  if (const auto in_request = static_cast<uint32_t>((range.global + begin) % request);
      in_request != 0 && machine_.copy_engine.queue_entries != 0)
    lanes = std::min(lanes, (request - in_request) / each);
  const uint32_t mask = lanes == kWarpSize ? kFullMask : (1u << lanes) - 1;
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    addresses_[lane] = range.global + begin + lane * each;
    sources_[lane] = range.source == nullptr ? nullptr : range.source + begin + lane * each;
  }
  send_part(insn, range, mask, each, out);
  return {begin + lanes * each, lanes * each};
}

/// The transactions of `each` bytes of each lane, and what they store: `lengths_` says how many of them, if not all.
void LoadStore::send_part(const Insn& insn, const BulkRange& range, uint32_t mask, uint32_t each, MemoryAccess& out) {
  out.clear();
  out.off_chip = true;
  Addresses units = addresses_;
  if (range.is_tensor && range.reduce == nullptr)
    for_lanes_of(mask, [&](uint32_t lane) { units[lane] -= units[lane] % each; });
  const std::span<Transaction, kMaxTransactions> room(out.transactions.data(), kMaxTransactions);
  const Coalesced found = coalesce(copy_rule_, units, mask, each, room);
  out.count = found.count;
  out.coalesced = found.coalesced;
  out.uncoalesced = found.uncoalesced;
  if (insn.bulk_copy().to_shared) return;
  for (uint32_t i = 0; i < out.count; ++i) {
    const Transaction& transaction = out.transactions[i];
    if (range.reduce == nullptr) {
      PendingStore* store = stores_.add(transaction.address);
      out.stores[i] = store;
      for_lanes_of(transaction.lanes, [&](uint32_t lane) {
        const uint32_t bytes = range.is_tensor ? lengths_[lane] : each;
        const auto at = static_cast<uint32_t>(addresses_[lane] - transaction.address);
        store->byte_mask[at / 64] |= ((uint64_t{1} << bytes) - 1) << (at % 64);
        std::memcpy(store->bytes.data() + at, sources_[lane], bytes);
      });
      continue;
    }
    PendingAtomic& atomic = *atomics_.add(transaction.address);
    atomic.combine = range.reduce;
    atomic.size = transaction.bytes;
    atomic.lanes = transaction.lanes;
    atomic.word_bytes = range.word_bytes;
    atomic.conflict_free = true;
    for_lanes_of(transaction.lanes, [&](uint32_t lane) {
      atomic.at[lane] = static_cast<uint8_t>(addresses_[lane] - transaction.address);
      atomic.b[lane] = 0;
      std::memcpy(&atomic.b[lane], sources_[lane], each);
      atomic.c[lane] = 0;
    });
    out.stores[i] = &atomic;
  }
  if (watches_) [[unlikely]]
    watch_sent(out, 0, range.reduce != nullptr);
}

}  // namespace warptime::sim
