#include "host/roofline/roofline_point.h"

#include <algorithm>

#include "host/report/report.h"

namespace warptime::host {

void RooflineCounts::add(const RooflineCounts& more) {
  flops += more.flops;
  flops_f64 += more.flops_f64;
  flops_tensor += more.flops_tensor;
  dram_bytes += more.dram_bytes;
  requested_bytes += more.requested_bytes;
  time_us += more.time_us;
}

std::optional<RooflinePoint> roofline_point(std::string name, const RooflineCounts& counts,
                                            const sim::MachineConfig& machine, std::string& why) {
  RooflinePoint point;
  point.name = std::move(name);
  double flops = counts.flops, peak = peak_gflops(machine);
  auto consider = [&](RooflineUnit unit, double of_unit, double peak_of_unit) {
    if (of_unit <= flops) return;
    point.unit = unit;
    flops = of_unit;
    peak = peak_of_unit;
  };
  consider(RooflineUnit::F64, counts.flops_f64, peak_gflops_f64(machine));
  consider(RooflineUnit::Tensor, counts.flops_tensor, peak_gflops_tensor(machine));
  if (!(flops > 0)) return why = "it executes no floating-point operation in f32 or f64", std::nullopt;
  if (!(counts.time_us > 0)) return why = "its statistics have no time", std::nullopt;
  if (counts.dram_bytes > 0) point.by_dram = flops / counts.dram_bytes;
  if (counts.requested_bytes > 0) point.by_request = flops / counts.requested_bytes;
  point.gflops = flops / counts.time_us / 1e3;
  double memory = point.by_dram ? *point.by_dram * peak_bandwidth_gb_s(machine) : peak;
  point.by_memory = memory < peak;
  point.roof = std::min(memory, peak);
  return point;
}

}  // namespace warptime::host
