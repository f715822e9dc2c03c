#include "report/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "host/report/summary.h"
#include "report/trace_data.h"
#include "sim/model/stall.h"

namespace warptime::report {

using Json = nlohmann::ordered_json;

namespace {

constexpr uint64_t kMostNumber = uint64_t{1} << 53;
constexpr std::string_view kBlockWord = "block ", kWarpWord = "warp ";

uint64_t whole_number(double value) {
  return value >= 0 && value < static_cast<double>(kMostNumber) ? static_cast<uint64_t>(value) : 0;
}

uint64_t number_after(std::string_view word, std::string_view text, int base) {
  uint64_t out = 0;
  if (text.starts_with(word)) std::from_chars(text.data() + word.size(), text.data() + text.size(), out, base);
  return out;
}

/// The numbers in "block (3,0)".
Json coordinates(std::string_view text) {
  std::vector<uint64_t> out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] < '0' || text[i] > '9') {
      ++i;
      continue;
    }
    uint64_t number = 0;
    auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), number);
    i = static_cast<size_t>(end - text.data());
    if (error == std::errc()) out.push_back(number);
    else ++i;
  }
  out.resize(3);
  return out;
}

}  // namespace

void TraceFile::begin_object(std::string_view key) {
  ++depth_;
  if (depth_ == 2) in_about_ = key == "otherData";
  if (in_events_ && depth_ == 3) event_ = {};
  if (in_events_ && depth_ == 4) in_arguments_ = key == "args";
}

void TraceFile::begin_list(std::string_view key) {
  ++depth_;
  if (in_events_ && depth_ == 3) event_ = {};
  if (depth_ != 2) return;
  in_events_ = key == "traceEvents";
  has_events_ |= in_events_;
}

void TraceFile::end() {
  if (in_events_ && depth_ == 3) add(event_);
  if (depth_ == 4) in_arguments_ = false;
  if (depth_ == 2) in_about_ = in_events_ = false;
  --depth_;
}

void TraceFile::number(std::string_view key, double value, std::string_view) {
  const uint64_t n = whole_number(value);
  if (in_about_ && depth_ == 2) {
    if (key == "launch") launch = n;
    else if (key == "cycles") cycles = n;
    else if (key == "sm") sm = n;
  } else if (in_events_ && depth_ == 3) {
    if (key == "pid") event_.process = n;
    else if (key == "tid") event_.thread = n;
    else if (key == "ts") event_.begin = n;
    else if (key == "dur") event_.length = n;
  } else if (in_arguments_ && depth_ == 4) {
    if (key == "line") event_.line = n;
    else if (key == "lanes") event_.lanes = n;
    else if (key == "slot") {
      event_.slot = n;
      event_.has_slot = true;
    }
  }
}

void TraceFile::text(std::string_view key, std::string_view value) {
  if (in_about_ && depth_ == 2) {
    if (key == "target") target = value;
    else if (key == "machine") machine = value;
    else if (key == "machine_hash") machine_hash = value;
    else if (key == "kernel") kernel = value;
  } else if (in_events_ && depth_ == 3) {
    if (key == "ph") event_.phase = value;
    else if (key == "name") event_.name = value;
    else if (key == "cat") event_.category = value;
  } else if (in_arguments_ && depth_ == 4) {
    if (key == "active") event_.active = value;
    else if (key == "name") event_.named = value;
  }
}

/// Index in the page's list of states; -1: none of them.
int TraceFile::state_of(const Event& event) {
  if (event.category == "issue") return kIssueState;
  if (event.category != "wait") return -1;
  if (event.name == "not_selected") return kReadyState;
  for (size_t i = 0; i < sim::kStallCount; ++i)
    if (sim::kStalls[i].key == event.name) return kFirstReason + static_cast<int>(i);
  return -1;
}

void TraceFile::add(const Event& event) {
  const std::pair track(event.process, event.thread);
  if (event.phase == "M" && event.name == "process_name" && event.named.starts_with(kBlockWord))
    blocks_[event.process] = event.named;
  else if (event.phase == "M" && event.name == "thread_name" && event.named.starts_with(kWarpWord))
    warps_[track].index = static_cast<uint32_t>(number_after(kWarpWord, event.named, 10));
  else if (event.phase == "i" && event.has_slot) warps_[track].slot = static_cast<int64_t>(event.slot);
  if (event.phase != "X") return;
  const int state = state_of(event);
  if (state < 0) return;
  ++states_;
  auto line = static_cast<uint32_t>(event.line);
  uint32_t mask = 0, lanes = 0;
  if (state == kIssueState) {
    mask = static_cast<uint32_t>(number_after("", event.active, 16));
    lanes = static_cast<uint32_t>(std::min<uint64_t>(event.lanes, 32));
  }
  if (append(warps_[track].states, {event.begin, event.begin + event.length, event.length, state, line, mask, lanes}) &&
      ++kept_ > most_states_)
    shorten(most_states_ / 2);
}

/// States that begin in the same `resolution_` cycles are kept as one: the longest. True: the list has one state more.
bool TraceFile::append(std::vector<State>& states, const State& state) const {
  if (resolution_ == 1 || states.empty() || states.back().begin / resolution_ != state.begin / resolution_) {
    states.push_back(state);
    return true;
  }
  State& last = states.back();
  const uint64_t begin = last.begin, end = std::max(last.end, state.end);
  if (state.length > last.length) last = state;
  last.begin = begin;
  last.end = end;
  return false;
}

void TraceFile::shorten(size_t most) {
  while (kept_ > most && resolution_ < kMostNumber) {
    resolution_ *= 2;
    kept_ = 0;
    for (auto& [track, warp] : warps_) {
      std::vector<State> shorter;
      for (const State& state : warp.states) append(shorter, state);
      shorter.shrink_to_fit();
      warp.states = std::move(shorter);
      kept_ += warp.states.size();
    }
  }
}

/// A warp that was there before the trace began has no slot: it gets one that is free then.
void TraceFile::give_slots(std::vector<Warp*>& warps) {
  std::stable_sort(warps.begin(), warps.end(),
                   [](const Warp* a, const Warp* b) { return a->states.front().begin < b->states.front().begin; });
  std::map<int64_t, uint64_t> busy;  // by slot, until when
  for (Warp* warp : warps) {
    int64_t slot = warp->slot;
    if (slot < 0)
      for (slot = 0; busy.contains(slot) && busy[slot] > warp->states.front().begin;) ++slot;
    warp->slot = slot;
    busy[slot] = std::max(busy[slot], warp->states.back().end);
  }
}

Json TraceFile::warp_json(const Warp& warp, size_t number, const std::unordered_map<uint32_t, size_t>& rows,
                          std::vector<uint32_t>& masks) const {
  std::vector<uint64_t> length, pcs;
  std::vector<int> state;
  std::vector<size_t> mask;
  std::vector<uint32_t> lanes;
  uint64_t next = warp.states.front().begin;
  auto push = [&](uint64_t for_cycles, int what, uint32_t line) {
    auto row = rows.find(line);
    length.push_back(for_cycles);
    state.push_back(what);
    pcs.push_back(row == rows.end() ? 0 : row->second);
    next += for_cycles;
  };
  for (const State& s : warp.states) {
    if (s.begin > next) push(s.begin - next, -1, s.line);
    push(s.end > next ? s.end - next : 0, s.state, s.line);
    if (s.state != kIssueState) continue;
    auto same = std::find(masks.begin(), masks.end(), s.mask);
    mask.push_back(static_cast<size_t>(same - masks.begin()));
    if (same == masks.end()) masks.push_back(s.mask);
    lanes.push_back(s.lanes >= 32 ? ~0U : (1U << s.lanes) - 1);  // the file has their number
  }
  return {{"number", number},
          {"slot", warp.slot},
          {"block", coordinates(warp.block)},
          {"index", warp.index},
          {"begin", warp.states.front().begin},
          {"end", next},
          {"first", warp.states.front().begin},
          {"length", length},
          {"state", state},
          {"pc", pcs},
          {"mask", mask},
          {"lanes", lanes}};
}

Json TraceFile::json(const KernelRows* kernel_rows, size_t most_states, std::vector<std::string>& notes) {
  shorten(most_states);
  std::unordered_map<uint32_t, size_t> rows;  // by line
  if (kernel_rows != nullptr)
    for (size_t i = 0; i < kernel_rows->rows.size(); ++i) rows.try_emplace(kernel_rows->rows[i].line, i);
  std::vector<Warp*> ordered;
  for (auto& [track, warp] : warps_) {
    if (warp.states.empty()) continue;
    if (auto block = blocks_.find(track.first); block != blocks_.end()) warp.block = block->second;
    ordered.push_back(&warp);
  }
  give_slots(ordered);
  std::stable_sort(ordered.begin(), ordered.end(), [](const Warp* a, const Warp* b) { return a->slot < b->slot; });
  uint64_t from = kNever, to = 0;
  std::vector<uint32_t> masks;
  Json warps = Json::array();
  for (size_t i = 0; i < ordered.size(); ++i) {
    from = std::min(from, ordered[i]->states.front().begin);
    to = std::max(to, ordered[i]->states.back().end);
    warps.push_back(warp_json(*ordered[i], i, rows, masks));
  }
  if (resolution_ > 1)
    notes.push_back(
        fmt::format("The trace has {} states; of every {} cycles the page shows the longest state of each warp.",
                    host::grouped(states_), host::grouped(resolution_)));
  return {{"sm", sm}, {"launch", launch},        {"kernel", kernel}, {"cycles", cycles},         {"from", from},
          {"to", to}, {"states", state_names()}, {"masks", masks},   {"warps", std::move(warps)}};
}

}  // namespace warptime::report
