// How a warp's states follow each other without a gap, and which of them touch the recorded window.
#include "sim/core/warp_trace.h"

#include <algorithm>

namespace warptime::sim {

using Kind = TraceEvent::Kind;

void WarpTrace::starts(uint32_t slot, Cycle cycle, uint64_t block, uint32_t index_in_block) {
  const uint32_t warp = log_ == nullptr ? 0 : static_cast<uint32_t>(log_->warps.size());
  if (accesses_.on()) accesses_.starts(slot, {warp, block, index_in_block});
  if (log_ == nullptr) return;
  warps_[slot] = {warp, cycle, cycle, 0};
  log_->warps.push_back({slot, block, index_in_block, cycle, kNever});
}

void WarpTrace::state(uint32_t slot, TraceEvent event, Cycle until) {
  RecordedWarp& warp = warps_[slot];
  event.warp = warp.warp;
  event.begin = warp.recorded;
  event.end = until;
  warp.recorded = until;
  bool touches = event.begin == until ? until >= log_->from : until > log_->from;
  if (touches && event.begin < log_->to) log_->events.push_back(event);
}

void WarpTrace::moment(uint32_t slot, TraceEvent event, Cycle cycle) {
  event.warp = warps_[slot].warp;
  event.begin = event.end = cycle;
  if (cycle >= log_->from && cycle < log_->to) log_->events.push_back(event);
}

void WarpTrace::waited(uint32_t slot, uint32_t pc, Cycle able, Stall reason, Cycle free, Stall busy, Cycle now) {
  if (log_ == nullptr) return;
  const Cycle& recorded = warps_[slot].recorded;
  if (Cycle until = std::min(able, now); until > recorded)
    state(slot, {.kind = Kind::Stall, .reason = reason, .pc = pc}, until);
  if (Cycle until = std::min(free, now); until > recorded)
    state(slot, {.kind = Kind::Stall, .reason = busy, .pc = pc}, until);
  if (now > recorded) state(slot, {.kind = Kind::Ready, .pc = pc}, now);
}

void WarpTrace::issued(uint32_t slot, uint32_t pc, uint32_t active, uint32_t lanes, Cycle until) {
  if (log_ == nullptr) return;
  RecordedWarp& warp = warps_[slot];
  // Lanes diverge and reconverge at the warp's own instructions: whatever changed since its last issue changed with it.
  if (active != warp.active) moment(slot, {.kind = Kind::Mask, .pc = pc, .active = active}, warp.issued);
  state(slot, {.kind = Kind::Issue, .pc = pc, .active = active, .lanes = lanes}, until);
  warp.issued = until;
  warp.active = active;
}

void WarpTrace::arrives(uint32_t slot, uint32_t barrier) {
  if (log_ != nullptr) moment(slot, {.kind = Kind::Arrive, .barrier = barrier}, warps_[slot].recorded);
}

void WarpTrace::released(uint32_t slot, uint32_t pc, Cycle cycle, Stall reason) {
  if (log_ == nullptr) return;
  if (cycle > warps_[slot].recorded) state(slot, {.kind = Kind::Stall, .reason = reason, .pc = pc}, cycle);
  if (reason == Stall::Barrier) moment(slot, {.kind = Kind::Release}, cycle);
}

void WarpTrace::ends(uint32_t slot) {
  if (log_ != nullptr) log_->warps[warps_[slot].warp].end = warps_[slot].recorded;
}

void WarpTrace::queue(Cycle now, uint32_t transactions) {
  if (now >= log_->to || (!log_->queue.empty() && log_->queue.back().transactions == transactions)) return;
  if (now < log_->from) log_->queue.clear();  // of what came before, only the last matters
  log_->queue.push_back({now, transactions});
}

}  // namespace warptime::sim
