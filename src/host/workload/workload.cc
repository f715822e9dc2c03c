// The registry of workloads, and from a user's request to a run of one.
#include "host/workload/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/assert.h"
#include "sim/model/machine_loader.h"

namespace warptime::host {

namespace {

std::vector<Workload>& registry() {
  static std::vector<Workload> list;
  return list;
}

bool is_legal(const WorkloadParameter& parameter, int64_t value) {
  if (parameter.choices.empty()) return value >= parameter.low && value <= parameter.high;
  return std::find(parameter.choices.begin(), parameter.choices.end(), value) != parameter.choices.end();
}

std::string legal_values(const WorkloadParameter& parameter) {
  if (parameter.choices.empty()) return fmt::format("expected {} to {}", parameter.low, parameter.high);
  return fmt::format("expected one of {}", fmt::join(parameter.choices, ", "));
}

void read_parameter(const Workload& workload, const std::string& text, const SettingPlace* place,
                    std::map<std::string, int64_t>& values, Diagnostics& diagnostics) {
  auto source = std::make_shared<SourceText>("--param", text);
  diagnostics.keep(source);
  size_t equals = text.find('=');
  auto name_length = static_cast<uint32_t>(std::min(equals, text.size()));
  SourceSpan name_span = place != nullptr ? place->name : SourceSpan{source.get(), 0, name_length};
  std::string name = text.substr(0, name_length);
  std::vector<std::string_view> names;
  for (const WorkloadParameter& p : workload.parameters) names.push_back(p.name);

  auto found = std::find_if(workload.parameters.begin(), workload.parameters.end(),
                            [&](const WorkloadParameter& p) { return p.name == name; });
  if (found == workload.parameters.end()) {
    std::string hint = did_you_mean(name, names);
    if (hint.empty()) hint = names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "));
    diagnostics.error(name_span, fmt::format("workload \"{}\" has no parameter \"{}\"", workload.name, name), hint);
    return;
  }
  if (equals == std::string::npos) {
    diagnostics.error(name_span, fmt::format("parameter \"{}\" has no value", name), fmt::format("{}=NUMBER", name));
    return;
  }
  SourceSpan value_span{source.get(), name_length + 1, static_cast<uint32_t>(text.size()) - name_length - 1};
  if (place != nullptr) value_span = place->value;
  int64_t value = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data() + equals + 1, end, value);
  if (error != std::errc() || stop != end) {
    diagnostics.error(value_span, fmt::format("parameter \"{}\" is not a whole number", name), legal_values(*found));
    return;
  }
  if (!is_legal(*found, value)) {
    diagnostics.error(value_span, fmt::format("parameter \"{}\" is out of range", name), legal_values(*found));
    return;
  }
  values[name] = value;
}

}  // namespace

const std::vector<Workload>& workloads() { return registry(); }

const Workload* find_workload(std::string_view name) {
  for (const Workload& w : registry())
    if (w.name == name) return &w;
  return nullptr;
}

bool register_workload(Workload workload) {
  SIM_ASSERT(find_workload(workload.name) == nullptr, "two workloads are called {}", workload.name);
  auto at =
      std::find_if(registry().begin(), registry().end(), [&](const Workload& w) { return w.name > workload.name; });
  registry().insert(at, std::move(workload));
  return true;
}

std::map<std::string, int64_t> workload_parameters(const Workload& workload, const std::vector<std::string>& texts,
                                                   const std::vector<SettingPlace>& places) {
  std::map<std::string, int64_t> values;
  for (const WorkloadParameter& p : workload.parameters) values[p.name] = p.default_value;
  Diagnostics diagnostics;
  for (size_t i = 0; i < texts.size(); ++i)
    read_parameter(workload, texts[i], i < places.size() ? &places[i] : nullptr, values, diagnostics);
  if (diagnostics.has_errors()) throw InputError(diagnostics.to_text());
  return values;
}

bool WorkloadContext::runs(const std::string& name) {
  if (!variant.empty()) return variant == name;
  auto needed = workload.needs.find(name);
  if (needed == workload.needs.end()) return true;
  for (const std::string& feature : needed->second) {
    if (sim::has_feature(device.machine().config, feature)) continue;
    std::vector<std::string> others = sim::machines_with_feature(device.machine().folder, feature);
    device.note(fmt::format("{}:{} is left out: it needs the feature {}, which {} does not have{}", workload.name, name,
                            feature, device.machine().name,
                            others.empty() ? "" : fmt::format(" (but {})", fmt::join(others, ", "))));
    return false;
  }
  return true;
}

std::map<std::string, std::string> workload_outputs(const Workload& workload, const std::vector<std::string>& texts) {
  std::map<std::string, std::string> files;
  Diagnostics diagnostics;
  std::vector<std::string_view> names;
  for (const WorkloadOutput& output : workload.outputs) names.push_back(output.name);
  for (const std::string& text : texts) {
    auto source = std::make_shared<SourceText>("--output", text);
    diagnostics.keep(source);
    size_t equals = text.find('=');
    std::string name = text.substr(0, equals);
    SourceSpan where{source.get(), 0, static_cast<uint32_t>(name.size())};
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      std::string hint = did_you_mean(name, names);
      if (hint.empty()) hint = names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "));
      diagnostics.error(where, fmt::format("workload \"{}\" has no output \"{}\"", workload.name, name), hint);
    } else if (equals == std::string::npos || equals + 1 == text.size()) {
      diagnostics.error(where, fmt::format("output \"{}\" has no file", name), fmt::format("{}=FILE", name));
    } else {
      files[name] = text.substr(equals + 1);
    }
  }
  if (diagnostics.has_errors()) throw InputError(diagnostics.to_text());
  return files;
}

void check_request(const Workload& workload, const WorkloadRequest& request) {
  std::string variant = request.variant == "all" ? "" : request.variant;
  const std::vector<std::string>& known = workload.variants;
  if (!variant.empty() && std::find(known.begin(), known.end(), variant) == known.end()) {
    std::string hint = did_you_mean(variant, {known.begin(), known.end()});
    if (hint.empty()) hint = known.empty() ? "it has none" : fmt::format("it has {}", fmt::join(known, ", "));
    Diagnostics diagnostics;
    diagnostics.error(request.variant_where,
                      fmt::format("workload \"{}\" has no variant \"{}\"", workload.name, variant), hint);
    throw InputError(diagnostics.to_text());
  }
  workload_parameters(workload, request.parameters, request.parameter_places);
  workload_outputs(workload, request.outputs);
}

std::vector<Check> run_workload(Device& device, const Workload& workload, const WorkloadRequest& request) {
  check_request(workload, request);
  WorkloadContext context{.device = device,
                          .workload = workload,
                          .variant = request.variant == "all" ? "" : request.variant,
                          .parameters = workload_parameters(workload, request.parameters),
                          .check = request.check,
                          .directory = request.directory,
                          .outputs = workload_outputs(workload, request.outputs),
                          .checks = {}};
  workload.run(context);
  return std::move(context.checks);
}

}  // namespace warptime::host
