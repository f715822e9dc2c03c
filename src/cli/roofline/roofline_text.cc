// The roofs and points as text and as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "cli/roofline/roofline_output.h"
#include "cli/text_table.h"
#include "host/roofline/roofs.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

namespace {

std::string rate(double value) { return value < 99.95 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value); }

std::string intensity(const std::optional<double>& value) { return value ? fmt::format("{:.3g}", *value) : "-"; }

/// What the point is under.
std::string limit(const host::RooflinePoint& point) {
  if (point.by_memory) return "DRAM";
  switch (point.unit) {
    case host::RooflineUnit::F32: return "f32";
    case host::RooflineUnit::F64: return "f64";
    case host::RooflineUnit::Tensor: return "tensor cores";
  }
  return {};
}

void add_roofs(TextRows& rows, const std::vector<host::Roof>& roofs, std::string_view unit) {
  for (const host::Roof& roof : roofs)
    rows.push_back({(roof.kind == host::Roof::Kind::Ceiling ? "  " : "") + roof.name,
                    fmt::format("{:>6} {}", rate(roof.rate), unit), roof.from});
}

Json to_json(const std::vector<host::Roof>& roofs) {
  Json out = Json::array();
  for (const host::Roof& roof : roofs)
    out.push_back({{"name", roof.name}, {"rate", roof.rate}, {"ceiling", roof.kind == host::Roof::Kind::Ceiling}});
  return out;
}

}  // namespace

std::string roofline_text(const RooflineInput& input) {
  TextRows roofs;
  add_roofs(roofs, host::compute_roofs(input.machine.config), "GFLOP/s");
  add_roofs(roofs, host::bandwidth_roofs(input.machine.config), "GB/s");
  std::string out = fmt::format("roofs of {} (indented: ceilings below them)\n", input.machine.name);
  out += text_table(roofs, "  ");
  if (!input.points.empty()) {
    TextRows rows{{"kernel", "flops/DRAM byte", "flops/requested byte", "GFLOP/s", "roof", "share", "under"}};
    for (const host::RooflinePoint& point : input.points)
      rows.push_back({point.name, intensity(point.by_dram), intensity(point.by_request), rate(point.gflops),
                      rate(point.roof), fmt::format("{:.1f} %", 100 * point.share()), limit(point)});
    out += "\n" + text_table(rows);
  }
  if (!input.notes.empty()) out += "\n";
  for (const std::string& note : input.notes) out += note + "\n";
  return out;
}

std::string roofline_json(const RooflineInput& input) {
  Json points = Json::array();
  auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
  for (const host::RooflinePoint& point : input.points)
    points.push_back({{"name", point.name},
                      {"flops_per_dram_byte", number(point.by_dram)},
                      {"flops_per_requested_byte", number(point.by_request)},
                      {"gflops", point.gflops},
                      {"roof_gflops", point.roof},
                      {"share", point.share()},
                      {"under", limit(point)}});
  return json_text({{"schema", 1},
                    {"machine", input.machine.name},
                    {"gflops", to_json(host::compute_roofs(input.machine.config))},
                    {"gb_s", to_json(host::bandwidth_roofs(input.machine.config))},
                    {"points", std::move(points)},
                    {"notes", input.notes}});
}

}  // namespace warptime::cli
