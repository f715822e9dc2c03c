#include "cli/measure/micro_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "cli/text_table.h"
#include "host/report/report.h"

namespace warptime::cli {

namespace {

nlohmann::ordered_json sm_mhz_json(const MeasuredGpu& gpu) {
  return gpu.sm_mhz > 0 ? nlohmann::ordered_json(rounded(gpu.sm_mhz, kMhzDigits)) : nlohmann::ordered_json(nullptr);
}

double in_digits(const measure::MicroValue& value) {
  return rounded(value.value, value.unit == "us" ? kUsDigits : kDigits);
}

}  // namespace

std::string micro_text(const MicroReport& report) {
  std::string out = fmt::format("micro on {}\n", gpu_line(report.gpu.gpu));
  TextRows rows;
  for (const measure::MicroValue& value : report.results.values)
    rows.push_back({value.name, fmt::format("{:.4g}", value.value), value.unit});
  return out + text_table(rows);
}

std::string micro_json(const MicroReport& report) {
  nlohmann::ordered_json json;
  const measure::GpuDescription& gpu = report.gpu.gpu;
  json["gpu"] = {{"name", gpu.name},         {"compute_capability", fmt::format("{}.{}", gpu.major, gpu.minor)},
                 {"driver", gpu.driver},     {"sms", gpu.sms},
                 {"l2_bytes", gpu.l2_bytes}, {"sm_mhz", sm_mhz_json(report.gpu)}};
  json["values"] = nlohmann::ordered_json::array();
  for (const measure::MicroValue& value : report.results.values)
    json["values"].push_back(
        {{"name", value.name}, {"value", in_digits(value)}, {"unit", value.unit}, {"kernel", value.kernel}});
  json["missing"] = nlohmann::ordered_json::array();
  for (const measure::MicroFailure& failure : report.results.failures)
    json["missing"].push_back({{"name", failure.name}, {"message", failure.message}});
  return json_text(json);
}

std::string micro_csv(const MicroReport& report) {
  std::string out = "name,value,unit,kernel\n";
  for (const measure::MicroValue& value : report.results.values)
    out += fmt::format("{},{},{},{}\n", value.name, in_digits(value), value.unit, value.kernel);
  return out;
}

}  // namespace warptime::cli
