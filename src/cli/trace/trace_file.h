// A file for a trace viewer: its format by the name, compressed if that ends in .gz.
#pragma once

#include "cli/output.h"
#include "cli/trace/trace_output.h"

namespace warptime::cli {

using TraceContents = void (*)(const TraceView&, const TraceWrite&);

/// Throws host::InputError. `with_warps`: there may be states of warps, which Konata shows.
TraceContents trace_format(const ArgumentText& file, bool with_warps);

struct TraceFile {
  Output out;
  TraceContents contents;
  bool compressed = false;

  void write(const TraceView& view);
};

/// The host's timeline in cycles of the shader clock.
void set_timeline(TraceView& view, const std::vector<host::TimelineEvent>& timeline, double shader_mhz);

}  // namespace warptime::cli
