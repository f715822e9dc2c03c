#include "cli/list/workload_list.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/text_table.h"
#include "host/workload/workload.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

std::string workloads_text() {
  std::string out;
  for (const host::Workload& workload : host::workloads()) {
    out += fmt::format("{}  {}\n", workload.name, workload.summary);
    TextRows rows;
    for (const std::string& variant : workload.variants) {
      std::string published;
      for (const host::Published& figure : workload.published)
        if (figure.variant == variant)
          published +=
              fmt::format("{}{} {} ({}{}{})", published.empty() ? "published: " : ", ", figure.value, figure.quantity,
                          figure.conditions, figure.conditions.empty() ? "" : "; ", figure.source);
      rows.push_back({fmt::format("{}:{}", workload.name, variant), published});
    }
    for (const host::WorkloadParameter& p : workload.parameters) {
      std::string legal =
          p.choices.empty() ? fmt::format("{} to {}", p.low, p.high) : fmt::format("{}", fmt::join(p.choices, ", "));
      rows.push_back({fmt::format("--param {}={}", p.name, p.default_value), fmt::format("{} ({})", p.what, legal)});
    }
    for (const host::WorkloadOutput& output : workload.outputs)
      rows.push_back({fmt::format("--output {}=FILE", output.name), output.what});
    out += text_table(rows, "  ");
  }
  return out;
}

Json workloads_json() {
  Json all = Json::array();
  for (const host::Workload& workload : host::workloads()) {
    Json entry{{"name", workload.name}, {"what", workload.summary}, {"variants", workload.variants}};
    entry["parameters"] = Json::array();
    for (const host::WorkloadParameter& p : workload.parameters) {
      Json parameter{{"name", p.name}, {"default", p.default_value}};
      if (p.choices.empty()) parameter.update({{"low", p.low}, {"high", p.high}});
      else parameter["choices"] = p.choices;
      parameter["what"] = p.what;
      entry["parameters"].push_back(std::move(parameter));
    }
    entry["published"] = Json::array();
    for (const host::Published& figure : workload.published)
      entry["published"].push_back({{"variant", figure.variant},
                                    {"quantity", figure.quantity},
                                    {"value", figure.value},
                                    {"conditions", figure.conditions},
                                    {"source", figure.source},
                                    {"machine", figure.machine}});
    entry["outputs"] = Json::array();
    for (const host::WorkloadOutput& output : workload.outputs)
      entry["outputs"].push_back({{"name", output.name}, {"what", output.what}});
    all.push_back(std::move(entry));
  }
  return all;
}

}  // namespace warptime::cli
