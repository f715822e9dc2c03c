#include "debug/debugger.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace warptime::debug {

namespace {

// The first blocks are on their SMs then, and none of their instructions has issued (block_launch_cycles).
constexpr Cycle kFirst = 1;

}  // namespace

Point& Settings::add(Point point) {
  point.number = next_number++;
  points.push_back(std::move(point));
  return points.back();
}

Point* Settings::find(uint32_t number) {
  auto found = std::find_if(points.begin(), points.end(), [&](const Point& p) { return p.number == number; });
  return found == points.end() ? nullptr : &*found;
}

Debugger::Debugger(sim::Gpu& gpu, const sim::Launch& launch, const sim::RunOptions& options, Settings& settings,
                   std::vector<LocatedFinding> found, std::function<bool()> interrupted)
    : launch_(launch),
      machine_(gpu.machine()),
      number_(options.launch),
      sms_(sim::sm_count(gpu.machine())),
      settings_(settings),
      names_(*launch.kernel),
      finder_(names_, sms_, std::move(found)),
      replay_(gpu, launch, options, finder_.probe()),
      interrupted_(std::move(interrupted)) {
  replay_.go_to(kFirst);
  keep_focus();
}

// ---- Focus

bool Debugger::is_focus_resident() const {
  const sim::SmState* sm = has_focus_ ? session().sm(focus_.sm) : nullptr;
  return sm != nullptr && sm->warp(focus_.slot).resident && !sm->warp(focus_.slot).stack.done() &&
         sm->block_of(sm->warp(focus_.slot)).index == focus_.block;
}

void Debugger::for_each_warp(const std::function<void(const WarpPlace&)>& f) const {
  for (uint32_t index = 0; index < sms_; ++index) {
    const sim::SmState* sm = session().sm(index);
    for (uint32_t slot = 0; sm != nullptr && slot < sm->warp_slots(); ++slot)
      if (sm->warp(slot).resident && !sm->warp(slot).stack.done()) f({index, slot, sm->block_of(sm->warp(slot)).index});
  }
}

/// If the warp in focus is no longer there, or not yet, the first one that is.
void Debugger::keep_focus() {
  if (is_focus_resident()) return;
  bool found = false;
  for_each_warp([&](const WarpPlace& warp) {
    if (!std::exchange(found, true)) set_focus(warp.sm, warp.slot, 0);
  });
}

void Debugger::set_focus(uint32_t sm, uint32_t slot, uint32_t lane) {
  const sim::SmState* state = session().sm(sm);
  focus_ = {sm, slot, state->block_of(state->warp(slot)).index};
  lane_ = lane;
  has_focus_ = true;
  finder_.follow(focus_, now());
}

LaneView Debugger::focus() {
  if (is_focus_resident()) return view_of(focus_, lane_);
  return {&names_, &session(), nullptr, 0, 0, now(), {}};
}

LaneView Debugger::view_of(const WarpPlace& warp, uint32_t lane) {
  return {&names_, &session(), session().sm(warp.sm), warp.slot, lane, now(), {}};
}

std::optional<WarpPlace> Debugger::find_block(uint64_t block, uint32_t warp_in_block) const {
  std::optional<WarpPlace> out;
  for_each_warp([&](const WarpPlace& warp) {
    if (warp.block == block && session().sm(warp.sm)->warp(warp.slot).index_in_block == warp_in_block) out = warp;
  });
  return out;
}

// ---- Forwards

Stop Debugger::stop_at(std::vector<Hit> hits) {
  finder_.off();
  if (hits.front().position != now() || ended()) replay_.go_to(hits.front().position);
  bool is_step = true;
  for (const Hit& hit : hits) {
    Point* point = settings_.find(hit.number);
    if (point == nullptr) continue;
    is_step = false;
    ++point->hits;
  }
  auto of_focus = [&](const Hit& hit) { return hit.sm == focus_.sm && hit.slot == focus_.slot; };
  auto chosen = std::find_if(hits.begin(), hits.end(), of_focus);
  if (chosen == hits.end()) chosen = hits.begin();
  const sim::SmState* sm = session().sm(chosen->sm);
  bool is_there = sm != nullptr && sm->warp(chosen->slot).resident && !sm->warp(chosen->slot).stack.done();
  if (is_there && !(is_step && of_focus(*chosen))) set_focus(chosen->sm, chosen->slot, chosen->lane);
  const bool ended = is_step && !is_focus_resident();
  keep_focus();
  std::erase_if(settings_.points, [&](const Point& p) {
    return p.temporary && std::any_of(hits.begin(), hits.end(), [&](const Hit& hit) { return hit.number == p.number; });
  });
  return {is_step ? Stop::Kind::Step : Stop::Kind::Points, std::move(hits), {}, ended};
}

/// The launch faulted: to the cycle of the faulting instruction, unless it began there.
Stop Debugger::found_fault(Cycle from) {
  finder_.off();
  Stop stop{Stop::Kind::Fault, {}, replay_.fault()};
  if (stop.fault->has_cycle && stop.fault->cycle > from) {
    replay_.go_to(stop.fault->cycle);
    if (stop.fault->has_thread) {
      const auto& f = *stop.fault;
      const auto &grid = launch_.grid, &shape = launch_.block;
      uint64_t block = (uint64_t{f.block[2]} * grid[1] + f.block[1]) * grid[0] + f.block[0];
      uint32_t thread = (f.thread[2] * shape[1] + f.thread[1]) * shape[0] + f.thread[0];
      if (auto warp = find_block(block, thread / sim::kWarpSize))
        set_focus(warp->sm, warp->slot, thread % sim::kWarpSize);
    }
  }
  keep_focus();
  return stop;
}

Stop Debugger::run(Cycle limit, Goal goal) {
  const Cycle from = now();
  finder_.listen(settings_.points, std::move(goal), StopFinder::Order::First, from, kNever, session());
  for (;;) {
    replay_.step(limit);
    const auto& fault = replay_.fault();
    finder_.ran(from, fault && fault->has_cycle ? std::min(fault->cycle, now()) : now());
    if (!finder_.hits().empty()) return stop_at(finder_.hits());
    if (ended() && fault) return found_fault(from);
    bool stands = ended() || now() >= limit, wanted = !stands && interrupted_();
    if (!stands && !wanted) continue;
    finder_.off();
    keep_focus();
    return {ended() ? Stop::Kind::End : wanted ? Stop::Kind::Interrupted : Stop::Kind::Step, {}};
  }
}

bool Debugger::is_left_at(const Stop& stop) const {
  if (stop.kind == Stop::Kind::Fault) return ended() && stop.fault->has_thread;
  return stop.kind == Stop::Kind::End && std::none_of(settings_.points.begin(), settings_.points.end(),
                                                      [](const Point& p) { return p.kind == Point::Kind::End; });
}

Stop Debugger::go_to(Cycle cycle) {
  const Cycle from = std::min(now(), cycle);
  replay_.go_to(std::max(cycle, kFirst));
  finder_.ran(from, now());
  if (ended() && replay_.fault()) return found_fault(0);
  keep_focus();
  return {ended() ? Stop::Kind::End : cycle <= kFirst ? Stop::Kind::Begin : Stop::Kind::Step, {}};
}

// ---- Backwards

/// Runs the launch from each kept moment to the next one, the last of them first, up to `to`, until `is_found`.
void Debugger::search_back(Cycle to, const std::function<bool()>& is_found) {
  for (Cycle end = to; end > 0;) {
    const Cycle begin = replay_.go_before(end);
    replay_.go_to(end);
    if (is_found()) return;
    end = begin;
  }
}

Stop Debugger::run_back() {
  const Cycle to = now();
  if (to <= kFirst) return {Stop::Kind::Begin, {}};
  finder_.listen(settings_.points, {}, StopFinder::Order::Last, 0, to, session());
  search_back(to, [this] { return !finder_.hits().empty(); });
  if (!finder_.hits().empty()) return stop_at(finder_.hits());
  finder_.off();
  return go_to(kFirst);
}

std::vector<ExecutedInstruction> Debugger::past(const IsEnough& is_enough) {
  const Cycle to = now();
  auto before_now = [&] {
    std::vector<ExecutedInstruction> out = finder_.executed();
    std::erase_if(out, [&](const ExecutedInstruction& e) { return e.cycle >= to; });
    return out;
  };
  if (finder_.known_to() < to) {  // of another time
    Cycle from = replay_.go_before(to);
    finder_.follow_anew(from);
    replay_.go_to(to);
    finder_.ran(from, to);
  }
  std::vector<ExecutedInstruction> out = before_now();
  while (finder_.known_from() > 0 && !is_enough(out)) {
    const Cycle end = finder_.known_from(), begin = replay_.go_before(end);
    finder_.begin_earlier(begin);
    replay_.go_to(end);
    finder_.end_earlier();
    out = before_now();
  }
  replay_.go_to(to);
  return out;
}

std::optional<Hit> Debugger::last_write(ptx::Space space, Addr address, uint32_t bytes) {
  Point point{.kind = Point::Kind::Memory, .number = 1, .space = space, .address = address, .bytes = bytes};
  if (is_focus_resident()) {
    point.block = focus_.block;
    point.warp = session().sm(focus_.sm)->warp(focus_.slot).index_in_block;
    point.lane = lane_;
  }
  const Cycle to = now();
  finder_.listen({point}, {}, StopFinder::Order::Last, 0, to + 1, session());
  search_back(to, [this] { return !finder_.hits().empty(); });
  std::vector<Hit> hits = finder_.hits();
  finder_.off();
  replay_.go_to(to);
  keep_focus();
  return hits.empty() ? std::nullopt : std::optional(hits.back());
}

}  // namespace warptime::debug
