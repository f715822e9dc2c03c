// Variant control: barriers, branches with lanes on several paths, and how fast blocks are handed out.
#include <fmt/format.h>

#include "micro.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kWarp = 32, kStepsOfPath = 16;

void measure_barrier(host::WorkloadContext& context) {
  ChainRunner runner(context, {0});
  Body body;
  body.setup = "  mov.u32 %r2, %r0;\n";
  body.step = "  bar.sync 0;\n";
  double one = runner.step_cycles("barrier", body, kWarp), eight = runner.step_cycles("barrier", body, 8 * kWarp),
         sixteen = runner.step_cycles("barrier", body, 16 * kWarp);
  runner.check("after barriers", [](uint32_t thread) { return thread; });
  context.device.add_figure({"barrier_1_warp", one, "cycles", "of a barrier of one warp"});
  context.device.add_figure({"barrier_16_warps", sixteen, "cycles", "of a barrier of 16 warps"});
  context.device.add_figure(
      {"barrier_issue", (sixteen - eight) / 8, "cycles", "that a further warp adds to a barrier"});
}

/// Each path is taken by every lane whose number leaves its own rest; all add up the same.
Body divergent(uint32_t paths) {
  Body body;
  body.setup = "  mov.u32 %r2, 0;\n  and.b32 %r3, %r0, " + fmt::to_string(paths - 1) + ";\n";
  for (uint32_t path = 0; path < paths; ++path) {
    std::string label = "skip_#_" + fmt::to_string(path);
    body.step += "  setp.ne.u32 %p2, %r3, " + fmt::to_string(path) + ";\n  @%p2 bra " + label + ";\n";
    for (uint32_t i = 0; i < kStepsOfPath; ++i) body.step += "  add.u32 %r2, %r2, 1;\n";
    body.step += label + ":\n";
  }
  return body;
}

void measure_divergence(host::WorkloadContext& context) {
  ChainRunner runner(context, {0});
  constexpr uint32_t kPasses = 3;
  for (uint32_t paths = 1; paths <= kWarp; paths *= 2) {
    auto module = load_chain(context.device, "divergence", divergent(paths), 1);
    double once = runner.cycles(module, kWarp, 1);
    double pass = (runner.cycles(module, kWarp, kPasses) - once) / (kPasses - 1);
    runner.check("sums of " + fmt::to_string(paths) + " paths", [](uint32_t) { return kStepsOfPath * kPasses; });
    context.device.add_figure({"divergence_" + fmt::to_string(paths), pass, "cycles",
                               "of a pass with 16 additions for each lane, on so many paths"});
  }
}

void measure_block_launch(host::WorkloadContext& context) {
  auto module = context.device.load_module(
      std::make_shared<SourceText>("empty.ptx", ".version 1.4\n.target sm_10\n.entry empty ()\n{\n  exit;\n}\n"));
  constexpr uint32_t kFew = 512, kMany = 2048;
  double cycles[2];
  for (bool many : {false, true})
    cycles[many ? 1 : 0] =
        static_cast<double>(context.device.launch(module, "empty", {many ? kMany : kFew}, {kWarp}, {}, {}).cycles);
  context.device.add_figure({"block_launch", (cycles[1] - cycles[0]) / (kMany - kFew), "cycles",
                             "between two empty blocks of a warp, on the whole chip"});
}

}  // namespace

void measure_control(host::WorkloadContext& context) {
  measure_barrier(context);
  measure_divergence(context);
  measure_block_launch(context);
}

}  // namespace warptime::workloads
