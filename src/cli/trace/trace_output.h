// The output of `warptime trace`: a drawing, a list, and files for trace viewers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/native_view/native_view.h"
#include "host/report/interval_counters.h"
#include "host/report/report.h"
#include "sim/model/block_log.h"
#include "sim/model/trace.h"

namespace warptime::cli {

/// What the chip did in a part of the launch.
struct TracedInterval {
  Cycle begin = 0, end = 0;
  std::vector<host::IntervalCounter> counters;
};

/// A recorded launch.
struct TraceView {
  std::string target;
  std::string machine;
  std::string machine_hash;
  sim::TraceLog log;             // its events by start; of equal start, those without a duration first
  sim::LaunchStatistics launch;  // with its instructions, by index
  bool complete = true;          // false: the run was cut short
  std::vector<TracedInterval> intervals;
  /// The blocks that were running in the window, with --level block, which records no states of warps.
  std::optional<sim::BlockLog> blocks;
  /// The host's timeline in shader cycles from the beginning of the program; empty: not in the trace.
  struct HostEvent {
    host::TimelineEvent event;
    Cycle begin = 0, end = 0;
  };
  std::vector<HostEvent> timeline;
  std::shared_ptr<const host::NativeView> native;  // what the machine issues; nullptr: it is not shown
  Cycle origin = 0;                                // where the launch's cycle 0 is in the times of the file

  /// The part of the window with recorded events or blocks; empty if there are none.
  Cycle begin() const;
  Cycle end() const;
};

/// Warps in rows, cycles in columns, at most 120 characters wide; with a legend.
std::string trace_drawing(const TraceView& view);

/// Blocks in rows by SM, cycles in columns.
std::string block_drawing(const TraceView& view);

/// The events of one warp, one per line. `slot`: its warp slot, as in the drawing.
std::string trace_list(const TraceView& view, uint32_t slot);

// Files are handed over piece by piece.
using TraceWrite = std::function<void(std::string_view)>;
inline constexpr size_t kTracePiece = 1 << 16;  // bytes, about

/// A trace for Perfetto or chrome://tracing (Trace Event Format, JSON object form): a process for each block with a
/// thread for each warp and slices for its states; counters of the SM. Of --level block: a process for each SM, a
/// thread for each of its resident blocks. A microsecond is a shader cycle.
void trace_json(const TraceView& view, const TraceWrite& write);

/// A trace with the contents of trace_json in Perfetto's own format (Protocol Buffers).
void trace_perfetto(const TraceView& view, const TraceWrite& write);

/// A log for the pipeline viewer Konata (Kanata log format 0004): a row for each issued instruction; its stages are the
/// warp's states since its last issue, named by the letters of the drawing.
void trace_kanata(const TraceView& view, const TraceWrite& write);

// --- names in all outputs ---

/// A state in the drawing.
char state_letter(const sim::TraceEvent& event);
/// "issue", "not_selected" or the reason's key.
std::string_view state_name(const sim::TraceEvent& event);
/// "lanes diverge" (or exit), "lanes reconverge", "other lanes": `event` changes the mask from `before`.
std::string_view mask_change(uint32_t before, uint32_t after);
/// "(3,0)": the coordinates in the launch's grid that have more than one value.
std::string block_name(const TraceView& view, uint64_t block);
/// "1 us is 1 shader cycle", and of which time.
std::string time_note(const TraceView& view);
/// "k.cu:7"; empty: the PTX names no line.
std::string source_of(const TraceView& view, uint32_t pc);
/// The PTX line and text of an instruction.
uint32_t line_of(const TraceView& view, uint32_t pc);
std::string text_of(const TraceView& view, uint32_t pc);
/// What issues for it; empty: that is not shown.
std::string native_of(const TraceView& view, uint32_t pc);

}  // namespace warptime::cli
