#include "cli/measure/micro_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "cli/text_table.h"
#include "host/report/report.h"

namespace warptime::cli {

namespace {

using Json = nlohmann::ordered_json;

Json sm_mhz_json(const MeasuredGpu& gpu) {
  return gpu.sm_mhz > 0 ? Json(rounded(gpu.sm_mhz, kMhzDigits)) : Json(nullptr);
}

double in_digits(const measure::MicroValue& value) {
  return rounded(value.value, value.unit == "us" ? kUsDigits : kDigits);
}

}  // namespace

const measure::MicroValue* MicroReport::find_simulated(const std::string& name) const {
  auto found = std::find_if(simulated.begin(), simulated.end(), [&](const auto& value) { return value.name == name; });
  return found == simulated.end() ? nullptr : &*found;
}

std::string micro_text(const MicroReport& report) {
  std::string out = fmt::format("micro on {}", report.file.empty() ? gpu_line(report.gpu.gpu) : report.file);
  if (!report.machine.empty()) out += fmt::format("; simulated: {}", report.machine);
  TextRows rows;
  if (!report.machine.empty()) rows.push_back({"", "measured", "simulated", "difference", ""});
  for (const measure::MicroValue& value : report.results.values) {
    std::vector<std::string> row{value.name, fmt::format("{:.4g}", value.value)};
    if (const measure::MicroValue* simulated = report.find_simulated(value.name)) {
      row.push_back(fmt::format("{:.4g}", simulated->value));
      row.push_back(fmt::format("{:+.1f} %", 100 * (simulated->value / value.value - 1)));
    } else if (!report.machine.empty()) {
      row.insert(row.end(), {"-", "-"});
    }
    row.push_back(value.unit);
    rows.push_back(std::move(row));
  }
  return out + "\n" + text_table(rows);
}

std::string micro_json(const MicroReport& report) {
  Json json;
  const measure::GpuDescription& gpu = report.gpu.gpu;
  if (!report.file.empty()) json["gpu"] = nullptr;
  else
    json["gpu"] = {{"name", gpu.name},         {"compute_capability", fmt::format("{}.{}", gpu.major, gpu.minor)},
                   {"driver", gpu.driver},     {"sms", gpu.sms},
                   {"l2_bytes", gpu.l2_bytes}, {"sm_mhz", sm_mhz_json(report.gpu)}};
  if (!report.machine.empty()) json["machine"] = report.machine;
  json["values"] = Json::array();
  for (const measure::MicroValue& value : report.results.values) {
    json["values"].push_back(
        {{"name", value.name}, {"value", in_digits(value)}, {"unit", value.unit}, {"kernel", value.kernel}});
    if (report.machine.empty()) continue;
    const measure::MicroValue* simulated = report.find_simulated(value.name);
    json["values"].back()["simulated"] = simulated == nullptr ? Json(nullptr) : Json(in_digits(*simulated));
  }
  json["missing"] = Json::array();
  for (const measure::MicroFailure& failure : report.results.failures)
    json["missing"].push_back({{"name", failure.name}, {"message", failure.message}});
  return json_text(json);
}

std::string micro_csv(const MicroReport& report) {
  std::string out = report.machine.empty() ? "name,value,unit,kernel\n" : "name,value,unit,kernel,simulated\n";
  for (const measure::MicroValue& value : report.results.values) {
    out += fmt::format("{},{},{},{}", value.name, in_digits(value), value.unit, value.kernel);
    if (!report.machine.empty()) out += ",";
    if (const measure::MicroValue* simulated = report.find_simulated(value.name))
      out += fmt::format("{}", in_digits(*simulated));
    out += "\n";
  }
  return out;
}

}  // namespace warptime::cli
