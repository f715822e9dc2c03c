#include "debug/stops/stop_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "debug/names/expression.h"
#include "sim/model/address_space.h"

namespace warptime::debug {

namespace {

constexpr size_t kMostExecuted = 1 << 22;  // instructions that are remembered

}  // namespace

using sim::LaunchProbe, sim::ProbeEvent;

StopFinder::StopFinder(KernelNames& names, uint32_t sms, std::vector<LocatedFinding> found) : names_(names) {
  probe_.report = report;
  probe_.self = this;
  probe_.wanted.assign(names.compiled().insns.size(), 0);
  probe_.followed.assign(sms, 0);
  for (LocatedFinding& each : found) findings_.push_back({std::move(each)});
  off();
}

void StopFinder::off() {
  listens_ = false;
  std::fill(probe_.wanted.begin(), probe_.wanted.end(), uint8_t{0});
  probe_.wants_accesses = false;
  watches_.clear();
  // Always, so that each of their executions is seen.
  for (const FindingMoment& moment : findings_) want(moment.found.pc, {ProbeEvent::Kind::Issues});
}

void StopFinder::listen(const std::vector<Point>& points, Goal goal, Order order, Cycle after, Cycle before,
                        const sim::Session& session) {
  off();
  points_ = points;
  places_.assign(points.size(), {});
  goal_ = std::move(goal);
  order_ = order;
  after_ = after;
  before_ = before;
  session_ = &session;
  hits_.clear();
  listens_ = true;
  for (const Point& point : points_) want(point);
}

void StopFinder::want(uint32_t pc, std::initializer_list<ProbeEvent::Kind> kinds) {
  for (ProbeEvent::Kind kind : kinds) probe_.wanted[pc] |= LaunchProbe::bit(kind);
}

void StopFinder::want(const Point& point) {
  std::vector<uint32_t>& places = places_[static_cast<size_t>(&point - points_.data())];
  const auto& insns = names_.compiled().insns;
  auto all_with = [&](auto&& is_meant, std::initializer_list<ProbeEvent::Kind> kinds) {
    for (uint32_t pc = 0; pc < insns.size(); ++pc)
      if (is_meant(pc)) {
        places.push_back(pc);
        want(pc, kinds);
      }
  };
  using enum ProbeEvent::Kind;
  switch (point.kind) {
    case Point::Kind::Line: {
      auto file = point.file.empty() ? std::optional<uint32_t>(0) : names_.find_file(point.file);
      if (!file) return;
      Line line{*file, point.line};
      places = names_.places(line);
      for (uint32_t pc : places) want(pc, {Issues});
      return;
    }
    case Point::Kind::Register:
      if (auto reg = names_.find_register(point.name, 0))
        all_with([&](uint32_t pc) { return names_.writes(pc, *reg); }, {Issues, Issued});
      return;
    case Point::Kind::Memory:
      all_with([&](uint32_t pc) { return ptx::accesses(insns[pc].effect); }, {Accesses, Issued});
      probe_.wants_accesses = true;
      return;
    case Point::Kind::Stall: return all_with([](uint32_t) { return true; }, {Issues});
    case Point::Kind::Divergence:
      return all_with([&](uint32_t pc) { return insns[pc].effect == ptx::Effect::Branch; }, {Issues});
    case Point::Kind::Barrier:
      return all_with([&](uint32_t pc) { return insns[pc].effect == ptx::Effect::Barrier; }, {Issues});
    case Point::Kind::Launch:
    case Point::Kind::Finding:
    case Point::Kind::End: return;
  }
}

void StopFinder::follow(const WarpPlace& warp, Cycle from) {
  if (follows_ && warp == followed_) return;
  std::fill(probe_.followed.begin(), probe_.followed.end(), uint64_t{0});
  followed_ = warp;
  follows_ = true;
  if (warp.sm < probe_.followed.size()) probe_.followed[warp.sm] = uint64_t{1} << warp.slot;
  executed_.clear();
  known_from_ = known_to_ = from;
}

void StopFinder::begin_earlier(Cycle from) {
  later_ = std::exchange(executed_, {});
  later_to_ = known_to_;
  known_from_ = known_to_ = from;
}

void StopFinder::end_earlier() {
  executed_.insert(executed_.end(), later_.begin(), later_.end());
  later_.clear();
  known_to_ = later_to_;
}

void StopFinder::ran(Cycle from, Cycle to) {
  if (from <= known_to_) known_to_ = std::max(known_to_, to);
}

LaneView StopFinder::view(const ProbeEvent& event, uint32_t lane) const {
  return {&names_,
          session_,
          event.sm,
          event.slot,
          lane,
          event.cycle,
          event.kind == ProbeEvent::Kind::Issued ? event.pc + 1 : event.pc,
          event.pc};
}

bool StopFinder::is_of(const Point& point, const ProbeEvent& event) const {
  const sim::Warp& warp = event.sm->warp(event.slot);
  return event.sm->block_of(warp).index == point.block && warp.index_in_block == point.warp;
}

void StopFinder::look(const ProbeEvent& event) {
  const bool is_followed = follows_ && event.sm->index() == followed_.sm && event.slot == followed_.slot &&
                           event.sm->block_of(event.sm->warp(event.slot)).index == followed_.block;
  if (is_followed && event.kind != ProbeEvent::Kind::Accesses) follow_with_goal(event);
  if (event.kind == ProbeEvent::Kind::Issues && !findings_.empty()) reach_findings(event);
  if (!listens_) return;
  if (event.kind == ProbeEvent::Kind::Issued) return end_watches(event);
  for (size_t i = 0; i < points_.size(); ++i) {
    const Point& point = points_[i];
    if (point.kind == Point::Kind::Memory) {
      if (event.kind == ProbeEvent::Kind::Accesses) begin_memory_watch(point, event);
    } else if (event.kind == ProbeEvent::Kind::Issues &&
               (is_followed || !goal_ || point.kind == Point::Kind::Register) &&
               std::binary_search(places_[i].begin(), places_[i].end(), event.pc)) {
      before_execution(point, event);
    }
  }
}

/// A warp issues one instruction in a cycle, so an execution that has been seen before is known by its cycle.
void StopFinder::reach_findings(const ProbeEvent& event) {
  const sim::Warp& warp = event.sm->warp(event.slot);
  for (FindingMoment& moment : findings_) {
    const LocatedFinding& found = moment.found;
    if (found.pc != event.pc || found.warp != warp.index_in_block || found.block != event.sm->block_of(warp).index)
      continue;
    if (!moment.last || event.cycle > *moment.last) {
      moment.last = event.cycle;
      if (++moment.executions == found.execution) moment.reached = event.cycle;
    }
    if (!listens_ || moment.reached != event.cycle) continue;
    for (const Point& point : points_)
      if (point.kind == Point::Kind::Finding) add(point, event, event.cycle, found.text, 1u << found.lane);
  }
}

void StopFinder::follow_with_goal(const ProbeEvent& event) {
  if (event.kind == ProbeEvent::Kind::Issued && event.cycle >= known_to_) {
    if (executed_.size() == kMostExecuted) {
      executed_.erase(executed_.begin(), executed_.begin() + kMostExecuted / 2);
      known_from_ = executed_.front().cycle;
    }
    executed_.push_back({event.cycle, event.pc, event.lanes, event.sm->warp(event.slot).stack.calls()});
  }
  if (!listens_ || !goal_) return;
  if (auto position = goal_(event)) {
    auto lanes = event.active;
    keep({*position,
          0,
          event.sm->index(),
          event.slot,
          lanes == 0 ? 0 : static_cast<uint32_t>(std::countr_zero(lanes)),
          event.pc,
          followed_.block,
          event.cycle,
          {}});
  }
}

void StopFinder::before_execution(const Point& point, const ProbeEvent& event) {
  switch (point.kind) {
    case Point::Kind::Line:
    case Point::Kind::Barrier: return add(point, event, event.cycle, {}, event.active);
    case Point::Kind::Stall:
      if (event.reason == point.reason && event.waited >= point.at_least)
        add(point, event, event.cycle,
            fmt::format("it waited {} cycles for {}", event.waited, sim::info(event.reason).what), event.active);
      return;
    case Point::Kind::Divergence:
      if (event.lanes != 0 && event.lanes != event.active)
        add(point, event, event.cycle + 1,
            fmt::format("{} of {} lanes branched", std::popcount(event.lanes), std::popcount(event.active)),
            event.active);
      return;
    case Point::Kind::Register: return begin_register_watch(point, event);
    case Point::Kind::Memory:
    case Point::Kind::Launch:
    case Point::Kind::Finding:
    case Point::Kind::End: return;
  }
}

void StopFinder::begin_register_watch(const Point& point, const ProbeEvent& event) {
  uint32_t lanes = event.lanes & (point.lane ? 1u << *point.lane : ~0u);
  auto reg = names_.find_register(point.name, event.pc);
  if (!is_of(point, event) || lanes == 0 || !reg) return;
  for (; lanes != 0; lanes &= lanes - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    std::string before =
        names_.has_value(*reg, event.pc) ? format_value(register_value(view(event, lane), *reg)) : "(none)";
    watches_.push_back({point.number, event.sm->index(), event.slot, lane, std::move(before)});
  }
}

/// The space that an address is in; of a generic address in a window, the address becomes one in that space.
ptx::Space StopFinder::space_reached(ptx::Space space, Addr& at) const {
  if (space != ptx::Space::None && space != ptx::Space::Generic) return space;
  const auto windows = sim::GenericWindows::for_address_bytes(names_.module().address_bytes);
  for (auto [base, is] : {std::pair(windows.shared_base, ptx::Space::Shared), {windows.local_base, ptx::Space::Local}})
    if (at >= base && at - base < sim::GenericWindows::kBytes) {
      at -= base;
      return is;
    }
  return ptx::Space::Global;
}

void StopFinder::begin_memory_watch(const Point& point, const ProbeEvent& event) {
  const sim::Insn& insn = names_.compiled().insns[event.pc];
  bool load = insn.effect == ptx::Effect::Load;
  if (load ? !point.reads : !point.writes) return;
  const ptx::Space space = insn.access().space;
  const sim::Warp& warp = event.sm->warp(event.slot);
  const bool is_local = point.space == ptx::Space::Local;
  bool is_own = point.space != ptx::Space::Global && point.space != ptx::Space::None;
  if (is_own && event.sm->block_of(warp).index != point.block) return;
  if (is_local && warp.index_in_block != point.warp) return;
  const uint32_t bytes = insn.access().bytes();
  for (uint32_t rest = event.lanes; rest != 0; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    Addr at = (*event.addresses)[lane];
    const ptx::Space reached = space_reached(space, at);
    if (is_own ? reached != point.space : reached != ptx::Space::Global) continue;
    if (is_local && point.lane && lane != *point.lane) continue;
    if (at >= point.address + point.bytes || at + bytes <= point.address) continue;
    std::string before = fmt::format("{} bytes at 0x{:x} {}", bytes, at, load ? "are read" : "are written");
    if (insn.effect == ptx::Effect::Atomic) before += " by an atomic operation, which is performed later";
    watches_.push_back({point.number, event.sm->index(), event.slot, lane, std::move(before)});
    return;
  }
}

void StopFinder::end_watches(const ProbeEvent& event) {
  for (size_t i = 0; i < watches_.size();) {
    Watch watch = watches_[i];
    if (watch.sm != event.sm->index() || watch.slot != event.slot) {
      ++i;
      continue;
    }
    watches_.erase(watches_.begin() + static_cast<ptrdiff_t>(i));
    auto point = std::find_if(points_.begin(), points_.end(), [&](const Point& p) { return p.number == watch.number; });
    LaneView lane = view(event, watch.lane);
    std::string detail = watch.before;
    if (point->kind == Point::Kind::Register) {
      auto reg = names_.find_register(point->name, event.pc);
      std::string value = reg ? format_value(register_value(lane, *reg)) : std::string();
      bool later = names_.compiled().insns[event.pc].effect == ptx::Effect::Atomic;
      if (value == watch.before && !later) continue;
      detail =
          fmt::format("old value {}, new value {}", watch.before, later ? "of the atomic operation, later" : value);
    }
    if (!point->condition.empty()) {
      ExpressionResult result = evaluate(point->condition, lane);
      if (result.error.empty() && !result.value.is_true()) continue;
      if (!result.error.empty()) detail += "; the condition cannot be tested: " + result.error;
    }
    keep({event.cycle + 1, point->number, watch.sm, watch.slot, watch.lane, event.pc,
          event.sm->block_of(event.sm->warp(event.slot)).index, event.cycle, std::move(detail)});
  }
}

/// The first of the lanes for which the condition holds, or cannot be tested.
std::optional<uint32_t> StopFinder::lane_with(const Point& point, const ProbeEvent& event, uint32_t lanes,
                                              std::string& problem) const {
  for (; lanes != 0; lanes &= lanes - 1) {
    auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    if (point.condition.empty()) return lane;
    ExpressionResult result = evaluate(point.condition, view(event, lane));
    if (!result.error.empty()) problem = "the condition cannot be tested: " + result.error;
    if (!result.error.empty() || result.value.is_true()) return lane;
  }
  return std::nullopt;
}

void StopFinder::add(const Point& point, const ProbeEvent& event, Cycle position, std::string detail, uint32_t lanes) {
  if (position <= after_ || position >= before_) return;
  std::string problem;
  auto lane = lane_with(point, event, lanes, problem);
  if (!lane) return;
  if (!problem.empty()) detail += (detail.empty() ? "" : "; ") + problem;
  keep({position, point.number, event.sm->index(), event.slot, *lane, event.pc,
        event.sm->block_of(event.sm->warp(event.slot)).index, event.cycle, std::move(detail)});
}

void StopFinder::keep(Hit hit) {
  if (hit.position <= after_ || hit.position >= before_) return;
  if (!hits_.empty() && hits_.front().position != hit.position) {
    bool is_better =
        order_ == Order::First ? hit.position < hits_.front().position : hit.position > hits_.front().position;
    if (!is_better) return;
    hits_.clear();
  }
  auto place = [](const Hit& h) { return std::tuple(h.sm, h.slot, h.number, h.lane); };
  hits_.insert(std::upper_bound(hits_.begin(), hits_.end(), hit,
                                [&](const Hit& a, const Hit& b) { return place(a) < place(b); }),
               std::move(hit));
}

}  // namespace warptime::debug
