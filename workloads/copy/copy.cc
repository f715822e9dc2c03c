// copy: an array from device memory to device memory. The figure counts bytes read and bytes written.
#include "host/workload/compare.h"
#include "host/workload/random.h"
#include "host/workload/workload.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kBlock = 256;

struct Variant {
  const char* name;
  const char* kernel;
  uint32_t words;  // per thread
};
constexpr Variant kVariants[] = {{"word", "copy_word", 1}, {"float4", "copy_vector", 4}};

void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto n = static_cast<uint32_t>(context["n"]) / 4 * 4;
  std::vector<float> values(n), result(n), zeros(n);
  host::SplitMix64 random(17);
  for (float& value : values) value = random.uniform(-1.0f, 1.0f);
  auto module = device.load_module_file(context.directory + "/copy.ptx");
  host::Buffer from = device.allocate<float>(n, "from"), to = device.allocate<float>(n, "to");
  device.copy_to(from, values, "from");

  for (const Variant& variant : kVariants) {
    if (!context.variant.empty() && context.variant != variant.name) continue;
    device.write_bytes(to.address, std::as_bytes(std::span(zeros)));  // nothing of the variant before
    uint32_t threads = n / variant.words;
    const auto& launch = device.launch(module, variant.kernel, {(threads + kBlock - 1) / kBlock}, {kBlock},
                                       {to, from, host::arg_u32(threads)});
    if (launch.timed)
      device.add_figure({std::string(variant.name) + "_gb_s", 8.0 * n / launch.time_us / 1e3, "GB/s",
                         "bytes read and bytes written, over the time of the kernel"});
    device.copy_from(result, to, "to");
    if (context.check)
      context.checks.push_back(host::compare(std::string("copy by ") + variant.name, ptx::Type::F32,
                                             std::as_bytes(std::span(result)), std::as_bytes(std::span(values)), {}));
  }
}

const bool kRegistered = host::register_workload({
    .name = "copy",
    .summary = "an array copied within device memory, one word or four words per thread",
    .variants = {"word", "float4"},
    .parameters = {{.name = "n",
                    .default_value = 1 << 22,
                    .low = 4,
                    .high = 65535 * kBlock,
                    .choices = {},
                    .what = "words, rounded down to a multiple of four"}},
    .published = {},
    .run = run,
});

}  // namespace
}  // namespace warptime::workloads
