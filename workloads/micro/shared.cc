// Variant shared: shared memory under every degree of bank conflict, a broadcast, and as an operand of arithmetic. Each
// word holds its own address, so that a chain of loads, which shows the latency, stays where it is.
#include <fmt/format.h>

#include "micro.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kBanks = 16, kWarp = 32, kSaturated = 512;

/// Byte offsets of 512 threads: in each half-warp, `degree` threads on different words of one bank (as far as there are
/// threads); degree 0: all on one word.
std::vector<uint32_t> offsets(uint32_t degree) {
  std::vector<uint32_t> out(kSaturated, 0);
  for (uint32_t i = 0; degree > 0 && i < kSaturated; ++i) {
    uint32_t lane = i % kBanks;
    out[i] = 4 * (lane / degree + kBanks * (lane % degree));
  }
  return out;
}

/// A multiply-add beside one with an operand in shared memory, where a 1 stands that all threads read.
void measure_operand(host::WorkloadContext& context) {
  ChainRunner runner(context, {0});
  Body body;
  // A register for each load: one that is written once has one reader, whose operand the load can be.
  body.shared = "  .shared .align 4 .b8 words[64];\n  .reg .f32 %one<96>;\n";
  static_assert(ChainRunner::kLong <= 96);
  body.setup =
      "  mov.u32 %r8, %nctaid.x;\n  cvt.rn.f32.u32 %f3, %r8;\n  mov.f32 %f2, 0f00000000;\n"
      "  st.shared.f32 [words], %f3;\n  bar.sync 0;\n";
  body.result = "%f2";
  for (bool in_shared : {false, true}) {
    body.step = in_shared ? "  ld.shared.f32 %one#, [words];\n  mad.f32 %f2, %one#, %f3, %f2;\n"
                          : "  mad.f32 %f2, %f3, %f3, %f2;\n";
    std::string name = in_shared ? "mad_shared_operand" : "mad_registers";
    double issue = runner.step_cycles(name, body, kSaturated) / (kSaturated / kWarp);
    runner.check_f32(name, 0, [](uint32_t) { return float{ChainRunner::kLong * ChainRunner::kRounds}; });
    context.device.add_figure({name, issue, "cycles", "per multiply-add of a warp, with enough warps"});
  }
}

}  // namespace

void measure_shared(host::WorkloadContext& context) {
  Body body;
  body.shared = "  .shared .align 4 .b8 words[1024];\n";
  body.setup =
      "  ld.param.u32 %r2, [in];\n  add.u32 %r2, %r2, %r1;\n  ld.global.u32 %r2, [%r2];\n  mov.u32 %r3, %r2;\n"
      "  mov.u32 %r8, words;\n  add.u32 %r2, %r2, %r8;\n  st.shared.u32 [%r2], %r2;\n  bar.sync 0;\n";
  body.step = "  ld.shared.u32 %r2, [%r2];\n";
  // Loads at an address that stays: one that was itself loaded costs a G80 setting its address register, too.
  Body loads = body;
  loads.step = "  ld.shared.u32 %r4, [%r2];\n";
  loads.result = "%r4";
  for (uint32_t degree = 0; degree <= kBanks; ++degree) {
    std::vector<uint32_t> places = offsets(degree);
    ChainRunner runner(context, places);
    std::string name = degree == 0 ? "broadcast" : "degree_" + fmt::to_string(degree);
    double issue = runner.step_cycles(name, loads, kSaturated) / (kSaturated / kWarp);
    context.device.add_figure({"shared_" + name, issue, "cycles", "per load of a warp, with enough warps"});
    if (degree <= 1 || degree == kBanks)
      context.device.add_figure({"latency_shared_" + name, runner.step_cycles(name, body, kWarp), "cycles",
                                 "from a load to the next one at the address that it loaded"});
    // The words' own addresses: their array begins at 0 of the block's shared memory.
    runner.check("shared " + name, [&](uint32_t thread) { return places[thread]; });
  }
  measure_operand(context);
}

}  // namespace warptime::workloads
