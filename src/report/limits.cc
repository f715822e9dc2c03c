#include "report/limits.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/roofline/roofline_point.h"
#include "host/roofline/roofs.h"
#include "sim/model/occupancy.h"

namespace warptime::report {

using Json = nlohmann::ordered_json;

namespace {

constexpr uint32_t kMostRegisters = 128;
constexpr uint32_t kSharedSteps = 64;

/// 0 for whatever is not there or not a number.
double number(const Json& object, std::initializer_list<const char*> path) {
  const Json* at = &object;
  for (const char* key : path) {
    if (!at->is_object()) return 0;
    auto found = at->find(key);
    if (found == at->end()) return 0;
    at = &*found;
  }
  return at->is_number() ? at->get<double>() : 0;
}

uint32_t whole(const Json& object, std::initializer_list<const char*> path) {
  double value = number(object, path);
  return value >= 0 && value < 4294967295.0 ? static_cast<uint32_t>(value) : 0;
}

uint32_t threads_of(const Json& launch) {
  auto block = launch.find("block");
  if (block == launch.end() || !block->is_array()) return 0;
  double threads = 1;
  for (const Json& extent : *block) threads *= extent.is_number() ? extent.get<double>() : 0;
  return threads < 1e6 ? static_cast<uint32_t>(threads) : 0;
}

struct Usage {
  uint32_t threads = 0, registers = 0, shared = 0;
};

Json curve(const sim::MachineConfig& machine, Usage usage, uint32_t Usage::*what, uint32_t from, uint32_t to,
           uint32_t step) {
  Json x = Json::array(), warps = Json::array();
  uint32_t own = usage.*what;
  for (uint64_t value = from; value <= to; value += step) {
    usage.*what = static_cast<uint32_t>(value);
    x.push_back(value);
    warps.push_back(sim::occupancy(machine, usage.threads, usage.registers, usage.shared).warps_per_sm);
  }
  return {{"own", own}, {"x", std::move(x)}, {"warps", std::move(warps)}};
}

std::string kernel_of(const Json& launch) {
  auto found = launch.find("kernel");
  return found != launch.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The launches by kernel, in the order of first launch.
std::vector<std::pair<std::string, std::vector<const Json*>>> by_kernel(const Json& launches) {
  std::vector<std::pair<std::string, std::vector<const Json*>>> out;
  for (const Json& launch : launches) {
    std::string kernel = kernel_of(launch);
    size_t i = 0;
    while (i < out.size() && out[i].first != kernel) ++i;
    if (i == out.size()) out.push_back({kernel, {}});
    out[i].second.push_back(&launch);
  }
  return out;
}

}  // namespace

Json occupancy_curves(const Json& launches, const sim::MachineConfig& machine) {
  Json out = Json::array();
  uint32_t shared_step = std::max(machine.sm.shared.bytes / kSharedSteps, 1U);
  for (const auto& [kernel, own] : by_kernel(launches)) {
    const Json& first = *own.front();
    Usage usage{threads_of(first), whole(first, {"occupancy", "registers_per_thread"}),
                whole(first, {"occupancy", "shared_bytes_per_block"})};
    if (usage.threads == 0) continue;
    out.push_back({{"kernel", kernel},
                   {"most_warps", machine.sm.max_warps},
                   {"warps", whole(first, {"occupancy", "warps_per_sm"})},
                   {"registers", curve(machine, usage, &Usage::registers, 1, kMostRegisters, 1)},
                   {"shared", curve(machine, usage, &Usage::shared, 0, machine.sm.shared.bytes, shared_step)},
                   {"block", curve(machine, usage, &Usage::threads, 32, machine.sm.max_threads_per_block, 32)}});
  }
  return out;
}

Json roofline(const Json& launches, const sim::MachineConfig& machine) {
  Json points = Json::array();
  for (const auto& [kernel, own] : by_kernel(launches)) {
    host::RooflineCounts counts;
    for (const Json* launch : own)
      counts.add({.flops = number(*launch, {"flops"}),
                  .flops_f64 = number(*launch, {"flops_f64"}),
                  .flops_tensor = number(*launch, {"flops_tensor"}),
                  .dram_bytes = number(*launch, {"dram", "read_bytes"}) + number(*launch, {"dram", "write_bytes"}),
                  .requested_bytes = 0,
                  .time_us = number(*launch, {"time_us"})});
    std::string unwanted;
    auto point = host::roofline_point(kernel, counts, machine, unwanted);
    if (point && point->by_dram)
      points.push_back({{"kernel", kernel}, {"flops_per_byte", *point->by_dram}, {"gflops", point->gflops}});
  }
  return {{"peak_gflops", host::compute_roofs(machine).front().rate},
          {"peak_gb_s", host::bandwidth_roofs(machine).front().rate},
          {"points", std::move(points)}};
}

}  // namespace warptime::report
