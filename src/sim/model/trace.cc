#include "sim/model/trace.h"

#include <algorithm>

namespace warptime::sim {

using Kind = TraceEvent::Kind;

void WarpTrace::starts(uint32_t place, Cycle cycle, uint64_t block, uint32_t index_in_block) {
  if (log_ == nullptr) return;
  places_[place] = {static_cast<uint32_t>(log_->warps.size()), cycle, cycle, 0};
  log_->warps.push_back({place, block, index_in_block, cycle, kNever});
}

void WarpTrace::state(uint32_t place, TraceEvent event, Cycle until) {
  Place& p = places_[place];
  event.warp = p.warp;
  event.begin = p.told;
  event.end = until;
  p.told = until;
  bool touches = event.begin == until ? until >= log_->from : until > log_->from;
  if (touches && event.begin < log_->to) log_->events.push_back(event);
}

void WarpTrace::moment(uint32_t place, TraceEvent event, Cycle cycle) {
  event.warp = places_[place].warp;
  event.begin = event.end = cycle;
  if (cycle >= log_->from && cycle < log_->to) log_->events.push_back(event);
}

void WarpTrace::waited(uint32_t place, uint32_t pc, Cycle able, Stall reason, Cycle free, Stall busy, Cycle now) {
  if (log_ == nullptr) return;
  const Cycle& told = places_[place].told;
  if (Cycle until = std::min(able, now); until > told)
    state(place, {.kind = Kind::Stall, .reason = reason, .pc = pc}, until);
  if (Cycle until = std::min(free, now); until > told)
    state(place, {.kind = Kind::Stall, .reason = busy, .pc = pc}, until);
  if (now > told) state(place, {.kind = Kind::Ready, .pc = pc}, now);
}

void WarpTrace::issued(uint32_t place, uint32_t pc, uint32_t active, uint32_t lanes, Cycle until) {
  if (log_ == nullptr) return;
  Place& p = places_[place];
  // Lanes part and meet at the warp's own instructions: whatever changed since its last issue changed with it.
  if (active != p.active) moment(place, {.kind = Kind::Mask, .pc = pc, .active = active}, p.issued);
  state(place, {.kind = Kind::Issue, .pc = pc, .active = active, .lanes = lanes}, until);
  p.issued = until;
  p.active = active;
}

void WarpTrace::arrives(uint32_t place, uint32_t barrier) {
  if (log_ != nullptr) moment(place, {.kind = Kind::Arrive, .barrier = barrier}, places_[place].told);
}

void WarpTrace::released(uint32_t place, uint32_t pc, Cycle cycle, Stall reason) {
  if (log_ == nullptr) return;
  if (cycle > places_[place].told) state(place, {.kind = Kind::Stall, .reason = reason, .pc = pc}, cycle);
  if (reason == Stall::Barrier) moment(place, {.kind = Kind::Release}, cycle);
}

void WarpTrace::ends(uint32_t place) {
  if (log_ != nullptr) log_->warps[places_[place].warp].end = places_[place].told;
}

void WarpTrace::queue(Cycle now, uint32_t transactions) {
  if (now >= log_->to || (!log_->queue.empty() && log_->queue.back().transactions == transactions)) return;
  if (now < log_->from) log_->queue.clear();  // of what came before, only the last matters
  log_->queue.push_back({now, transactions});
}

}  // namespace warptime::sim
