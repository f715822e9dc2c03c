// The Trace Event Format of Perfetto and chrome://tracing, as its public description has it: complete events (X) for
// slices, instant events (i), counters (C), metadata (M). https://ui.perfetto.dev opens the file.
#include <bit>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/trace/trace_output.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;
using EventKind = sim::TraceEvent::Kind;
using sim::TracedWarp;
using sim::TraceEvent;

namespace {

constexpr uint32_t kSm = 1;  // the process of the SM

class Writer {
 public:
  explicit Writer(const TraceView& view) : view_(view), tracks_(view.log.warps.size()), active_(view.log.warps.size()) {
    for (size_t pc = 0; pc < view.launch.instructions.size(); ++pc)
      texts_.push_back(
          Json(text_of(view, static_cast<uint32_t>(pc))).dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  std::string text() {
    Json about = {{"time", "1 us is 1 shader cycle"}, {"target", view_.target},
                  {"machine", view_.machine},         {"machine_hash", view_.machine_hash},
                  {"kernel", view_.launch.kernel},    {"launch", view_.log.launch},
                  {"cycles", view_.launch.cycles},    {"sm", view_.log.sm},
                  {"complete", view_.complete}};
    out_ =
        "{\"displayTimeUnit\": \"ms\",\n\"otherData\": " + about.dump(-1, ' ', false, Json::error_handler_t::replace) +
        ",\n\"traceEvents\": [\n";
    names();
    for (const TraceEvent& event : view_.log.events) add(event);
    counters();
    out_ += "\n]}\n";
    return std::move(out_);
  }

 private:
  // Processes (the SM with its counters, then each block) and threads (the warps) are numbered through, from 1 on:
  // viewers take 0 for an idle process, and a thread with the number of a process for the main thread of that.
  struct Track {
    uint32_t process = 0, thread = 0;
  };

  void names() {
    name_process(kSm, fmt::format("SM {}", view_.log.sm));
    uint32_t last = kSm, process = kSm;
    const TracedWarp* before = nullptr;
    for (uint32_t i = 0; i < view_.log.warps.size(); ++i) {
      const TracedWarp& warp = view_.log.warps[i];
      if (warp.begin >= view_.log.to || warp.end <= view_.log.from) continue;
      if (before == nullptr || before->block != warp.block)
        name_process(process = ++last, "block " + block_name(view_, warp));
      before = &warp;
      tracks_[i] = {process, ++last};
      metadata("thread_name", tracks_[i], fmt::format("\"name\":\"warp {}\"", warp.index_in_block));
      metadata("thread_sort_index", tracks_[i], fmt::format("\"sort_index\":{}", warp.index_in_block));
      if (warp.begin >= view_.log.from) instant(i, warp.begin, "starts", fmt::format("\"slot\":{}", warp.slot));
      if (warp.end < view_.log.to) instant(i, warp.end, "ends");
    }
  }
  void name_process(uint32_t process, const std::string& text) {
    metadata("process_name", {process, process}, fmt::format("\"name\":\"{}\"", text));
    metadata("process_sort_index", {process, process}, fmt::format("\"sort_index\":{}", process));
  }

  void add(const TraceEvent& event) {
    switch (event.kind) {
      case EventKind::Issue:
        slice(event, event.pc < texts_.size() ? texts_[event.pc] : "\"?\"", "issue",
              fmt::format("\"line\":{},\"lanes\":{},\"active\":\"{:08x}\"", line_of(view_, event.pc),
                          std::popcount(event.lanes), event.active));
        lanes_[event.begin] += std::popcount(event.lanes);
        lanes_[event.end] -= std::popcount(event.lanes);
        break;
      case EventKind::Stall:
      case EventKind::Ready:
        slice(event, fmt::format("\"{}\"", state_name(event)), "wait",
              fmt::format("\"line\":{}", line_of(view_, event.pc)));
        break;
      case EventKind::Mask:
        if (active_[event.warp] != 0)
          instant(event.warp, event.begin, mask_change(active_[event.warp], event.active),
                  fmt::format("\"active\":\"{:08x}\"", event.active));
        break;
      case EventKind::Arrive:
        instant(event.warp, event.begin, "arrives at barrier", fmt::format("\"barrier\":{}", event.barrier));
        break;
      case EventKind::Release: instant(event.warp, event.begin, "released"); break;
    }
    if (event.active != 0) active_[event.warp] = event.active;
  }

  void slice(const TraceEvent& event, std::string_view quoted_name, std::string_view category, std::string_view args) {
    Track track = tracks_[event.warp];
    item(fmt::format(
        "\"ph\":\"X\",\"name\":{},\"cat\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{{}}}",
        quoted_name, category, track.process, track.thread, event.begin, event.end - event.begin, args));
  }
  void instant(uint32_t warp, Cycle cycle, std::string_view what, std::string_view args = {}) {
    item(fmt::format("\"ph\":\"i\",\"s\":\"t\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{},\"args\":{{{}}}", what,
                     tracks_[warp].process, tracks_[warp].thread, cycle, args));
  }
  void counter(std::string_view what, std::string_view unit, Cycle cycle, int64_t value) {
    item(fmt::format("\"ph\":\"C\",\"name\":\"{}\",\"pid\":{},\"ts\":{},\"args\":{{\"{}\":{}}}", what, kSm, cycle, unit,
                     value));
  }
  void metadata(std::string_view what, Track track, std::string_view args) {
    item(fmt::format("\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{{}}}", what, track.process,
                     track.thread, args));
  }
  void item(const std::string& members) {
    out_ += fmt::format("{}{{{}}}", is_first_ ? "" : ",\n", members);
    is_first_ = false;
  }

  void counters() {
    int64_t lanes = 0;
    for (const auto& [cycle, change] : lanes_) {
      if (change == 0) continue;
      lanes += change;
      counter("active lanes", "lanes", cycle, lanes);
    }
    for (const auto& [cycle, transactions] : view_.log.queue)
      counter("memory queue", "transactions", cycle, transactions);
  }

  const TraceView& view_;
  std::string out_;
  bool is_first_ = true;
  std::vector<std::string> texts_;  // of the instructions, quoted
  std::vector<Track> tracks_;       // by warp
  std::vector<uint32_t> active_;    // by warp, the last mask
  std::map<Cycle, int64_t> lanes_;  // changes of the number of lanes that issue
};

}  // namespace

std::string trace_json(const TraceView& view) { return Writer(view).text(); }

}  // namespace warptime::cli
