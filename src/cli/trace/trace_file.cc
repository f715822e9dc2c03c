#include "cli/trace/trace_file.h"

#include <algorithm>
#include <cmath>

#include "report/gzip.h"

namespace warptime::cli {

TraceContents trace_format(const ArgumentText& file, bool with_warps) {
  std::string_view name = file.text;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".json")) return trace_json;
  if (name.ends_with(".pftrace")) return trace_perfetto;
  if (name.ends_with(".kanata") && with_warps) return trace_kanata;
  fail(file.where, fmt::format("cannot tell the format of \"{}\"", file.text),
       fmt::format("the name must end in .pftrace or .json (Perfetto){}, with .gz behind it for a compressed file",
                   with_warps ? " or .kanata (Konata)" : ""));
}

void TraceFile::write(const TraceView& view) {
  if (compressed) {
    report::GzipStream stream([this](std::string_view piece) { out.write(piece); });
    contents(view, [&stream](std::string_view piece) { stream.write(piece); });
    stream.finish();
  } else {
    contents(view, [this](std::string_view piece) { out.write(piece); });
  }
  out.finish();
}

void set_timeline(TraceView& view, const std::vector<host::TimelineEvent>& timeline, double shader_mhz) {
  auto cycles = [shader_mhz](double us) { return static_cast<Cycle>(std::llround(std::max(us, 0.0) * shader_mhz)); };
  for (const host::TimelineEvent& event : timeline)
    view.timeline.push_back({event, cycles(event.start_us), cycles(event.end_us)});
}

}  // namespace warptime::cli
