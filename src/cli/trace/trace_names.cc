// What the outputs of a trace have in common: spans and names.
#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostics.h"
#include "cli/annotate/annotate_listing.h"
#include "cli/trace/trace_output.h"

namespace warptime::cli {

using EventKind = sim::TraceEvent::Kind;
using sim::Stall;

Cycle TraceView::begin() const {
  if (blocks && !blocks->blocks.empty()) {
    auto by_begin = [](const sim::BlockStay& a, const sim::BlockStay& b) { return a.begin < b.begin; };
    return std::max(log.from, std::min_element(blocks->blocks.begin(), blocks->blocks.end(), by_begin)->begin);
  }
  return log.events.empty() ? log.from : std::max(log.from, log.events.front().begin);
}

Cycle TraceView::end() const {
  Cycle last = begin();
  if (blocks)
    for (const sim::BlockStay& stay : blocks->blocks) last = std::max(last, stay.end);
  for (const sim::TraceEvent& event : log.events) last = std::max(last, event.end);
  return std::min(last, log.to);
}

char state_letter(const sim::TraceEvent& event) {
  if (event.kind == EventKind::Issue) return event.active == 0xffffffff ? '#' : '+';
  if (event.kind == EventKind::Ready) return '.';
  switch (event.reason) {
    case Stall::AluDependency: return 'a';
    case Stall::SharedDependency: return 's';
    case Stall::ConstantDependency: return 'c';
    case Stall::TextureDependency: return 't';
    case Stall::GlobalDependency: return 'g';
    case Stall::Barrier: return 'b';
    case Stall::Fence: return 'f';
    case Stall::AsyncWait: return 'w';
    case Stall::InstructionFetch: return 'i';
#define X(unused, name, key, unit, what, where, letter, ...) \
  case Stall::name##Busy: return letter;
      PTX_PIPES(X, )
#undef X
    case Stall::MemoryPortBusy: return 'm';
    case Stall::MemoryQueueFull: return 'q';
    case Stall::NoWarp:
    case Stall::Drained: break;
  }
  return ' ';
}

std::string_view state_name(const sim::TraceEvent& event) {
  if (event.kind == EventKind::Issue) return "issue";
  if (event.kind == EventKind::Ready) return "not_selected";
  return info(event.reason).key;
}

std::string_view mask_change(uint32_t before, uint32_t after) {
  if ((after & ~before) == 0) return "lanes diverge";
  return (before & ~after) == 0 ? "lanes reconverge" : "other lanes";
}

std::string time_note(const TraceView& view) {
  if (view.timeline.empty()) return "1 us is 1 shader cycle";
  return fmt::format("1 us is 1 shader cycle, from the beginning of the program; the launch begins at {}", view.origin);
}

std::string block_name(const TraceView& view, uint64_t block) {
  const auto& grid = view.launch.grid;
  uint64_t x = block % grid[0], y = block / grid[0] % grid[1], z = block / grid[0] / grid[1];
  if (grid[2] > 1) return fmt::format("({},{},{})", x, y, z);
  return grid[1] > 1 ? fmt::format("({},{})", x, y) : fmt::format("({})", x);
}

uint32_t line_of(const TraceView& view, uint32_t pc) {
  return pc < view.launch.instructions.size() ? view.launch.instructions[pc].line : 0;
}

std::string source_of(const TraceView& view, uint32_t pc) {
  if (pc >= view.launch.instructions.size()) return {};
  const sim::InstructionRow& row = view.launch.instructions[pc];
  if (row.source_line == 0) return {};
  return short_place(UserLine{.file = row.source_file, .line = row.source_line});
}

std::string text_of(const TraceView& view, uint32_t pc) {
  const auto& rows = view.launch.instructions;
  return pc < rows.size() && rows[pc].line != 0 ? text_as_written(rows, pc, *view.launch.ptx) : "";
}

std::string native_of(const TraceView& view, uint32_t pc) {
  return view.native == nullptr ? std::string() : view.native->line(pc);
}

}  // namespace warptime::cli
