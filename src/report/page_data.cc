#include "report/page_data.h"

#include <algorithm>

#include "host/report/statistics_text.h"
#include "ptx/user/demangle.h"
#include "report/limits.h"
#include "report/memory_data.h"
#include "report/page.h"
#include "report/trace_data.h"
#include "sim/model/resource.h"
#include "sim/model/statistics_list.h"

namespace warptime::report {

using Json = nlohmann::ordered_json;

namespace {

constexpr int kSchema = 1;

Json stalls() {
  Json out = Json::array();
  for (const sim::StallInfo& stall : sim::kStalls)
    out.push_back({{"key", stall.key}, {"what", "waiting for " + std::string(stall.what)}});
  return out;
}

Json resources() {
  Json out = Json::array();
  for (const sim::ResourceInfo& resource : sim::kResources)
    out.push_back({{"key", resource.key},
                   {"words", resource.words},
                   {"scope", resource.scope},
                   {"reachable", resource.reachable},
                   {"what", resource.doc}});
  return out;
}

Json catalogue() {
  Json out = Json::array();
  for (const sim::StatisticRow& row : sim::statistics_list())
    out.push_back(
        {{"name", row.name}, {"unit", row.unit}, {"scope", row.scope}, {"what", row.what}, {"profiler", row.profiler}});
  return out;
}

/// The kernels whose names are mangled, as their authors wrote them.
Json demangled_names(const Json& launches) {
  Json out = Json::object();
  for (const Json& launch : launches) {
    const auto kernel = launch.find("kernel");
    if (kernel == launch.end() || !kernel->is_string()) continue;
    const auto mangled = kernel->get<std::string>();
    if (std::string name = ptx::demangled(mangled); name != mangled) out[mangled] = std::move(name);
  }
  return out;
}

/// All but the trace.
Json without_trace(const PageInput& input) {
  Json files = Json::array();
  Json kernels = kernels_json(input.kernels, input.machine, files, input.with_issues);
  Json launches = input.statistics.value("launches", Json::array());
  Json out{{"schema", kSchema}, {"statistics", input.statistics}, {"kernels", std::move(kernels)}};
  out["names"] = demangled_names(launches);
  out["stalls"] = stalls();
  out["resources"] = resources();
  out["catalogue"] = catalogue();
  out["occupancy"] = input.machine == nullptr ? Json() : occupancy_curves(launches, *input.machine);
  out["roofline"] = input.machine == nullptr ? Json() : roofline(launches, *input.machine);
  out["findings"] = input.findings;
  out["faults"] = input.faults;
  out["comparison"] = input.comparison;
  if (input.before != nullptr)
    out["comparison"]["a"]["kernels"] = kernels_json(input.before->kernels, input.before->machine, files);
  out["files"] = std::move(files);
  return out;
}

/// Null: there is none.
Json trace_of(const PageInput& input, size_t most_states, std::vector<std::string>& notes) {
  if (input.trace != nullptr) return trace_json(*input.trace, *input.traced, most_states, notes);
  if (input.trace_file == nullptr) return nullptr;
  auto rows = std::find_if(input.kernels.begin(), input.kernels.end(),
                           [&](const KernelRows& k) { return k.kernel == input.trace_file->kernel; });
  return input.trace_file->json(rows == input.kernels.end() ? nullptr : &*rows, most_states, notes);
}

}  // namespace

Json statistics_json(const host::RunReport& report) {
  std::string out;
  auto text = host::statistics_text(host::StatisticsFormat::Json, report.machine, report.target, true,
                                    [&](std::string_view part) { out += part; });
  for (const sim::LaunchStatistics& launch : report.launches) text->launch(launch);
  for (const host::TimelineEvent& event : report.timeline) text->event(event);
  text->end(report, host::total_of(report));
  Json json = Json::parse(out);
  json.erase("host");  // the only part that differs from run to run
  return json;
}

std::string page_html(const PageInput& input, size_t most_bytes) {
  Json data = without_trace(input);
  std::vector<std::string> all_notes = input.notes;
  const bool has_accesses = input.accesses != nullptr && input.machine != nullptr && input.trace != nullptr;
  data["memory"] =
      has_accesses ? memory_json(*input.accesses, input.trace->sm, *input.traced, *input.machine, all_notes) : Json();
  for (size_t most_states = kMostStates;; most_states /= 2) {
    std::vector<std::string> notes = all_notes;
    data["trace"] = trace_of(input, most_states, notes);
    if (has_accesses) {
      data["trace"]["requests"] = requests_json(*input.accesses);
      data["trace"]["stacks"] = stacks_json(*input.accesses);
      data["trace"]["units"] = units_json(*input.accesses);
    }
    if (input.before != nullptr) data["comparison"]["a"]["trace"] = trace_of(*input.before, most_states, notes);
    data["notes"] = notes;
    std::string html = page_with(data.dump(-1, ' ', false, Json::error_handler_t::replace));
    if (html.size() <= most_bytes || data["trace"].is_null() || most_states < 1000) return html;
  }
}

}  // namespace warptime::report
