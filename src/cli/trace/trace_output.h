// The output of `warptime trace`: a drawing, a list, and files for trace viewers.
#pragma once

#include <functional>
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
  sim::TraceLog log;             // its events by begin; of equal begin, those without a duration first
  sim::LaunchStatistics launch;  // with its instructions, by index
  bool complete = true;          // false: the run was cut short

  /// The part of the window with recorded events; empty if there are none.
  Cycle begin() const;
  Cycle end() const;
};

/// Warps in rows, cycles in columns, at most 120 characters wide; with a legend.
std::string trace_drawing(const TraceView& view);

/// The events of one warp, one per line. `slot`: its warp slot, as in the drawing.
std::string trace_list(const TraceView& view, uint32_t slot);

/// A trace for Perfetto or chrome://tracing (Trace Event Format, JSON object form): a process for each block with a
/// thread for each warp and slices for its states; counters of the SM. A microsecond is a shader cycle.
std::string trace_json(const TraceView& view);

/// The same for Perfetto in its own format (Protocol Buffers), handed over piece by piece.
void trace_perfetto(const TraceView& view, const std::function<void(std::string_view)>& write);

/// A log for the pipeline viewer Konata (Kanata log format 0004): a row for each issued instruction; its stages are the
/// warp's states since its last issue, named by the letters of the drawing.
std::string trace_kanata(const TraceView& view);

// --- names in all outputs ---

/// A state in the drawing.
char state_letter(const sim::TraceEvent& event);
/// "issue", "not_selected" or the reason's key.
std::string_view state_name(const sim::TraceEvent& event);
/// "lanes diverge" (or exit), "lanes reconverge", "other lanes": `event` changes the mask from `before`.
std::string_view mask_change(uint32_t before, uint32_t after);
/// "(3,0)": the coordinates in the launch's grid that have more than one value.
std::string block_name(const TraceView& view, const sim::TracedWarp& warp);
/// The PTX line and text of an instruction.
uint32_t line_of(const TraceView& view, uint32_t pc);
std::string text_of(const TraceView& view, uint32_t pc);

}  // namespace warptime::cli
