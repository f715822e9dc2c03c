// saxpy: y = alpha x + y. The kernel fuses the multiply and the add; see README.md for the bound on the difference from
// the reference, which rounds twice.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"
#include "linpack.h"
#include "reference.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kBlock = 256;
// Ryoo et al. 2008, table 3, SAXPY: registers per thread.
constexpr uint32_t kPublishedRegisters = 7;

constexpr float kAlpha = 2.5f;

struct Vectors {
  explicit Vectors(size_t n) : x(n), y(n) {
    host::SplitMix64 random(2);
    for (std::vector<float>* v : {&x, &y})
      for (float& element : *v) element = random.uniform(-1.0f, 1.0f);
  }
  std::vector<float> x, y;
};

void run_vector(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto n = static_cast<uint32_t>(context["n"]);
  Vectors in(n);
  std::vector<float>&x = in.x, &y = in.y, result(n);

  auto module = device.load_module_file(context.directory + "/saxpy.ptx");
  host::Buffer device_x = device.allocate<float>(n, "x");
  host::Buffer device_y = device.allocate<float>(n, "y");
  device.copy_to(device_x, x, "x");
  device.copy_to(device_y, y, "y");
  host::LaunchOptions options;
  options.registers_per_thread = kPublishedRegisters;
  device.launch(module, "saxpy", {(n + kBlock - 1) / kBlock}, {kBlock},
                {host::arg_u32(n), host::arg_f32(kAlpha), device_x, device_y}, options);
  device.copy_from(result, device_y, "y");

  if (!context.check) return;
  saxpy(kAlpha, x, y);
  // Three roundings of values below 4 in magnitude, each at most 2^-23 off (README.md).
  double bound = 3 * 0x1p-23;
  context.checks.push_back(
      host::compare("y", ptx::Type::F32, std::as_bytes(std::span(result)), std::as_bytes(std::span(y)), {bound, 0}));
}

void run_on_cpu(cpu::CpuContext& context) {
  if (context.variant == "linpack") return run_linpack_on_cpu(context);
  constexpr int64_t kCounted = 1 << 20;
  int64_t n = context["n"], counted = std::min(n, kCounted);
  Vectors in(static_cast<size_t>(counted));
  cpu::CountedArray<float> x(in.x), y(in.y);
  saxpy(cpu::Counted<float>(kAlpha), x, y);
  context.scale = static_cast<double>(n) / static_cast<double>(counted);
  if (counted < n) context.part = fmt::format("{} of {} elements", counted, n);
}

host::Published published_registers(const char* variant) {
  return {variant, "registers per thread", kPublishedRegisters, "", "Ryoo et al. 2008, table 3", "geforce-8800-gtx"};
}

/// Without a variant: one vector.
void run(host::WorkloadContext& context) {
  if (context.variant == "linpack") run_linpack(context, kPublishedRegisters);
  else run_vector(context);
}

const bool kRegistered = host::register_workload({
    .name = "saxpy",
    .summary = "y = alpha x + y, one thread per element",
    .variants = {"vector", "linpack"},
    .parameters =
        {{.name = "n", .default_value = 1 << 20, .low = 1, .high = 65535 * kBlock, .choices = {}, .what = "elements"},
         {.name = "order",
          .default_value = 512,
          .low = 2,
          .high = 8192,
          .choices = {},
          .what = "rows and columns (variant linpack)"},
         {.name = "steps",
          .default_value = 16,
          .low = 0,
          .high = 8191,
          .choices = {},
          .what = "of the elimination; 0: all (variant linpack)"}},
    .published = {published_registers(""), published_registers("vector"), published_registers("linpack")},
    .run = run,
    .cpu = run_on_cpu,
});

}  // namespace
}  // namespace warptime::workloads
