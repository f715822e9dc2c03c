#include "cpu/baseline.h"

#include <nlohmann/json.hpp>

#include "sim/model/parameters.h"

namespace warptime::cpu {

std::optional<Cpu> load_cpu(std::string_view name_or_file, const std::string& config_directory,
                            Diagnostics& diagnostics, SourceSpan where) {
  size_t errors_before = diagnostics.error_count();
  Cpu cpu;
  sim::ParameterFile file;
  std::vector<sim::Parameter> parameters = sim::parameters_of(cpu.config);
  sim::load_parameters(file, parameters, sim::ConfigKind::Cpu, name_or_file, {}, config_directory, diagnostics,
                       std::move(where));
  if (diagnostics.error_count() == errors_before) check_cpu(file, cpu.config, diagnostics);
  if (diagnostics.error_count() > errors_before) return std::nullopt;
  cpu.name = file.name;
  cpu.hash = sim::hash_of(parameters);
  return cpu;
}

void check_cpu(const sim::ParameterFile& file, const CpuConfig& config, Diagnostics& diagnostics) {
  const CpuMemoryConfig& memory = config.memory;
  for (const auto& [path, cache] : {std::pair{"memory.l1", memory.l1}, {"memory.l2", memory.l2}})
    if (uint64_t set = uint64_t{memory.line_bytes} * cache.ways; cache.bytes % set != 0)
      diagnostics.error(
          file.origin(std::string(path) + ".bytes").where,
          fmt::format("{}.bytes ({}) must be a multiple of line_bytes x ways ({})", path, cache.bytes, set));
  if (config.front.window < config.simd.macro_operations)
    diagnostics.error(file.origin("front.window").where,
                      fmt::format("front.window ({}) must be at least simd.macro_operations ({})", config.front.window,
                                  config.simd.macro_operations));
}

CpuReport run_cpu_baseline(const Cpu& cpu, const std::function<void(CpuContext&)>& reference,
                           const std::string& variant, const std::map<std::string, int64_t>& parameters) {
  CpuReport report;
  report.machine = cpu.name;
  report.hash = cpu.hash;
  for (bool packed : {false, true}) {
    CpuCore core(cpu.config, packed);
    CpuContext context{.variant = variant, .parameters = parameters, .core = core, .part = {}};
    reference(context);
    double seconds = core.cycles() * context.scale / (cpu.config.clock_mhz * 1e6);
    if (packed) {
      report.simd_seconds = seconds;
      continue;
    }
    report.scalar_seconds = seconds;
    report.scale = context.scale;
    report.part = context.part;
    report.cycles = core.cycles();
    report.operations = core.operations();
    report.mispredicted = core.mispredicted();
    report.memory = core.memory_stats();
  }
  return report;
}

nlohmann::ordered_json to_json(const CpuReport& report) {
  nlohmann::ordered_json out;
  out["machine"] = report.machine;
  out["hash"] = report.hash;
  out["scalar_seconds"] = report.scalar_seconds;
  out["simd_seconds"] = report.simd_seconds;
  out["scale"] = report.scale;
  out["part"] = report.part;
  out["cycles"] = report.cycles;
  size_t at = 0;
  CpuOperationsConfig names;
  CpuOperationsConfig::visit(names, [&](const char* name, const CpuOperationConfig&, const ParamCheck&,
                                        std::string_view) { out["operations"][name] = report.operations[at++]; });
  out["operations"]["sin_cos"] = report.operations[at];
  out["mispredicted"] = report.mispredicted;
  CpuMemoryStats::visit(report.memory, [&](const StatInfo& info, const uint64_t& value) {
    out["memory"][std::string(info.name)] = value;
  });
  return out;
}

}  // namespace warptime::cpu
