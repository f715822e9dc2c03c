// The CPU baseline (docs/cpu-baseline.md): a workload's counted reference on a core of configs/cpu-*.yaml, as the
// seconds of one thread.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "cpu/context.h"
#include "cpu/core.h"
#include "sim/model/parameter_file.h"

namespace warptime::cpu {

inline constexpr std::string_view kDefaultCpu = "cpu-opteron-248";

/// Loads a processor by the name of a file in `config_directory` or by a path. nullopt if there were errors.
std::optional<Cpu> load_cpu(std::string_view name_or_file, const std::string& config_directory,
                            Diagnostics& diagnostics, SourceSpan where = {});

/// Conditions between several parameters.
void check_cpu(const sim::ParameterFile& file, const CpuConfig& config, Diagnostics& diagnostics);

struct CpuReport {
  std::string machine, hash;
  double scale = 1;                             // the whole work over the counted part's
  std::string part;                             // what was counted; empty: everything
  double scalar_seconds = 0, simd_seconds = 0;  // of the whole work
  // What the counted part takes as scalar code:
  double cycles = 0;
  std::array<uint64_t, kCpuOperations> operations{};
  uint64_t mispredicted = 0;
  CpuMemoryStats memory;
};

/// Runs `reference`, which must be there, as scalar and as packed code.
CpuReport run_cpu_baseline(const Cpu& cpu, const std::function<void(CpuContext&)>& reference,
                           const std::string& variant, const std::map<std::string, int64_t>& parameters);

nlohmann::ordered_json to_json(const CpuReport& report);

}  // namespace warptime::cpu
