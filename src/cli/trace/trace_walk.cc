#include "cli/trace/trace_walk.h"

#include <fmt/format.h>

#include <bit>
#include <iterator>
#include <map>

namespace warptime::cli {

using EventKind = sim::TraceEvent::Kind;
using sim::TracedWarp;
using sim::TraceEvent;

namespace {

class Walk {
 public:
  Walk(const TraceView& view, TraceSink& sink)
      : view_(view), sink_(sink), tracks_(view.log.warps.size()), active_(view.log.warps.size()) {}

  void all() {
    name_slices();
    name_tracks();
    for (const TraceEvent& event : view_.log.events) add(event);
    counters();
  }

 private:
  /// The instructions by index, then "?" for others, then the waits.
  void name_slices() {
    std::vector<std::string> names;
    for (size_t pc = 0; pc < view_.launch.instructions.size(); ++pc)
      names.push_back(text_of(view_, static_cast<uint32_t>(pc)));
    unknown_ = names.size();
    names.emplace_back("?");
    names.emplace_back(state_name({.kind = EventKind::Ready}));
    for (const sim::StallInfo& stall : sim::kStalls) names.emplace_back(stall.key);
    sink_.names(names);
  }
  size_t name_of(const TraceEvent& event) const {
    if (event.kind == EventKind::Issue) return event.pc < unknown_ ? event.pc : unknown_;
    return unknown_ + (event.kind == EventKind::Ready ? 1 : 2 + static_cast<size_t>(event.reason));
  }

  void name_tracks() {
    sink_.process(kSmProcess, fmt::format("SM {}", view_.log.sm), kSmProcess);
    uint32_t last = kSmProcess, process = kSmProcess;
    const TracedWarp* before = nullptr;
    for (uint32_t i = 0; i < view_.log.warps.size(); ++i) {
      const TracedWarp& warp = view_.log.warps[i];
      if (warp.begin >= view_.log.to || warp.end <= view_.log.from) continue;
      if (before == nullptr || before->block != warp.block) {
        process = ++last;
        sink_.process(process, "block " + block_name(view_, warp), process);
      }
      before = &warp;
      tracks_[i] = {process, ++last};
      sink_.thread(tracks_[i], fmt::format("warp {}", warp.index_in_block), warp.index_in_block);
      if (warp.begin >= view_.log.from)
        sink_.instant(tracks_[i], "starts", warp.begin, {{"slot", uint64_t{warp.slot}}});
      if (warp.end < view_.log.to) sink_.instant(tracks_[i], "ends", warp.end, {});
    }
  }

  void add(const TraceEvent& event) {
    TraceTrack track = tracks_[event.warp];
    uint64_t line = line_of(view_, event.pc);
    switch (event.kind) {
      case EventKind::Issue: {
        auto lanes = std::popcount(event.lanes);
        sink_.slice(track, name_of(event), kIssueCategory, event.begin, event.end,
                    {{"line", line}, {"lanes", static_cast<uint64_t>(lanes)}, {"active", mask_text(event)}});
        lanes_[event.begin] += lanes;
        lanes_[event.end] -= lanes;
        break;
      }
      case EventKind::Stall:
      case EventKind::Ready:
        sink_.slice(track, name_of(event), kWaitCategory, event.begin, event.end, {{"line", line}});
        break;
      case EventKind::Mask:
        if (active_[event.warp] != 0)
          sink_.instant(track, mask_change(active_[event.warp], event.active), event.begin,
                        {{"active", mask_text(event)}});
        break;
      case EventKind::Arrive:
        sink_.instant(track, "arrives at barrier", event.begin, {{"barrier", uint64_t{event.barrier}}});
        break;
      case EventKind::Release: sink_.instant(track, "released", event.begin, {}); break;
    }
    if (event.active != 0) active_[event.warp] = event.active;
  }
  std::string_view mask_text(const TraceEvent& event) {
    mask_.clear();
    fmt::format_to(std::back_inserter(mask_), "{:08x}", event.active);
    return mask_;
  }

  void counters() {
    int64_t lanes = 0;
    for (const auto& [cycle, change] : lanes_) {
      if (change == 0) continue;
      lanes += change;
      sink_.counter("active lanes", "lanes", cycle, lanes);
    }
    for (const auto& [cycle, transactions] : view_.log.queue)
      sink_.counter("memory queue", "transactions", cycle, transactions);
  }

  const TraceView& view_;
  TraceSink& sink_;
  size_t unknown_ = 0;
  std::vector<TraceTrack> tracks_;  // by warp
  std::vector<uint32_t> active_;    // by warp, the last mask
  std::map<Cycle, int64_t> lanes_;  // changes of the number of lanes that issue
  std::string mask_;
};

}  // namespace

void walk_trace(const TraceView& view, TraceSink& sink) { Walk(view, sink).all(); }

}  // namespace warptime::cli
