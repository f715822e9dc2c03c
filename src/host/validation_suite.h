// What table 3 of Ryoo 2008 says of a program, from the report of its run: the rules are in docs/bottleneck.md. All but
// the times are of the main kernel: the launches of the kernel that takes the most time.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "host/report.h"
#include "host/validation.h"

namespace warptime::host {

/// A kernel on a machine: what its bottleneck depends on.
struct KernelUse {
  double issue = 0;   // share of time that the busiest of issue port, SP and SFU pipe is held
  double memory = 0;  // that of the memory port, or the share of DRAM's sustained rate that it moves, if larger
  sim::Occupancy occupancy;
  uint32_t threads_per_block = 1;
  uint64_t blocks = 0;  // of the grid
};

/// "issue", "bandwidth", "registers+latency", "shared_capacity" or "global_capacity".
std::string_view bottleneck(const KernelUse& use, const sim::MachineConfig& machine);

struct SuiteFigures {
  std::string kernel;
  uint64_t active_threads = 0;
  uint32_t registers_estimated = 0;
  double shared_bytes_per_thread = 0;
  double issue = 0, memory = 0;  // as in KernelUse
  double memory_to_compute = 0;
  std::string bottleneck;
  double kernels_us = 0, copies_us = 0;  // of the timeline
  // Beside the CPU; 0 where the report has no CPU baseline.
  double kernel_speedup = 0, application_speedup = 0, gpu_percent = 0, transfer_percent = 0;
};

/// nullopt for a run without launches or without timing.
std::optional<SuiteFigures> suite_figures(const RunReport& report, const CpuUse& cpu = {});
nlohmann::ordered_json to_json(const SuiteFigures& figures);

}  // namespace warptime::host
