// From measured values to parameters of a machine file: only those that one or two values determine by themselves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parse_number.h"
#include "cli/measure/micro_report.h"

namespace warptime::cli {

namespace {

/// The values by name, and the parameters that were derived.
class Derivation {
 public:
  Derivation(const MicroReport& report, const sim::MachineConfig& base) : report_(report), base_(base) {}

  const measure::MicroValue* find(std::string_view name) const {
    for (const measure::MicroValue& value : report_.results.values)
      if (value.name == name) return &value;
    return nullptr;
  }

  /// A whole number of at least `least`.
  void whole(std::string path, double value, std::string from, std::string kernel, double least = 1) {
    parameters_.push_back({std::move(path), fmt::format("{:.0f}", std::max(least, std::round(value))), std::move(from),
                           std::move(kernel)});
  }
  /// The value itself, over `steps`.
  void from(const char* path, const char* name, double steps = 1) {
    if (const auto* value = find(name)) whole(path, value->value / steps, name, value->kernel);
  }
  /// What the value grows by for each of `steps`, from one to another.
  void slope(const char* path, const char* low, const char* high, double steps) {
    const auto *a = find(low), *b = find(high);
    if (a != nullptr && b != nullptr)
      whole(path, (b->value - a->value) / steps, fmt::format("{}, {}", low, high), b->kernel);
  }
  /// Cycles of a group for a warp instruction, from the rate of all groups.
  void initiation(const char* path, uint32_t groups, const char* name) {
    if (const auto* rate = find(name); rate != nullptr && rate->value > 0)
      whole(path, groups / rate->value, name, rate->kernel);
  }
  /// The largest size, in the names between `before` and `after`, whose value is near that of the smallest.
  void capacity(const char* path, const std::string& before, const std::string& after, double near, uint64_t unit) {
    const measure::MicroValue* first = nullptr;
    uint64_t largest = 0;
    bool is_larger = false;  // than what fits: there was one
    for (const measure::MicroValue& value : report_.results.values) {
      if (!value.name.starts_with(before) || !value.name.ends_with(after)) continue;
      if (first == nullptr) first = &value;
      if ((is_larger = value.value > near * first->value)) break;
      const std::string_view size = std::string_view(value.name).substr(before.size());
      parse_number(size.substr(0, size.size() - after.size()), largest);
      largest *= unit;
    }
    if (is_larger) whole(path, static_cast<double>(largest), before + "..." + after, first->kernel);
  }

  void of_driver() {
    const measure::GpuDescription& gpu = report_.gpu.gpu;
    auto attribute = [&](const char* path, uint64_t value) {
      if (value > 0) whole(path, static_cast<double>(value), "cuDeviceGetAttribute", "");
    };
    if (gpu.sms % base_.chip.sms_per_tpc == 0) attribute("chip.tpcs", gpu.sms / base_.chip.sms_per_tpc);
    attribute("sm.max_threads", gpu.threads_per_sm);
    attribute("sm.max_warps", gpu.threads_per_sm / 32);
    attribute("sm.max_blocks", gpu.blocks_per_sm);
    attribute("sm.registers", gpu.registers_per_sm);
    attribute("sm.shared.bytes", gpu.shared_bytes_per_sm);
  }

  const sim::MachineConfig& base() const { return base_; }
  std::vector<MeasuredParameter> take() { return std::move(parameters_); }

 private:
  const MicroReport& report_;
  const sim::MachineConfig& base_;
  std::vector<MeasuredParameter> parameters_;
};

}  // namespace

std::vector<MeasuredParameter> measured_parameters(const MicroReport& report, const sim::MachineConfig& base) {
  Derivation of(report, base);
  of.of_driver();  // ends with sm.shared
  of.from("sm.shared.load_latency", "latency/ld_shared");
  of.slope("sm.shared.cycles_per_degree", "shared/load_degree1", "shared/load_degree32", 31);
  of.slope("sm.shared.atomic_cycles", "shared/red_stride1", "shared/red_stride32", 31);
  of.from("clocks.shader_mhz", "sm_clock");
  of.from("latency.int_alu", "latency/add_u32");
  of.from("latency.int_mul", "latency/mad_lo");
  of.from("latency.int_mul_hi", "latency/mul_hi");
  of.from("latency.int_div", "latency/div_u32");
  of.from("latency.float_alu", "latency/add_f32");
  of.from("latency.float_mad", "latency/fma_f32");
  of.from("latency.float_div", "latency/div_rn");
  of.from("latency.convert", "latency/cvt_pair", 2);
  of.from("latency.special", "latency/rsqrt");
  of.from("latency.special_range", "latency/sin");
  of.from("latency.double_alu", "latency/fma_f64");
  of.from("latency.double_div", "latency/div_f64");
  of.initiation("sp.initiation", base.sp.groups, "throughput/fma_f32/warps32");
  of.initiation("sfu.initiation", base.sfu.groups, "throughput/ex2_add/warps32");
  of.initiation("dp.initiation", base.dp.groups, "throughput/fma_f64/warps32");
  of.from("issue.barrier_latency", "barrier/warps1");
  of.slope("issue.barrier_cycles", "barrier/warps1", "barrier/warps32", 31);
  of.capacity("constant.sm_cache.bytes", "constant/uniform_bytes", "/warps1", 1.05, 1);
  of.capacity("l1.cache.bytes", "chase/ca/", "KB", 1.1, 1024);
  return of.take();
}

std::string micro_machine(const MicroReport& report, const std::string& base,
                          const std::vector<MeasuredParameter>& parameters) {
  const std::string gpu = fmt::format("{}, {}", report.gpu.gpu.name, report.gpu.gpu.driver);
  std::string out =
      fmt::format("# Written by `warptime measure micro` on {}: what its values determine by themselves.\n",
                  gpu_line(report.gpu.gpu));
  out += fmt::format("extends: {}\ndescription: \"{}, as measured\"\n", base, report.gpu.gpu.name);
  std::vector<std::string> open;  // the maps that the last line is in
  for (const MeasuredParameter& parameter : parameters) {
    std::vector<std::string> parts;
    for (size_t at = 0; at <= parameter.path.size();) {
      const size_t dot = std::min(parameter.path.find('.', at), parameter.path.size());
      parts.push_back(parameter.path.substr(at, dot - at));
      at = dot + 1;
    }
    size_t same = 0;
    while (same < open.size() && same + 1 < parts.size() && open[same] == parts[same]) ++same;
    open.resize(same);
    for (; open.size() + 1 < parts.size(); open.push_back(parts[open.size()]))
      out += fmt::format("{:{}}{}:\n", "", 2 * open.size(), parts[open.size()]);
    out += fmt::format("{:{}}{}: {}  # measured: {}, {}{}\n", "", 2 * open.size(), parts.back(), parameter.value, gpu,
                       parameter.from, parameter.kernel.empty() ? "" : fmt::format(" (kernel {})", parameter.kernel));
  }
  return out;
}

}  // namespace warptime::cli
