// vecadd: c = a + b. One f32 addition an element, so the result must equal the reference bit for bit.
#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kBlock = 256;

template <class T>
void add(const std::vector<T>& a, const std::vector<T>& b, std::vector<T>& c) {
  for (size_t i = 0; i < c.size(); ++i) c[i] = a[i] + b[i];
}

void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto n = static_cast<uint32_t>(context["n"]);
  host::SplitMix64 random(1);
  std::vector<float> a(n), b(n), c(n);
  for (float& v : a) v = random.uniform(-1.0f, 1.0f);
  for (float& v : b) v = random.uniform(-1.0f, 1.0f);

  auto module = device.load_module_file(context.directory + "/vecadd.ptx");
  host::Buffer device_a = device.allocate<float>(n, "a");
  host::Buffer device_b = device.allocate<float>(n, "b");
  host::Buffer device_c = device.allocate<float>(n, "c");
  device.copy_to(device_a, a, "a");
  device.copy_to(device_b, b, "b");
  device.launch(module, "vecadd", {(n + kBlock - 1) / kBlock}, {kBlock},
                {device_a, device_b, device_c, host::arg_u32(n)});
  device.copy_from(c, device_c, "c");

  if (!context.check) return;
  std::vector<float> expected(n);
  add(a, b, expected);
  context.checks.push_back(
      host::compare("c", ptx::Type::F32, std::as_bytes(std::span(c)), std::as_bytes(std::span(expected)), {}));
}

const bool kRegistered = host::register_workload({
    .name = "vecadd",
    .summary = "c = a + b, one thread per element",
    .variants = {},
    .parameters =
        {{.name = "n", .default_value = 1 << 20, .low = 1, .high = 65535 * kBlock, .choices = {}, .what = "elements"}},
    .published = {},
    .run = run,
});

}  // namespace
}  // namespace warptime::workloads
