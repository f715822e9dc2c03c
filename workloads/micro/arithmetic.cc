// Variants arithmetic, f64 and overlap: what a dependent instruction waits (one warp), what an independent one costs
// (16 warps, more than any latency needs), how many warps hide a latency, and whether SFU and SPs work at the same
// time.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "micro.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kWarp = 32, kSaturated = 512, kMostToHide = 8;

/// A class of instructions: the step %r2 (or %f2) takes through it, and the same on the CPU.
struct Operation {
  const char* name;
  const char* setup;  // after %r2 = thread + 1, %f2 = (thread mod 8) + 1, %r3 = 3, %f3 = 1
  const char* step;
  double steps;  // instructions in `step`
  uint32_t (*of_int)(uint32_t);
  float (*of_float)(float);
  float first = 0;  // of %f2 where `setup` changes it
  double tolerance = 0;
};

uint32_t multiply_24(uint32_t a, uint32_t b) { return (a & 0xffffff) * (b & 0xffffff); }

// The values are chosen so that exact operations stay exact and the others settle.
const Operation kOperations[] = {
    {"add_s32", "", "add.s32 %r2, %r2, %r3;", 1, [](uint32_t x) { return x + 3; }, nullptr},
    {"and_b32", "", "and.b32 %r2, %r2, %r3;", 1, [](uint32_t x) { return x & 3; }, nullptr},
    {"shl_b32", "", "shl.b32 %r2, %r2, 1;", 1, [](uint32_t x) { return x << 1; }, nullptr},
    {"max_s32", "", "max.s32 %r2, %r2, %r3;", 1, [](uint32_t x) { return std::max(x, 3u); }, nullptr},
    {"set_s32", "", "set.lt.u32.s32 %r2, %r2, %r3;", 1,
     [](uint32_t x) { return static_cast<int32_t>(x) < 3 ? ~0u : 0u; }, nullptr},
    {"cvt", "", "cvt.rn.f32.s32 %f8, %r2; cvt.rzi.s32.f32 %r2, %f8;", 2, [](uint32_t x) { return x; }, nullptr},
    {"mul24", "", "mul24.lo.u32 %r2, %r2, %r3;", 1, [](uint32_t x) { return multiply_24(x, 3); }, nullptr},
    {"mul_s32", "", "mul.lo.s32 %r2, %r2, %r3;", 1, [](uint32_t x) { return x * 3; }, nullptr},
    {"mad_s32", "", "mad.lo.s32 %r2, %r2, %r3, %r3;", 1, [](uint32_t x) { return x * 3 + 3; }, nullptr},
    {"mul_u32", "", "mul.lo.u32 %r2, %r2, %r3;", 1, [](uint32_t x) { return x * 3; }, nullptr},
    {"mad_u32", "", "mad.lo.u32 %r2, %r2, %r3, %r3;", 1, [](uint32_t x) { return x * 3 + 3; }, nullptr},
    {"div_u32", "", "div.u32 %r2, %r2, %r3;", 1, [](uint32_t x) { return x / 3; }, nullptr},
    {"rem_u32", "", "rem.u32 %r2, %r2, %r3;", 1, [](uint32_t x) { return x % 3; }, nullptr},
    {"div_s32", "", "div.s32 %r2, %r2, %r3;", 1,
     [](uint32_t x) { return static_cast<uint32_t>(static_cast<int32_t>(x) / 3); }, nullptr},
    {"add_f32", "", "add.f32 %f2, %f2, %f3;", 1, nullptr, [](float x) { return x + 1; }},
    {"mul_f32", "neg.f32 %f3, %f3;", "mul.f32 %f2, %f2, %f3;", 1, nullptr, [](float x) { return -x; }},
    {"mad_f32", "", "mad.f32 %f2, %f2, %f3, %f3;", 1, nullptr, [](float x) { return x + 1; }},
    {"rcp", "mov.f32 %f2, 0f40800000;", "rcp.approx.f32 %f2, %f2;", 1, nullptr, [](float x) { return 1 / x; }, 4, 1e-4},
    {"rsqrt", "", "rsqrt.approx.f32 %f2, %f2;", 1, nullptr, [](float x) { return 1 / std::sqrt(x); }, 0, 1e-4},
    {"lg2", "mov.f32 %f2, 0f7f800000;", "lg2.approx.f32 %f2, %f2;", 1, nullptr, [](float x) { return std::log2(x); },
     std::numeric_limits<float>::infinity()},
    {"sqrt", "", "sqrt.approx.f32 %f2, %f2;", 1, nullptr, [](float x) { return std::sqrt(x); }, 0, 1e-4},
    {"sin", "", "sin.approx.f32 %f2, %f2;", 1, nullptr, [](float x) { return std::sin(x); }, 0, 1e-3},
    {"cos", "", "cos.approx.f32 %f2, %f2;", 1, nullptr, [](float x) { return std::cos(x); }, 0, 1e-3},
    {"ex2", "mov.f32 %f2, 0fff800000;", "ex2.approx.f32 %f2, %f2;", 1, nullptr, [](float x) { return std::exp2(x); },
     -std::numeric_limits<float>::infinity()},
    {"div_f32", "neg.f32 %f3, %f3;", "div.full.f32 %f2, %f2, %f3;", 1, nullptr, [](float x) { return -x; }, 0, 1e-2},
    {"div_approx", "neg.f32 %f3, %f3;", "div.approx.f32 %f2, %f2, %f3;", 1, nullptr, [](float x) { return -x; }, 0,
     1e-2},
};

Body body_of(const Operation& operation) {
  Body body;
  body.setup =
      "  add.u32 %r2, %r0, 1;\n  mov.u32 %r3, 3;\n  and.b32 %r8, %r0, 7;\n  add.u32 %r8, %r8, 1;\n"
      "  cvt.rn.f32.u32 %f2, %r8;\n  mov.f32 %f3, 0f3f800000;\n  ";
  body.setup += std::string(operation.setup) + "\n";
  body.step = "  " + std::string(operation.step) + "\n";
  body.result = operation.of_int != nullptr ? "%r2" : "%f2";
  return body;
}

void check(ChainRunner& runner, const Operation& operation) {
  constexpr uint32_t kSteps = ChainRunner::kLong * ChainRunner::kRounds;
  if (operation.of_int != nullptr)
    runner.check(operation.name, [&](uint32_t thread) {
      uint32_t x = thread + 1;
      for (uint32_t i = 0; i < kSteps; ++i) x = operation.of_int(x);
      return x;
    });
  else
    runner.check_f32(operation.name, operation.tolerance, [&](uint32_t thread) {
      float x = operation.first != 0 ? operation.first : static_cast<float>(thread % 8 + 1);
      for (uint32_t i = 0; i < kSteps; ++i) x = operation.of_float(x);
      return x;
    });
}

}  // namespace

void measure_arithmetic(host::WorkloadContext& context) {
  ChainRunner runner(context, {0});
  for (const Operation& operation : kOperations) {
    std::string name = operation.name;
    Body body = body_of(operation);
    double latency = runner.step_cycles(name, body, kWarp) / operation.steps;
    double issue = runner.step_cycles(name, body, kSaturated) / operation.steps / (kSaturated / kWarp);
    check(runner, operation);
    context.device.add_figure(
        {"latency_" + name, latency, "cycles", "from an instruction to one that needs its result"});
    context.device.add_figure({"issue_" + name, issue, "cycles", "per warp instruction, with enough warps"});
    if (name != "add_s32" && name != "mad_f32") continue;
    double fewest = 0;  // that keep a port as busy as many do
    for (uint32_t warps = kMostToHide; warps > 0; --warps)
      if (runner.step_cycles(name, body, warps * kWarp) / warps <= issue * 1.01) fewest = warps;
    context.device.add_figure({"warps_hide_" + name, fewest, "warps", "that hide the latency"});
  }
}

void measure_f64(host::WorkloadContext& context) {
  ChainRunner runner(context, {0});
  Body body;
  body.target = "sm_13";
  body.shared = "  .reg .f64 %d<4>;\n";
  body.setup = "  cvt.rn.f64.u32 %d2, %r0;\n  mov.f64 %d3, 0d3ff0000000000000;\n";
  body.step = "  add.f64 %d2, %d2, %d3;\n";
  body.end = "  cvt.rzi.u32.f64 %r2, %d2;\n";
  double latency = runner.step_cycles("add_f64", body, kWarp),
         issue = runner.step_cycles("add_f64", body, kSaturated) / (kSaturated / kWarp);
  runner.check("add_f64", [](uint32_t thread) { return thread + ChainRunner::kLong * ChainRunner::kRounds; });
  context.device.add_figure({"latency_add_f64", latency, "cycles", "from an instruction to one that needs its result"});
  context.device.add_figure({"issue_add_f64", issue, "cycles", "per warp instruction, with enough warps"});
}

void measure_overlap(host::WorkloadContext& context) {
  ChainRunner runner(context, {0});
  for (uint32_t additions = 0; additions <= 6; ++additions) {
    Operation operation{"", "", "", 1, nullptr, [](float x) { return 1 / std::sqrt(x); }, 0, 1e-4};
    std::string step = "rsqrt.approx.f32 %f2, %f2;";
    for (uint32_t i = 0; i < additions; ++i) step += " add.f32 %f8, %f8, %f3;";
    operation.step = step.c_str();
    Body body = body_of(operation);
    body.setup += "  mov.f32 %f8, 0f00000000;\n";
    std::string name = "rsqrt_and_" + fmt::to_string(additions) + "_add";
    operation.name = name.c_str();
    double cycles = runner.step_cycles(name, body, kSaturated) / (kSaturated / kWarp);
    check(runner, operation);
    context.device.add_figure(
        {name, cycles, "cycles", "per reciprocal root of a warp and additions beside it, with enough warps"});
  }
}

}  // namespace warptime::workloads
