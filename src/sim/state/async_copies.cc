#include "sim/state/async_copies.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/mem/tensor_box.h"

namespace warptime::sim {

namespace {

/// The bytes of a copy arrive.
void put(const BulkCopy& copy, std::byte* shared) {
  const size_t bytes = copy.data.size();
  if (copy.reduce != nullptr) {
    for (size_t at = 0; at < bytes; at += copy.word_bytes) {
      uint64_t word = 0, b = 0;
      std::memcpy(&word, shared + copy.to + at, copy.word_bytes);
      std::memcpy(&b, copy.data.data() + at, copy.word_bytes);
      word = copy.reduce(word, b, 0);
      std::memcpy(shared + copy.to + at, &word, copy.word_bytes);
    }
    return;
  }
  if (copy.swizzle == 0) {
    if (bytes != 0) std::memcpy(shared + copy.to, copy.data.data(), bytes);
    return;
  }
  constexpr size_t kUnit = 16;
  for (size_t at = 0; at < bytes; at += kUnit)
    std::memcpy(
        shared + swizzled(copy.to + placed(static_cast<uint32_t>(at), copy.row_bytes, copy.swizzle), copy.swizzle),
        copy.data.data() + at, kUnit);
}

}  // namespace

AsyncCopies::Block& AsyncCopies::block_of(uint32_t block) {
  if (block >= blocks_.size()) blocks_.resize(block + 1);
  return blocks_[block];
}

AsyncCopies::Warp& AsyncCopies::warp_of(uint32_t block, uint32_t warp) {
  std::vector<Warp>& warps = block_of(block).warps;
  if (warp >= warps.size()) warps.resize(warp + 1);
  return warps[warp];
}

const AsyncCopies::Warp* AsyncCopies::find(uint32_t block, uint32_t warp) const {
  if (block >= blocks_.size() || warp >= blocks_[block].warps.size()) return nullptr;
  return &blocks_[block].warps[warp];
}

void AsyncCopies::clear(Block& block) {
  for (const Warp& warp : block.warps)
    for (uint32_t id : warp.copies) pool_.give_back(id);
  for (uint32_t id : block.bulk) bulk_.give_back(id);
  block = {};
}

uint32_t AsyncCopies::begin_bulk(uint32_t block) {
  const uint32_t id = bulk_.take();
  bulk_[id] = {};
  bulk_[id].block = block;
  block_of(block).bulk.push_back(id);
  return id | kBulk;
}

uint32_t AsyncCopies::begin_outgoing() {
  const uint32_t id = bulk_.take();
  bulk_[id] = {};
  outgoing_.push_back(id);
  return id | kBulk;
}

void AsyncCopies::receive(uint32_t block, BulkCopy copy, Cycle ready) {
  const uint32_t id = begin_bulk(block);
  copy.block = block;
  copy.ready = ready;
  copy.is_remote = true;
  bulk(id) = std::move(copy);
}

const BulkCopy* AsyncCopies::next_bulk(uint32_t block, Cycle now, uint32_t mbarrier) const {
  if (block >= blocks_.size()) return nullptr;
  for (uint32_t id : blocks_[block].bulk)
    if (bulk_[id].ready <= now && (mbarrier == kAnywhere || bulk_[id].mbarrier == mbarrier)) return &bulk_[id];
  return nullptr;
}

BulkCopy AsyncCopies::take_bulk(const BulkCopy* copy, std::byte* shared) {
  std::vector<uint32_t>& all = blocks_[copy->block].bulk;
  const auto place = std::find_if(all.begin(), all.end(), [&](uint32_t id) { return &bulk_[id] == copy; });
  const uint32_t id = *place;
  all.erase(place);
  BulkCopy taken = std::move(bulk_[id]);
  bulk_.give_back(id);
  put(taken, shared);
  return taken;
}

void AsyncCopies::join(uint32_t first, uint32_t second) {
  BulkCopy &leader = bulk(first), &follower = bulk(second);
  follower.ready = leader.ready;
  follower.also = leader.also;
  leader.also = second & ~kBulk;
}

void AsyncCopies::complete_part(BulkCopy& copy, Cycle ready) {
  if (copy.parts == 0) return;  // its block is gone, and another copy is there
  copy.last = std::max(copy.last, ready);
  if (--copy.parts != 0) return;
  copy.ready = copy.last + copy.late;
  constexpr uint32_t kMost = 16;  // blocks of a cluster
  uint32_t id = copy.also;
  for (uint32_t i = 0; i < kMost && id < bulk_.capacity(); ++i) {
    bulk_[id].ready = copy.ready;
    id = bulk_[id].also;
  }
}

bool AsyncCopies::any_arrival() const {
  if (!outgoing_.empty()) return true;
  return std::any_of(blocks_.begin(), blocks_.end(),
                     [](const Block& block) { return !block.arrivals.empty() || !block.bulk.empty(); });
}

uint32_t AsyncCopies::begin(uint32_t block, uint32_t warp, uint32_t pc, uint32_t lanes, uint32_t bytes) {
  const uint32_t id = pool_.take();
  AsyncCopy& copy = pool_[id];
  copy.lanes = copy.open = lanes;
  copy.pc = pc;
  copy.bytes = bytes;
  copy.block = block;
  copy.warp = warp;
  copy.number = block_of(block).copies++;
  copy.ready = 0;
  copy.to = {};
  warp_of(block, warp).copies.push_back(id);
  return id;
}

void AsyncCopies::commit(uint32_t block, uint32_t warp, uint32_t lanes) {
  Warp& of = warp_of(block, warp);
  for (uint32_t id : of.copies) {
    AsyncCopy& copy = pool_[id];
    for_lanes_of(copy.open & lanes, [&](uint32_t lane) { copy.group[lane] = of.groups[lane]; });
    copy.open &= ~lanes;
  }
  for_lanes_of(lanes, [&](uint32_t lane) { ++of.groups[lane]; });
}

/// Lanes that a wait makes complete.
uint32_t AsyncCopies::due(const Warp& warp, const AsyncCopy& copy, uint32_t lanes, uint32_t groups) {
  if (groups == kAll) return copy.lanes & lanes;
  uint32_t out = 0;
  for_lanes_of(copy.lanes & ~copy.open & lanes, [&](uint32_t lane) {
    if (uint64_t{copy.group[lane]} + groups < warp.groups[lane]) out |= 1u << lane;
  });
  return out;
}

Cycle AsyncCopies::ready(uint32_t block, uint32_t warp, uint32_t lanes, uint32_t groups) const {
  Cycle last = 0;
  if (const Warp* of = find(block, warp))
    for (uint32_t id : of->copies)
      if (due(*of, pool_[id], lanes, groups) != 0) last = std::max(last, pool_[id].ready);
  return last;
}

void AsyncCopies::arrive_later(uint32_t block, AsyncArrival arrival) {
  Block& of = block_of(block);
  arrival.number = of.copies;
  of.arrivals.push_back(arrival);
}

Cycle AsyncCopies::ready_of(const Block& block, const AsyncArrival& arrival) const {
  Cycle last = 0;
  if (arrival.warp >= block.warps.size()) return last;
  for (uint32_t id : block.warps[arrival.warp].copies) {
    const AsyncCopy& copy = pool_[id];
    if (copy.number < arrival.number && (copy.lanes & arrival.lanes) != 0) last = std::max(last, copy.ready);
  }
  return last;
}

const AsyncArrival* AsyncCopies::next_arrival(uint32_t block, Cycle now, uint32_t address) const {
  if (block >= blocks_.size()) return nullptr;
  const Block& of = blocks_[block];
  for (const AsyncArrival& arrival : of.arrivals) {
    bool is_meant = address == kAnywhere;
    for_lanes_of(arrival.lanes, [&](uint32_t lane) { is_meant |= arrival.at[lane] == address; });
    if (is_meant && ready_of(of, arrival) <= now) return &arrival;
  }
  return nullptr;
}

uint32_t AsyncCopies::arriving(const AsyncCopy& copy) const {
  uint32_t lanes = 0;
  for (const AsyncArrival& arrival : blocks_[copy.block].arrivals)
    if (arrival.warp == copy.warp && copy.number < arrival.number) lanes |= arrival.lanes;
  return lanes;
}

Cycle AsyncCopies::next_ready(uint32_t block, Cycle now) const {
  Cycle next = kNever;
  if (block >= blocks_.size()) return next;
  for (uint32_t id : blocks_[block].bulk)
    if (const Cycle ready = bulk_[id].ready; ready > now) next = std::min(next, ready);
  for (const AsyncArrival& arrival : blocks_[block].arrivals)
    if (const Cycle ready = ready_of(blocks_[block], arrival); ready > now) next = std::min(next, ready);
  return next;
}

}  // namespace warptime::sim
