// One warp's states, a line each: what it issued, and what it waited for before that.
#include <fmt/format.h>

#include <bit>

#include "cli/trace/trace_output.h"

namespace warptime::cli {

using EventKind = sim::TraceEvent::Kind;

std::string trace_list(const TraceView& view, uint32_t slot) {
  std::string out;
  uint32_t warp = ~0u, active = 0;
  for (const sim::TraceEvent& event : view.log.events) {
    const sim::TracedWarp& who = view.log.warps[event.warp];
    if (who.slot != slot) continue;
    if (event.warp != warp) {
      out += fmt::format("{}block {} warp {}, cycles {} to {}\n{:>9} {:>7}  {:<18} {:>5} {:>5}  {}\n",
                         out.empty() ? "" : "\n", block_name(view, who.block), who.index_in_block, who.begin, who.end,
                         "cycle", "cycles", "state", "lanes", "line", "instruction");
      warp = event.warp;
      active = 0;
    }
    switch (event.kind) {
      case EventKind::Issue: {
        const std::string source = source_of(view, event.pc);
        out += fmt::format("{:>9} {:>7}  {:<18} {:>5} {:>5}  {}{}\n", event.begin, event.end - event.begin,
                           state_name(event), std::popcount(event.lanes), line_of(view, event.pc),
                           source.empty() ? "" : source + "  ", text_of(view, event.pc));
        if (std::string native = native_of(view, event.pc); !native.empty())
          out += fmt::format("{:53}{}\n", "", native);
        break;
      }
      case EventKind::Stall:
      case EventKind::Ready:
        out += fmt::format("{:>9} {:>7}  {}\n", event.begin, event.end - event.begin, state_name(event));
        break;
      case EventKind::Mask:
        if (active != 0)
          out += fmt::format("{:>9} {:>7}  {}: {:08x}\n", event.begin, "", mask_change(active, event.active),
                             event.active);
        break;
      case EventKind::Arrive: out += fmt::format("{:>9} {:>7}  at barrier {}\n", event.begin, "", event.barrier); break;
      case EventKind::Release: out += fmt::format("{:>9} {:>7}  released\n", event.begin, ""); break;
    }
    if (event.active != 0) active = event.active;
  }
  return out;
}

}  // namespace warptime::cli
