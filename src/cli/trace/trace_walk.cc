#include "cli/trace/trace_walk.h"

#include <fmt/format.h>

#include <bit>
#include <iterator>
#include <map>
#include <utility>

#include "host/report/value_writer.h"

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
    if (view_.blocks) {
      sink_.process(kFirstProcess, "chip", kFirstProcess);
      blocks();
      chip_counters(kFirstProcess);
    } else {
      name_tracks();
      for (const TraceEvent& event : view_.log.events) add(event);
      counters();
      if (!view_.intervals.empty()) {
        sink_.process(++last_, "chip", 0);
        chip_counters(last_);
      }
    }
    timeline();
  }

 private:
  /// The blocks; or the instructions by index, then "?" for others, then the waits. Last what the host does.
  void name_slices() {
    std::vector<std::string> names;
    if (view_.blocks) {
      for (const sim::BlockStay& stay : view_.blocks->blocks) names.push_back("block " + block_name(view_, stay.block));
    } else {
      for (size_t pc = 0; pc < view_.launch.instructions.size(); ++pc)
        names.push_back(text_of(view_, static_cast<uint32_t>(pc)));
      unknown_ = names.size();
      names.emplace_back("?");
      names.emplace_back(state_name({.kind = EventKind::Ready}));
      for (const sim::StallInfo& stall : sim::kStalls) names.emplace_back(stall.key);
    }
    first_host_ = names.size();
    for (const TraceView::HostEvent& each : view_.timeline) names.push_back(each.event.name);
    sink_.names(names);
  }
  size_t name_of(const TraceEvent& event) const {
    if (event.kind == EventKind::Issue) return event.pc < unknown_ ? event.pc : unknown_;
    return unknown_ + (event.kind == EventKind::Ready ? 1 : 2 + static_cast<size_t>(event.reason));
  }

  void name_tracks() {
    sink_.process(kFirstProcess, fmt::format("SM {}", view_.log.sm), kFirstProcess);
    uint32_t process = kFirstProcess;
    const TracedWarp* before = nullptr;
    for (uint32_t i = 0; i < view_.log.warps.size(); ++i) {
      const TracedWarp& warp = view_.log.warps[i];
      if (warp.begin >= view_.log.to || warp.end <= view_.log.from) continue;
      if (before == nullptr || before->block != warp.block) {
        process = ++last_;
        sink_.process(process, "block " + block_name(view_, warp.block), process);
      }
      before = &warp;
      tracks_[i] = {process, ++last_};
      sink_.thread(tracks_[i], fmt::format("warp {}", warp.index_in_block), warp.index_in_block);
      if (warp.begin >= view_.log.from)
        sink_.instant(tracks_[i], "starts", at(warp.begin), {{"slot", uint64_t{warp.slot}}});
      if (warp.end < view_.log.to) sink_.instant(tracks_[i], "ends", at(warp.end), {});
    }
  }

  void add(const TraceEvent& event) {
    TraceTrack track = tracks_[event.warp];
    uint64_t line = line_of(view_, event.pc);
    const std::string source = source_of(view_, event.pc);
    switch (event.kind) {
      case EventKind::Issue: {
        auto lanes = std::popcount(event.lanes);
        const std::string native = native_of(view_, event.pc);
        sink_.slice(track, name_of(event), kIssueCategory, at(event.begin), at(event.end),
                    {{"source", source},
                     {"line", line},
                     {"lanes", static_cast<uint64_t>(lanes)},
                     {"active", mask_text(event)},
                     {"native", native}});
        lanes_[event.begin] += lanes;
        lanes_[event.end] -= lanes;
        break;
      }
      case EventKind::Stall:
      case EventKind::Ready:
        sink_.slice(track, name_of(event), kWaitCategory, at(event.begin), at(event.end),
                    {{"source", source}, {"line", line}});
        break;
      case EventKind::Mask:
        if (active_[event.warp] != 0)
          sink_.instant(track, mask_change(active_[event.warp], event.active), at(event.begin),
                        {{"active", mask_text(event)}});
        break;
      case EventKind::Arrive:
        sink_.instant(track, "arrives at barrier", at(event.begin), {{"barrier", uint64_t{event.barrier}}});
        break;
      case EventKind::Release: sink_.instant(track, "released", at(event.begin), {}); break;
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
      sink_.counter({kFirstProcess, "active lanes", "lanes"}, at(cycle), lanes);
    }
    for (const auto& [cycle, transactions] : view_.log.queue)
      sink_.counter({kFirstProcess, "memory queue", "transactions"}, at(cycle), int64_t{transactions});
  }

  /// By SM, and on it by its places for blocks.
  void blocks() {
    const std::vector<sim::BlockStay>& stays = view_.blocks->blocks;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<size_t>> by_place;
    for (size_t i = 0; i < stays.size(); ++i) by_place[{stays[i].sm, stays[i].slot}].push_back(i);
    uint32_t process = 0, sm = ~0u;
    for (const auto& [place, on_it] : by_place) {
      if (place.first != sm) {
        sm = place.first;
        process = ++last_;
        sink_.process(process, fmt::format("SM {}", sm), process);
      }
      TraceTrack track{process, ++last_};
      sink_.thread(track, fmt::format("block slot {}", place.second), place.second);
      for (size_t i : on_it)
        sink_.slice(track, i, kBlockCategory, at(stays[i].begin), at(stays[i].end),
                    {{"block", stays[i].block}, {"cycles", stays[i].end - stays[i].begin}});
    }
  }

  /// What can be drawn over time: a step for each part, and 0 behind the last.
  void chip_counters(uint32_t process) {
    for (const TracedInterval& part : view_.intervals)
      for (const host::IntervalCounter& counter : part.counters)
        if (const auto* value = std::get_if<double>(&counter.value))
          sink_.counter({process, counter.name, counter.unit}, at(part.begin), *value);
    if (view_.intervals.empty()) return;
    const TracedInterval& last = view_.intervals.back();
    for (const host::IntervalCounter& counter : last.counters)
      if (std::holds_alternative<double>(counter.value))
        sink_.counter({process, counter.name, counter.unit}, at(last.end), 0.0);
  }

  /// Fills have no direction, as launches.
  static std::string_view track_name(host::TimelineEvent::Direction direction) {
    switch (direction) {
      case host::TimelineEvent::Direction::None: return "launches";
      case host::TimelineEvent::Direction::HostToDevice: return "copies to the device";
      case host::TimelineEvent::Direction::DeviceToHost: return "copies to the host";
      case host::TimelineEvent::Direction::DeviceToDevice: return "copies on the device";
    }
    return {};
  }

  void timeline() {
    if (view_.timeline.empty()) return;
    uint32_t process = ++last_;
    sink_.process(process, "host", 0);
    // What follows one another: operations of a stream, and what an engine does for all streams but kernels.
    std::map<std::pair<host::TimelineEvent::Direction, uint32_t>, TraceTrack> tracks;
    for (size_t i = 0; i < view_.timeline.size(); ++i) {
      const TraceView::HostEvent& each = view_.timeline[i];
      const host::TimelineEvent& event = each.event;
      auto [track, is_new] = tracks.try_emplace({event.direction, event.stream}, TraceTrack{process, last_ + 1});
      if (is_new) {
        ++last_;
        std::string name(track_name(event.direction));
        if (event.stream != 0) name += fmt::format(", stream {}", event.stream);
        sink_.thread(track->second, name, last_);
      }
      std::string start = host::real_text(each.event.start_us), end = host::real_text(each.event.end_us);
      if (each.event.kind == host::TimelineEvent::Kind::Kernel)
        sink_.slice(track->second, first_host_ + i, kHostCategory, each.begin, each.end,
                    {{"start_us", start}, {"end_us", end}});
      else
        sink_.slice(track->second, first_host_ + i, kHostCategory, each.begin, each.end,
                    {{"bytes", each.event.bytes}, {"start_us", start}, {"end_us", end}});
    }
  }

  /// A cycle of the launch in the times of the file.
  Cycle at(Cycle cycle) const { return view_.origin + cycle; }

  const TraceView& view_;
  TraceSink& sink_;
  size_t unknown_ = 0, first_host_ = 0;  // indices of names
  uint32_t last_ = kFirstProcess;        // number of a process or thread
  std::vector<TraceTrack> tracks_;       // by warp
  std::vector<uint32_t> active_;         // by warp, the last mask
  std::map<Cycle, int64_t> lanes_;       // changes of the number of lanes that issue
  std::string mask_;
};

}  // namespace

void walk_trace(const TraceView& view, TraceSink& sink) { Walk(view, sink).all(); }

}  // namespace warptime::cli
