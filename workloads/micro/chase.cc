// Variant chase: cycles of a load whose address the load before it read, by one thread on an idle chip, for several
// distances between the loads and amounts of memory that they go around in. Steps in the table show what lies between
// a load and DRAM: caches, levels of address translation.
#include <fmt/format.h>

#include <algorithm>

#include "host/workload/compare.h"
#include "micro.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kUnrolled = 16, kFewest = 4, kMost = 1024;  // loads of the loop; words of a ring

struct Chase {
  host::WorkloadContext& context;
  host::ModuleRef module;
  host::Buffer memory, out;

  /// Cycles a load of the second time around; the first one fills what is to be filled.
  double around(uint32_t stride, uint32_t words) {
    host::Device& device = context.device;
    for (uint32_t i = 0; i < words; ++i) {
      auto next = static_cast<uint32_t>(memory.address + uint64_t{(i + 1) % words} * stride);
      device.write_bytes(memory.address + uint64_t{i} * stride, std::as_bytes(std::span(&next, 1)));
    }
    uint32_t rounds = std::max(1u, words / kUnrolled);
    auto cycles_of = [&](uint32_t times) {
      return static_cast<double>(
          device.launch(module, "chain", {1}, {1}, {memory, out, host::arg_u32(times)}, {}).cycles);
    };
    if (keeps_l2(device)) cycles_of(rounds);
    double cycles[2];
    for (uint32_t i : {0u, 1u}) cycles[i] = cycles_of((i + 1) * rounds);
    if (context.check) {
      uint32_t end = 0, expected = static_cast<uint32_t>(memory.address);  // all rings divide the number of loads
      device.read_bytes(std::as_writable_bytes(std::span(&end, 1)), out.address);
      context.checks.push_back(host::compare(fmt::format("end of {} words, {} apart", words, stride), ptx::Type::U32,
                                             std::as_bytes(std::span(&end, 1)), std::as_bytes(std::span(&expected, 1)),
                                             {}));
    }
    return (cycles[1] - cycles[0]) / (rounds * kUnrolled);
  }
};

}  // namespace

void measure_chase(host::WorkloadContext& context) {
  host::Device& device = context.device;
  auto most = static_cast<uint64_t>(context["footprint"]) * 1024;
  Body body;
  body.setup = "  ld.param.u32 %r2, [in];\n";
  body.step = "  ld.global.u32 %r2, [%r2];\n";
  Chase chase{context, load_chain(device, "chase", body, kUnrolled), device.allocate_bytes(most, "rings"),
              device.allocate<uint32_t>(1, "end")};
  std::vector<uint32_t> strides{256, 4096, 65536, 1048576};
  if (context["stride"] != 0) strides = {static_cast<uint32_t>(context["stride"])};
  for (uint32_t stride : strides)
    for (uint32_t words = kFewest; words <= kMost && uint64_t{words} * stride <= most; words *= 2)
      device.add_figure({fmt::format("stride_{}_by_{}", stride, words), chase.around(stride, words), "cycles",
                         fmt::format("a dependent load, in a ring of {} KB", uint64_t{words} * stride / 1024)});
}

}  // namespace warptime::workloads
