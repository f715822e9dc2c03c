// saxpy: y = alpha x + y. The kernel fuses the multiply and the add; see README.md for the bound on the difference from
// the reference, which rounds twice.
#include <cmath>

#include "host/compare.h"
#include "host/random.h"
#include "host/workload.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kBlock = 256;
// Ryoo et al. 2008, table 3, SAXPY: registers a thread.
constexpr uint32_t kPublishedRegisters = 7;

template <class T>
void saxpy(T alpha, const std::vector<T>& x, std::vector<T>& y) {
  for (size_t i = 0; i < y.size(); ++i) y[i] = alpha * x[i] + y[i];
}

void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto n = static_cast<uint32_t>(context["n"]);
  const float alpha = 2.5f;
  host::SplitMix64 random(2);
  std::vector<float> x(n), y(n), result(n);
  for (float& v : x) v = random.uniform(-1.0f, 1.0f);
  for (float& v : y) v = random.uniform(-1.0f, 1.0f);

  auto module = device.load_module_file(context.directory + "/saxpy.ptx");
  host::Buffer device_x = device.allocate<float>(n, "x");
  host::Buffer device_y = device.allocate<float>(n, "y");
  device.copy_to(device_x, x, "x");
  device.copy_to(device_y, y, "y");
  host::LaunchOptions options;
  options.registers_per_thread = kPublishedRegisters;
  device.launch(module, "saxpy", {(n + kBlock - 1) / kBlock}, {kBlock},
                {host::arg_u32(n), host::arg_f32(alpha), device_x, device_y}, options);
  device.copy_from(result, device_y, "y");

  if (!context.check) return;
  saxpy(alpha, x, y);
  // Three roundings of values below 4 in magnitude, each at most 2^-23 off (README.md).
  double bound = 3 * 0x1p-23;
  context.checks.push_back(
      host::compare("y", ptx::Type::F32, std::as_bytes(std::span(result)), std::as_bytes(std::span(y)), {bound, 0}));
}

const bool kRegistered = host::register_workload({
    .name = "saxpy",
    .summary = "y = alpha x + y, one thread an element",
    .variants = {},
    .parameters =
        {{.name = "n", .default_value = 1 << 20, .low = 1, .high = 65535 * kBlock, .choices = {}, .what = "elements"}},
    .published = {{"", "registers a thread", kPublishedRegisters, "", "Ryoo et al. 2008, table 3", "geforce-8800-gtx"}},
    .run = run,
});

}  // namespace
}  // namespace warptime::workloads
