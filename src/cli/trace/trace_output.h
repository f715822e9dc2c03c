// What `warptime trace` recorded, as a drawing, as a list, and as files for trace viewers.
#pragma once

#include <string>
#include <string_view>

#include "host/report/report.h"
#include "sim/model/trace.h"

namespace warptime::cli {

/// A recorded launch.
struct TraceView {
  std::string target;
  std::string machine;
  std::string machine_hash;
  sim::TraceLog log;             // its events by begin, those that are no state first
  sim::LaunchStatistics launch;  // with its instructions, by index

  /// The part of the window in which anything was recorded; empty if nothing was.
  Cycle begin() const;
  Cycle end() const;
};

/// Warps in rows, cycles in columns, at most 120 characters wide; with a legend.
std::string trace_drawing(const TraceView& view);

/// What one warp did, a line each. `slot`: its warp slot, as in the drawing.
std::string trace_list(const TraceView& view, uint32_t slot);

/// A trace for Perfetto or chrome://tracing (Trace Event Format, JSON object form): a process for each block and in it
/// a thread for each warp, with slices for what it did; counters of the SM. A microsecond is a shader cycle.
std::string trace_json(const TraceView& view);

/// A log for the pipeline viewer Konata (Kanata log format 0004): a row for each issued instruction, its stages what
/// the warp did from its last issue on, named by the letters of the drawing.
std::string trace_kanata(const TraceView& view);

// --- names, the same in all of them ---

/// A state in the drawing.
char state_letter(const sim::TraceEvent& event);
/// "issue", "not_selected" or the reason's key.
std::string_view state_name(const sim::TraceEvent& event);
/// "lanes diverge" (or leave), "lanes reconverge", "other lanes": `event` is a change of mask from `before`.
std::string_view mask_change(uint32_t before, uint32_t after);
/// "(3,0)": the coordinates in the launch's grid that have more than one value.
std::string block_name(const TraceView& view, const sim::TracedWarp& warp);
/// The PTX line and text of an instruction.
uint32_t line_of(const TraceView& view, uint32_t pc);
std::string text_of(const TraceView& view, uint32_t pc);

}  // namespace warptime::cli
