// Warps against cycles in the terminal. A column is the state in which the warp spent most of its cycles; where lanes
// diverge or reconverge, and where a new warp comes, that is shown instead.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "cli/trace/trace_output.h"

namespace warptime::cli {

using EventKind = sim::TraceEvent::Kind;
using sim::TracedWarp;
using sim::TraceEvent;

namespace {

constexpr size_t kWidth = 120;
constexpr size_t kTick = 20;  // columns from one cycle number to the next

// A state's row in the legend: the two of an issue, ready, then the reasons. Of states with as many cycles in a column,
// the first is drawn.
constexpr size_t kStates = 3 + sim::kStallCount;

size_t state_index(const TraceEvent& event) {
  if (event.kind == EventKind::Issue) return state_letter(event) == '#' ? 0 : 1;
  return event.kind == EventKind::Ready ? 2 : 3 + static_cast<size_t>(event.reason);
}

/// A state of that row.
TraceEvent state_of(size_t index) {
  if (index < 2) return {.kind = EventKind::Issue, .active = index == 0 ? ~0u : 0};
  if (index == 2) return {.kind = EventKind::Ready};
  return {.kind = EventKind::Stall, .reason = static_cast<sim::Stall>(index - 3)};
}

std::string meaning(size_t index) {
  if (index == 0) return "issues, all 32 lanes active";
  if (index == 1) return "issues with fewer lanes";
  if (index == 2) return "ready, another warp went first";
  return fmt::format("{}: {}", sim::kStalls[index - 3].key, sim::kStalls[index - 3].what);
}

struct Row {
  std::vector<const TracedWarp*> warps;  // one after the other
  std::vector<std::array<Cycle, kStates>> cycles;
  std::string marks;  // blank: none
};

class Drawing {
 public:
  explicit Drawing(const TraceView& view) : view_(view), begin_(view.begin()), end_(std::max(view.end(), begin_ + 1)) {
    size_t block_width = 5;
    for (const TracedWarp& warp : view.log.warps)
      if (seen(warp)) block_width = std::max(block_width, block_name(view, warp.block).size());
    block_width_ = block_width + 4;  // " +12": more blocks later
    size_t columns = kWidth - label_width();
    per_column_ = (end_ - begin_ + columns - 1) / columns;
    columns_ = static_cast<size_t>((end_ - begin_ + per_column_ - 1) / per_column_);
  }

  std::string text() {
    fill();
    std::string out = fmt::format("a column is {} cycle{}\n\n{}", per_column_, per_column_ == 1 ? "" : "s", ruler());
    for (const auto& [slot, row] : rows_) out += label(slot, row) + letters(row) + "\n";
    return out + legend();
  }

 private:
  bool seen(const TracedWarp& warp) const { return warp.begin < end_ && warp.end > begin_; }
  size_t label_width() const { return 3 + 1 + block_width_ + 1 + 4 + 2; }
  size_t column(Cycle cycle) const { return static_cast<size_t>((cycle - begin_) / per_column_); }

  void fill() {
    for (const TracedWarp& warp : view_.log.warps) {
      if (!seen(warp)) continue;
      Row& row = rows_[warp.slot];
      if (row.warps.empty()) {
        row.cycles.resize(columns_);
        row.marks.assign(columns_, ' ');
      }
      row.warps.push_back(&warp);
      if (warp.begin > begin_ && row.warps.size() > 1) row.marks[column(warp.begin)] = '|';
    }
    std::vector<uint32_t> active(view_.log.warps.size());
    for (const TraceEvent& event : view_.log.events) {
      Row& row = rows_[view_.log.warps[event.warp].slot];
      if (event.is_state()) add(row, event);
      // A warp's first mask is not a change.
      if (event.kind == EventKind::Mask && active[event.warp] != 0 && event.begin < end_)
        row.marks[column(event.begin)] = mark_of(mask_change(active[event.warp], event.active));
      if (event.active != 0) active[event.warp] = event.active;
    }
  }

  void add(Row& row, const TraceEvent& event) {
    size_t index = state_index(event);
    Cycle from = std::max(event.begin, begin_), to = std::min(event.end, end_);
    while (from < to) {
      size_t at = column(from);
      Cycle until = std::min(to, begin_ + (at + 1) * per_column_);
      row.cycles[at][index] += until - from;
      total_[index] += until - from;
      from = until;
    }
  }

  std::string ruler() const {
    std::string numbers(label_width(), ' '),
        ticks = fmt::format("{:>3} {:<{}} {:>4}  ", "#", "block", block_width_, "warp");
    for (size_t at = 0; at < columns_; at += kTick) {
      numbers += fmt::format("{:<{}}", begin_ + at * per_column_, kTick);
      ticks += fmt::format("{:<{}}", '|', kTick);
    }
    numbers.resize(std::min(numbers.find_last_not_of(' ') + 1, kWidth));
    ticks.resize(ticks.find_last_not_of(' ') + 1);
    return numbers + "\n" + ticks + "\n";
  }

  std::string label(uint32_t slot, const Row& row) const {
    std::string block = block_name(view_, row.warps.front()->block);
    if (size_t more = row.warps.size() - 1; more > 0) block += fmt::format(" +{}", more);
    return fmt::format("{:>3} {:<{}} {:>4}  ", slot, block, block_width_, row.warps.front()->index_in_block);
  }

  /// The state of most cycles of a column; kStates: the row has none there.
  static size_t longest(const Row& row, size_t at) {
    auto most = std::max_element(row.cycles[at].begin(), row.cycles[at].end());
    return *most == 0 ? kStates : static_cast<size_t>(most - row.cycles[at].begin());
  }
  bool is_drawn(size_t state) const {
    for (const auto& [slot, row] : rows_)
      for (size_t at = 0; at < columns_; ++at)
        if (row.marks[at] == ' ' && longest(row, at) == state) return true;
    return false;
  }

  std::string letters(const Row& row) const {
    std::string out;
    for (size_t at = 0; at < columns_; ++at) {
      const size_t index = longest(row, at);
      char letter = index == kStates ? ' ' : state_letter(state_of(index));
      out += row.marks[at] != ' ' ? row.marks[at] : letter;
    }
    return out.substr(0, out.find_last_not_of(' ') + 1);
  }

  std::string legend() const {
    Cycle all = 0;
    for (Cycle cycles : total_) all += cycles;
    std::string out = "\n";
    for (size_t i = 0; i < kStates; ++i) {
      if (total_[i] == 0) continue;
      double share = 100.0 * static_cast<double>(total_[i]) / static_cast<double>(all);
      const bool drawn = is_drawn(i);  // no letter is explained that the drawing does not have
      out += fmt::format("  {}  {:>5.1f} %  {}{}\n", drawn ? state_letter(state_of(i)) : ' ', share, meaning(i),
                         drawn ? "" : " (not drawn)");
    }
    auto marked = [&](char mark) {
      return std::any_of(rows_.begin(), rows_.end(),
                         [&](const auto& row) { return row.second.marks.find(mark) != std::string::npos; });
    };
    if (marked('<')) out += "  <           lanes diverge, or exit\n";
    if (marked('x')) out += "  x           the turn of the other lanes\n";
    if (marked('>')) out += "  >           lanes reconverge\n";
    if (marked('|')) out += "  |           the next block's warp comes\n";
    return out;
  }

  static char mark_of(std::string_view change) {
    if (change == "lanes diverge") return '<';
    return change == "lanes reconverge" ? '>' : 'x';
  }

  const TraceView& view_;
  Cycle begin_, end_;
  size_t block_width_ = 0;
  Cycle per_column_ = 1;
  size_t columns_ = 0;
  std::map<uint32_t, Row> rows_;
  std::array<Cycle, kStates> total_{};
};

}  // namespace

std::string trace_drawing(const TraceView& view) { return Drawing(view).text(); }

}  // namespace warptime::cli
