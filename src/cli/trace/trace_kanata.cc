// The Kanata log format 0004 as its description (docs/kanata-log-format.md of github.com/shioyadan/Konata) has it:
// lines of columns between tabs, in the order of time. `I` begins an instruction, `L` labels it, `S` begins a stage,
// `R` retires it, `C` lets cycles pass.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "cli/trace/trace_output.h"

namespace warptime::cli {

using EventKind = sim::TraceEvent::Kind;
using sim::TraceEvent;

namespace {

/// An instruction of a warp, from the warp's previous issue on.
struct WarpRow {
  std::vector<const TraceEvent*> states;  // the last is its issue, unless the window ends before
  Cycle begin() const { return states.front()->begin; }
  Cycle end() const { return states.back()->end; }
};

std::vector<WarpRow> rows_of(const TraceView& view) {
  std::vector<WarpRow> rows, open(view.log.warps.size());
  for (const TraceEvent& event : view.log.events) {
    if (!event.is_state()) continue;
    WarpRow& row = open[event.warp];
    row.states.push_back(&event);
    if (event.kind == EventKind::Issue) rows.push_back(std::exchange(row, {}));
  }
  for (WarpRow& row : open)
    if (!row.states.empty()) rows.push_back(std::move(row));
  std::stable_sort(rows.begin(), rows.end(), [](const WarpRow& a, const WarpRow& b) { return a.begin() < b.begin(); });
  return rows;
}

struct LogLine {
  Cycle cycle;
  std::string text;
};

void add_row(std::vector<LogLine>& lines, const TraceView& view, const WarpRow& row, size_t id, size_t retired) {
  const TraceEvent& last = *row.states.back();
  const sim::TracedWarp& warp = view.log.warps[last.warp];
  const std::string source = source_of(view, last.pc);
  lines.push_back({row.begin(), fmt::format("I\t{}\t{}\t{}\n", id, id, warp.slot)});
  lines.push_back(
      {row.begin(), fmt::format("L\t{}\t0\t{}.{} {}{}: {}\n", id, block_name(view, warp.block), warp.index_in_block,
                                source.empty() ? "" : source + " ", line_of(view, last.pc), text_of(view, last.pc))});
  for (const TraceEvent* state : row.states) {
    lines.push_back({row.begin(), fmt::format("L\t{}\t1\t{} {} cycles from {}; \n", id, state_name(*state),
                                              state->end - state->begin, state->begin)});
    lines.push_back({state->begin, fmt::format("S\t{}\t0\t{}\n", id, state_letter(*state))});
  }
  if (last.kind == EventKind::Issue)
    lines.push_back({row.begin(),
                     fmt::format("L\t{}\t1\t{} lanes, active {:08x}; \n", id, std::popcount(last.lanes), last.active)});
  if (std::string native = native_of(view, last.pc); !native.empty() && last.kind == EventKind::Issue)
    lines.push_back({row.begin(), fmt::format("L\t{}\t1\t{}; \n", id, native)});
  lines.push_back({row.end(), fmt::format("R\t{}\t{}\t0\n", id, retired)});
}

}  // namespace

void trace_kanata(const TraceView& view, const TraceWrite& write) {
  std::vector<WarpRow> rows = rows_of(view);
  std::vector<size_t> by_end(rows.size()), retired(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) by_end[i] = i;
  std::stable_sort(by_end.begin(), by_end.end(), [&](size_t a, size_t b) { return rows[a].end() < rows[b].end(); });
  for (size_t i = 0; i < rows.size(); ++i) retired[by_end[i]] = i;

  std::vector<LogLine> lines;
  for (size_t id = 0; id < rows.size(); ++id) add_row(lines, view, rows[id], id, retired[id]);
  std::stable_sort(lines.begin(), lines.end(), [](const LogLine& a, const LogLine& b) { return a.cycle < b.cycle; });

  Cycle now = lines.empty() ? view.begin() : lines.front().cycle;
  std::string out = fmt::format("Kanata\t0004\nC=\t{}\n", now);
  for (const LogLine& line : lines) {
    if (line.cycle > now) out += fmt::format("C\t{}\n", line.cycle - now);
    now = line.cycle;
    out += line.text;
    if (out.size() < kTracePiece) continue;
    write(out);
    out.clear();
  }
  write(out);
}

}  // namespace warptime::cli
