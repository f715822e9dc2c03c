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
constexpr Variant kVariants[] = {{"word", "copy_word", 1}, {"float4", "copy_vector", 4}, {"offset", "copy_offset", 1}};

void run(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto n = static_cast<uint32_t>(context["n"]) / 4 * 4;
  const auto offset = static_cast<uint32_t>(context["offset"]);
  std::vector<float> values(n + offset), result(n + offset), zeros(n + offset);
  host::SplitMix64 random(17);
  for (float& value : values) value = random.uniform(-1.0f, 1.0f);
  auto module = device.load_module_file(context.directory + "/copy.ptx");
  host::Buffer from = device.allocate<float>(n + offset, "from"), to = device.allocate<float>(n + offset, "to");
  device.copy_to(from, values, "from");

  for (const Variant& variant : kVariants) {
    if (!context.variant.empty() && context.variant != variant.name) continue;
    device.write_bytes(to.address, std::as_bytes(std::span(zeros)));  // nothing of the variant before
    const uint32_t threads = n / variant.words;
    const bool shifts = std::string_view(variant.name) == "offset";
    const uint32_t first = shifts ? offset : 0;
    std::vector<host::Argument> arguments{to, from, host::arg_u32(threads)};
    if (shifts) arguments.push_back(host::arg_u32(offset));
    const auto& launch = device.launch(module, variant.kernel, {(threads + kBlock - 1) / kBlock}, {kBlock}, arguments);
    if (launch.timed)
      device.add_figure({std::string(variant.name) + "_gb_s", 8.0 * n / launch.time_us / 1e3, "GB/s",
                         "bytes read and bytes written, over the time of the kernel"});
    device.copy_from(result, to, "to");
    if (context.check)
      context.checks.push_back(host::compare(std::string("copy by ") + variant.name, ptx::Type::F32,
                                             std::as_bytes(std::span(result).subspan(first, n)),
                                             std::as_bytes(std::span(values).subspan(first, n)), {}));
  }
}

const bool kRegistered = host::register_workload({
    .name = "copy",
    .summary = "an array copied within device memory, one word or four words per thread, or a word at an offset",
    .variants = {"word", "float4", "offset"},
    .parameters = {{.name = "n",
                    .default_value = 1 << 22,
                    .low = 4,
                    .high = 65535 * kBlock,
                    .choices = {},
                    .what = "words, rounded down to a multiple of four"},
                   {.name = "offset",
                    .default_value = 1,
                    .low = 0,
                    .high = 64,
                    .choices = {},
                    .what = "words before the first one that is copied (variant offset)"}},
    .published = {},
    .run = run,
});

}  // namespace
}  // namespace warptime::workloads
