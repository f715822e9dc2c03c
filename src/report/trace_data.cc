#include "report/trace_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "host/report/summary.h"

namespace warptime::report {

using Json = nlohmann::ordered_json;
using sim::TraceEvent;

namespace {

int state_of(const TraceEvent& event) {
  if (event.kind == TraceEvent::Kind::Issue) return kIssueState;
  return event.kind == TraceEvent::Kind::Ready ? kReadyState : kFirstReason + static_cast<int>(event.reason);
}

/// From this cycle on, states are left out, so that at most `most` are kept.
Cycle cut(const std::vector<const TraceEvent*>& states, size_t most) {
  if (states.size() <= most) return kNever;
  std::vector<Cycle> begins;
  begins.reserve(states.size());
  for (const TraceEvent* state : states) begins.push_back(state->begin);
  std::nth_element(begins.begin(), begins.begin() + static_cast<std::ptrdiff_t>(most), begins.end());
  return begins[most];
}

class Masks {
 public:
  size_t number(uint32_t mask) {
    auto [entry, is_new] = numbers_.try_emplace(mask, numbers_.size());
    if (is_new) list_.push_back(mask);
    return entry->second;
  }
  const std::vector<uint32_t>& list() const { return list_; }

 private:
  std::map<uint32_t, size_t> numbers_;
  std::vector<uint32_t> list_;
};

/// The states of one warp.
struct States {
  std::vector<uint64_t> length;
  std::vector<int> state;
  std::vector<uint32_t> pc, lanes;
  std::vector<size_t> mask;
  Cycle first = 0, next = 0;

  void add(const TraceEvent& event, Masks& masks) {
    if (length.empty()) first = next = event.begin;
    if (event.begin > next) push(event.begin - next, -1, event.pc);
    push(event.end > next ? event.end - next : 0, state_of(event), event.pc);
    if (event.kind != TraceEvent::Kind::Issue) return;
    mask.push_back(masks.number(event.active));
    lanes.push_back(event.lanes);
  }

 private:
  void push(uint64_t cycles, int what, uint32_t at) {
    length.push_back(cycles);
    state.push_back(what);
    pc.push_back(at);
    next += cycles;
  }
};

Json block_of(const sim::TracedWarp& warp, const sim::LaunchStatistics& launch) {
  uint64_t x = std::max(launch.grid[0], 1U), y = std::max(launch.grid[1], 1U);
  return {warp.block % x, warp.block / x % y, warp.block / x / y};
}

}  // namespace

Json state_names() {
  Json out = Json::array();
  out.push_back({{"key", "issue"}, {"what", "issues an instruction"}});
  out.push_back({{"key", "not_selected"}, {"what", "ready, while another warp issues"}});
  for (const sim::StallInfo& stall : sim::kStalls)
    out.push_back({{"key", stall.key}, {"what", "waits for " + std::string(stall.what)}});
  return out;
}

Json trace_json(const sim::TraceLog& log, const sim::LaunchStatistics& launch, size_t most_states,
                std::vector<std::string>& notes) {
  std::vector<const TraceEvent*> events;
  for (const TraceEvent& event : log.events)
    if (event.is_state()) events.push_back(&event);
  Cycle end = cut(events, most_states);
  std::stable_sort(events.begin(), events.end(), [](const TraceEvent* a, const TraceEvent* b) {
    return std::pair(a->warp, a->begin) < std::pair(b->warp, b->begin);
  });

  Masks masks;
  std::map<uint32_t, States> by_warp;
  Cycle from = kNever, to = 0;
  for (const TraceEvent* event : events) {
    if (event->begin >= end) continue;
    by_warp[event->warp].add(*event, masks);
    from = std::min(from, event->begin);
    to = std::max(to, event->end);
  }
  if (end != kNever)
    notes.push_back(fmt::format(
        "The timeline ends at cycle {}: it shows the first {} states of SM {}. `--window A:B` shows other cycles.",
        host::grouped(end), host::grouped(most_states), log.sm));

  std::vector<uint32_t> order;
  for (const auto& [warp, unused] : by_warp) order.push_back(warp);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(log.warps[a].slot, log.warps[a].begin) < std::pair(log.warps[b].slot, log.warps[b].begin);
  });
  Json warps = Json::array();
  for (uint32_t number : order) {
    const sim::TracedWarp& warp = log.warps[number];
    const States& states = by_warp[number];
    warps.push_back({{"number", number},
                     {"slot", warp.slot},
                     {"block", block_of(warp, launch)},
                     {"index", warp.index_in_block},
                     {"begin", warp.begin},
                     {"end", warp.end == kNever ? Json() : Json(warp.end)},
                     {"first", states.first},
                     {"length", states.length},
                     {"state", states.state},
                     {"pc", states.pc},
                     {"mask", states.mask},
                     {"lanes", states.lanes}});
  }
  return {{"sm", log.sm},
          {"launch", log.launch},
          {"kernel", launch.kernel},
          {"cycles", launch.cycles},
          {"from", from == kNever ? log.from : std::max(from, log.from)},
          {"to", std::min({to, log.to, end})},
          {"recorded", {{"from", log.from}, {"to", std::min({log.to, launch.cycles, end})}}},
          {"states", state_names()},
          {"masks", masks.list()},
          {"warps", std::move(warps)}};
}

}  // namespace warptime::report
