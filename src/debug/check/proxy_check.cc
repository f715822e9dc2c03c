#include "debug/check/proxy_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "debug/check/variables.h"

namespace warptime::debug {

using ptx::Effect, ptx::Space;

namespace {

bool reads_shared(const sim::Insn& insn) {
  if (insn.effect == Effect::BulkCopy) return insn.bulk_copy().from_shared;
  return insn.effect == Effect::AsyncMatrix &&
         insn.async_matrix().operation == sim::AsyncMatrixPayload::Operation::Multiply;
}

template <class F>
void for_pieces(Addr begin, uint32_t bytes, const F& f) {
  constexpr uint32_t kBytes = ProxyCheck::kPieceBytes;
  for (Addr piece = begin / kBytes * kBytes; piece < begin + bytes; piece += kBytes) f(static_cast<uint32_t>(piece));
}

}  // namespace

void ProxyCheck::begins(const sim::LaunchContext& launch) {
  launch_ = &launch;
  writes_.clear();
  follows_ = std::any_of(launch.kernel->insns.begin(), launch.kernel->insns.end(), reads_shared);
}

void ProxyCheck::starts(const sim::SmState& sm, uint64_t slots) {
  if (!follows_) return;
  const size_t blocks = size_t{sm.index() + 1} * launch_->blocks_per_sm;
  if (writes_.size() < blocks) writes_.resize(blocks);
  writes_of(sm, sm.warp(static_cast<uint32_t>(std::countr_zero(slots))).slot_of_block) = {};
}

void ProxyCheck::report(Kind kind, const sim::WarpEvent& event, uint32_t lane, uint32_t piece, const Write& write) {
  const auto variable = variable_at(*launch_, Space::Shared, piece);
  const std::string name = variable ? variable->name : std::string();
  if (!findings_.is_new(kind, *launch_, event.pc, 1, name)) return;
  Finding finding = finding_at(kind, event, lane);
  finding.variable = name;
  finding.other = other_access(*launch_, write.pc, event.sm.block_of(event.warp()).index, write.thread, name);
  const bool has_source = finding.cuda_line != 0 && finding.other->cuda_line != 0;
  finding.message = fmt::format(
      "{} that reads shared memory which {}, that of line {}", kind == Kind::ProductProxy ? "a product" : "a bulk copy",
      write.is_copy ? "cp.async has filled with no fence.proxy.async behind the wait for the copy"
                    : "was stored with no fence.proxy.async behind the store",
      has_source ? finding.other->cuda_line : finding.other->place.line);
  if (write.is_copy)
    finding.remedy =
        "fence.proxy.async behind the wait for the copy, by each thread that has waited, and a barrier behind it";
  findings_.add(std::move(finding));
}

void ProxyCheck::add(Writes& writes, const Write& write, Addr begin, uint32_t bytes) {
  for_pieces(begin, bytes, [&](uint32_t piece) { writes[piece] = write; });
}

void ProxyCheck::check(const SpaceAccess& access, const BlockClock& clock) {
  const sim::WarpEvent& event = access.event;
  const sim::Warp& warp = event.warp();
  Writes& writes = writes_of(event.sm, warp.slot_of_block);
  if (event.insn.effect == Effect::BulkCopy && !access.is_target && !writes.empty()) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(access.lanes));
    const Write* found = nullptr;
    uint32_t at = 0;
    for_pieces(access.addresses[lane], access.bytes, [&](uint32_t piece) {
      const auto write = writes.find(piece);
      if (found != nullptr || write == writes.end()) return;
      found = &write->second;
      at = piece;
    });
    if (found != nullptr) report(Kind::AsyncProxy, event, lane, at, *found);
  }
  if (access.is_target || !access.writes()) return;
  const uint32_t first_thread = warp.index_in_block * sim::kWarpSize;
  sim::for_lanes_of(access.lanes, [&](uint32_t lane) {
    add(writes, {.time = clock.time, .warp = warp.index_in_block, .pc = event.pc, .thread = first_thread + lane},
        access.addresses[lane], access.bytes);
  });
}

void ProxyCheck::copied(const SpaceAccess& target, uint32_t lane, uint32_t object, uint32_t phase,
                        const BlockClock& clock) {
  const sim::Warp& warp = target.event.warp();
  add(writes_of(target.event.sm, warp.slot_of_block),
      {.time = clock.time,
       .warp = warp.index_in_block,
       .pc = target.event.pc,
       .thread = warp.index_in_block * sim::kWarpSize + lane,
       .object = object,
       .phase = phase,
       .is_copy = true},
      target.addresses[lane], target.bytes);
}

void ProxyCheck::filled(const sim::SmState& sm, const sim::BulkCopy& copy) {
  Writes& writes = writes_of(sm, copy.block);
  if (writes.empty()) return;
  for_pieces(copy.to, copy.extent(), [&](uint32_t piece) { writes.erase(piece); });
}

void ProxyCheck::multiplies(const sim::WarpEvent& event, const std::vector<uint32_t>& pieces) {
  const Writes& writes = writes_of(event.sm, event.warp().slot_of_block);
  for (uint32_t piece : pieces) {
    const auto write = writes.find(piece);
    if (write == writes.end()) continue;
    return report(Kind::ProductProxy, event, 0, piece, write->second);
  }
}

void ProxyCheck::fence(const sim::WarpEvent& event, const BlockClock& clock) {
  const uint32_t own = event.warp().index_in_block;
  std::erase_if(writes_of(event.sm, event.warp().slot_of_block), [&](const auto& entry) {
    const Write& write = entry.second;
    if (write.phase != 0) return clock.has_seen(own, write.object, write.phase);
    return write.warp == own || write.time < clock.all_known || write.time < clock.known(own, write.warp);
  });
}

}  // namespace warptime::debug
