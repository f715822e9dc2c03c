// Latencies and rates of arithmetic: chains of one warp whose every instruction needs the one before, and eight chains
// for each of 1 to 32 warps. Steps are such that an assembler cannot fold two of them into one;
// quotients are of Y and X, which go to and fro, and do not become denormal numbers.
#include <fmt/format.h>

#include <algorithm>

#include "measure/micro/micro.h"

namespace warptime::measure {

namespace {

/// An instruction, or a few. In its text, X is the value that goes through it, Y another one of the same type, Z an
/// integer, T, F and D temporary registers.
struct Operation {
  const char* name;
  char type;            // register of X and Y: r (32 bits), f (f32), d (f64), l (64 bits)
  const char* latency;  // "" : none
  uint32_t steps;       // the instructions or sequences in `latency` that follow each other
  const char* rate;     // "": none
  uint32_t capability = 70;
};

constexpr Operation kOperations[] = {
    {"add_u32", 'r', "add.u32 X, X, Y; add.u32 Y, Y, X;", 2, "add.u32 X, X, Y;"},
    {"lop3", 'r', "lop3.b32 X, X, Y, Z, 0xd6; lop3.b32 Y, Y, X, Z, 0x2d;", 2, "lop3.b32 X, X, Y, Z, 0xd6;"},
    {"shl", 'r', "shl.b32 X, X, Y;", 1, "shl.b32 X, X, Y;"},
    {"shf", 'r', "shf.l.wrap.b32 X, X, Y, Z;", 1, "shf.l.wrap.b32 X, X, Y, Z;"},
    {"prmt", 'r', "prmt.b32 X, X, Y, Z;", 1, "prmt.b32 X, X, Y, Z;"},
    {"max_s32", 'r', "max.s32 X, X, Y; min.s32 Y, Y, X;", 2, "max.s32 X, X, Y;"},
    {"mul_lo", 'r', "mul.lo.u32 X, X, Y;", 1, "mul.lo.u32 X, X, Y;"},
    {"mad_lo", 'r', "mad.lo.u32 X, X, Y, Y;", 1, "mad.lo.u32 X, X, Y, Y;"},
    {"mul_hi", 'r', "mul.hi.u32 X, X, Y;", 1, "mul.hi.u32 X, X, Y;"},
    {"dp4a", 'r', "dp4a.u32.u32 X, X, Y, Y;", 1, "dp4a.u32.u32 X, X, Y, Y;"},
    {"div_u32", 'r', "div.u32 X, X, Y;", 1, "div.u32 X, X, Y;"},
    {"popc", 'r', "popc.b32 X, X;", 1, ""},
    {"popc_add", 'r', "", 1, "popc.b32 T, X; add.u32 X, T, Y;"},
    {"setp_selp", 'r', "setp.lt.s32 %p1, X, Y; selp.u32 X, Z, Y, %p1;", 1, ""},
    {"shfl", 'r', "shfl.sync.bfly.b32 X, X, 1, 31, 0xffffffff;", 1, ""},
    {"shfl_add", 'r', "", 1, "shfl.sync.bfly.b32 T, X, 1, 31, 0xffffffff; add.u32 X, T, Y;"},
    {"add_u64", 'l', "add.u64 X, X, Y; add.u64 Y, Y, X;", 2, "add.u64 X, X, Y;"},
    {"mad_wide", 'l', "cvt.u32.u64 T, X; mad.wide.u32 X, T, Z, Y;", 1, ""},
    {"add_f32", 'f', "add.f32 X, X, Y;", 1, "add.f32 X, X, Y;"},
    {"mul_f32", 'f', "mul.f32 X, X, Y;", 1, "mul.f32 X, X, Y;"},
    {"fma_f32", 'f', "fma.rn.f32 X, X, Y, Y;", 1, "fma.rn.f32 X, X, Y, Y;"},
    {"max_f32", 'f', "max.f32 X, X, Y; min.f32 Y, Y, X;", 2, "max.f32 X, X, Y;"},
    {"fma+lop3", 'f', "", 1, "fma.rn.f32 X, X, Y, Y; lop3.b32 T, T, Z, Z, 0xd6;"},
    {"rcp_add", 'f', "rcp.approx.ftz.f32 X, X; add.f32 X, X, Y;", 1, "rcp.approx.ftz.f32 F, X; add.f32 X, F, Y;"},
    {"rsqrt", 'f', "rsqrt.approx.ftz.f32 X, X;", 1, ""},
    {"sqrt_approx", 'f', "sqrt.approx.ftz.f32 X, X;", 1, ""},
    {"sqrt_rn", 'f', "sqrt.rn.f32 X, X;", 1, "sqrt.rn.f32 X, X;"},
    {"sin", 'f', "sin.approx.ftz.f32 X, X;", 1, ""},
    {"sin_add", 'f', "", 1, "sin.approx.ftz.f32 F, X; add.f32 X, F, Y;"},
    {"ex2", 'f', "ex2.approx.ftz.f32 X, X;", 1, ""},
    {"ex2_add", 'f', "", 1, "ex2.approx.ftz.f32 F, X; add.f32 X, F, Y;"},
    {"lg2_add", 'f', "lg2.approx.ftz.f32 X, X; add.f32 X, X, Y;", 1, ""},
    {"tanh_add", 'f', "tanh.approx.f32 X, X; add.f32 X, X, Y;", 1, "tanh.approx.f32 F, X; add.f32 X, F, Y;", 75},
    {"div_full", 'f', "div.full.f32 X, Y, X;", 1, "div.full.f32 X, Y, X;"},
    {"div_rn", 'f', "div.rn.f32 X, Y, X;", 1, "div.rn.f32 X, Y, X;"},
    {"cvt_pair", 'r', "cvt.rn.f32.s32 F, X; cvt.rzi.s32.f32 X, F;", 1, "cvt.rn.f32.s32 F, X; cvt.rzi.s32.f32 X, F;"},
    {"cvt_f16_pair", 'f', "cvt.rn.f16.f32 %h1, X; cvt.f32.f16 X, %h1;", 1,
     "cvt.rn.f16.f32 %h1, X; cvt.f32.f16 X, %h1;"},
    {"add_f64", 'd', "add.f64 X, X, Y;", 1, "add.f64 X, X, Y;"},
    {"mul_f64", 'd', "mul.f64 X, X, Y;", 1, "mul.f64 X, X, Y;"},
    {"fma_f64", 'd', "fma.rn.f64 X, X, Y, Y;", 1, "fma.rn.f64 X, X, Y, Y;"},
    {"div_f64", 'd', "div.rn.f64 X, Y, X;", 1, ""},
    {"add_f16x2", 'r', "add.f16x2 X, X, Y;", 1, "add.f16x2 X, X, Y;"},
    {"fma_f16x2", 'r', "fma.rn.f16x2 X, X, Y, Y;", 1, "fma.rn.f16x2 X, X, Y, Y;"},
};

constexpr uint32_t kChains = 8;

/// Register `index` of the values.
std::string value(char type, uint32_t index) { return fmt::format("%{}{}", type, 10 + index); }

std::string step_text(const Operation& operation, const char* text, uint32_t x, uint32_t y) {
  std::string out;
  for (const char* at = text; *at != '\0'; ++at) switch (*at) {
      case 'X': out += value(operation.type, x); break;
      case 'Y': out += value(operation.type, y); break;
      case 'Z': out += "%r1"; break;
      case 'T': out += fmt::format("%r{}", 40 + x); break;
      case 'F': out += fmt::format("%f{}", 40 + x); break;
      default: out += *at;
    }
  return out;
}

std::string setup_of(const Operation& operation) {
  std::string out;
  for (uint32_t i = 0; i < kChains; ++i) {
    const std::string x = value(operation.type, i);
    // All depend on the thread, so that no compiler computes them once for a warp.
    out += fmt::format("  add.u32 %r{}, %r0, {};\n", 40 + i, i);
    out += fmt::format("  add.u32 %r30, %r0, {};\n", i + 1);
    if (i % 2 != 0) out += "  add.u32 %r30, %r30, %r2;\n";
    switch (operation.type) {
      case 'r': out += fmt::format("  mov.u32 {}, %r30;\n", x); break;
      case 'f': out += fmt::format("  cvt.rn.f32.u32 {}, %r30;\n", x); break;
      case 'd': out += fmt::format("  cvt.rn.f64.u32 {}, %r30;\n", x); break;
      case 'l': out += fmt::format("  cvt.u64.u32 {}, %r30;\n", x); break;
    }
  }
  return out;
}

/// All values into %r3.
std::string end_of(const Operation& operation) {
  std::string out = "  mov.u32 %r3, 0;\n";
  for (uint32_t i = 0; i < kChains; ++i) {
    const std::string x = value(operation.type, i);
    switch (operation.type) {
      case 'r': out += fmt::format("  mov.u32 %r30, {};\n", x); break;
      case 'f': out += fmt::format("  mov.b32 %r30, {};\n", x); break;
      case 'd': out += fmt::format("  mov.b64 {{%r30, %r31}}, {};\n  xor.b32 %r3, %r3, %r31;\n", x); break;
      case 'l': out += fmt::format("  mov.b64 {{%r30, %r31}}, {};\n  xor.b32 %r3, %r3, %r31;\n", x); break;
    }
    out += fmt::format("  xor.b32 %r3, %r3, %r30;\n  xor.b32 %r3, %r3, %r{};\n", 40 + i);
  }
  return out;
}

/// The kernel of an operation: "rate_fma_lop3".
std::string kernel_name(const char* what, std::string_view operation) {
  std::string out = fmt::format("{}_{}", what, operation);
  std::replace(out.begin(), out.end(), '+', '_');
  return out;
}

void measure_latency(Micro& micro, const Operation& operation, const std::string& full) {
  Chain chain{.name = kernel_name("latency", operation.name),
              .setup = setup_of(operation),
              .step = [&](uint32_t) { return step_text(operation, operation.latency, 0, 1); },
              .end = end_of(operation)};
  const double cycles = ChainKernel(micro, chain, operation.capability).step_cycles(32) / operation.steps;
  micro.add(full, cycles, "cycles", chain.name);
}

/// `begin`: of the values' names.
void measure_rate(Micro& micro, const Operation& operation, const std::string& begin) {
  Chain chain{.name = kernel_name("rate", operation.name),
              .setup = setup_of(operation),
              .step = {},
              .end = end_of(operation),
              .repeat = 128};
  chain.step = [&](uint32_t i) { return step_text(operation, operation.rate, i % kChains, (i + 4) % kChains); };
  ChainKernel loaded(micro, chain, operation.capability);
  for (uint32_t warps : {1, 4, 8, 16, 32}) {
    const std::string full = fmt::format("{}warps{}", begin, warps);
    if (micro.includes(full))
      micro.add(full, warps / loaded.step_cycles(32 * warps), "warp instr/cycle/SM", chain.name);
  }
}

void measure(Micro& micro, const Operation& operation) {
  const std::string latency = fmt::format("latency/{}", operation.name);
  const std::string rate = fmt::format("throughput/{}/", operation.name);
  if (*operation.latency != '\0' && micro.includes(latency))
    micro.attempt(latency, [&] { measure_latency(micro, operation, latency); });
  if (*operation.rate != '\0' && micro.includes_some(rate))
    micro.attempt(rate, [&] { measure_rate(micro, operation, rate); });
}

/// Matrix products, which compute capability 8.0 has first in this shape.
void measure_mma(Micro& micro) {
  auto mma = [](uint32_t c) {
    return fmt::format(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%f{0}, %f{1}, %f{2}, %f{3}}}, {{%r10, %r11, %r12, %r13}}, "
        "{{%r14, %r15}}, {{%f{0}, %f{1}, %f{2}, %f{3}}};",
        c, c + 1, c + 2, c + 3);
  };
  std::string setup, end = "  mov.u32 %r3, 0;\n";
  for (uint32_t i = 0; i < 6; ++i) setup += fmt::format("  add.u32 %r{}, %r0, {};\n", 10 + i, i);
  for (uint32_t i = 10; i < 42; ++i) {
    setup += fmt::format("  mov.f32 %f{}, 0f00000000;\n", i);
    end += fmt::format("  mov.b32 %r30, %f{};\n  xor.b32 %r3, %r3, %r30;\n", i);
  }
  Chain chain{.name = "mma_f16_chain", .setup = setup, .step = [&](uint32_t) { return mma(10); }, .end = end};
  const char *latency = "latency/mma_f16", *rate = "throughput/mma_f16/";
  if (micro.includes(latency))
    micro.attempt(latency,
                  [&] { micro.add(latency, ChainKernel(micro, chain, 80).step_cycles(32), "cycles", chain.name); });
  if (!micro.includes_some(rate)) return;
  chain.name = "mma_f16_rate";
  chain.step = [&](uint32_t i) { return mma(10 + i % kChains * 4); };
  micro.attempt(rate, [&] {
    ChainKernel loaded(micro, chain, 80);
    for (uint32_t warps : {4, 8, 16})
      micro.add(fmt::format("{}warps{}", rate, warps), warps / loaded.step_cycles(32 * warps), "warp instr/cycle/SM",
                chain.name);
  });
}

void measure_barrier(Micro& micro) {
  Chain chain{
      .name = "barrier", .setup = "", .step = [](uint32_t) { return "bar.sync 0;"; }, .end = "  mov.u32 %r3, 0;\n"};
  ChainKernel loaded(micro, chain);
  for (uint32_t warps : {1, 2, 4, 8, 16, 32})
    micro.add(fmt::format("barrier/warps{}", warps), loaded.step_cycles(32 * warps), "cycles", chain.name);
}

/// A loop of one instruction: what its counter and branch add to it.
void measure_loop(Micro& micro, const char* full) {
  constexpr uint32_t kTurns = 64;  // for each round
  Chain chain{.name = "loop_of_a_mad",
              .setup = "  mov.u32 %r3, 1;\n  shl.b32 %rounds, %rounds, 6;\n",
              .step = [](uint32_t) { return "mad.lo.u32 %r3, %r3, %r2, %r1;"; },
              .end = {},
              .repeat = 1};
  micro.add(full, ChainKernel(micro, chain).step_cycles(32) / kTurns, "cycles", chain.name);
}

}  // namespace

void measure_pipes(Micro& micro) {
  const auto capability = static_cast<uint32_t>(micro.description().major * 10 + micro.description().minor);
  for (const Operation& operation : kOperations)
    if (operation.capability <= capability) measure(micro, operation);
  if (capability >= 80) measure_mma(micro);
  if (micro.includes_some("barrier/")) micro.attempt("barrier/", [&] { measure_barrier(micro); });
  const char* loop = "latency/loop_of_a_mad";
  if (micro.includes(loop)) micro.attempt(loop, [&] { measure_loop(micro, loop); });
}

}  // namespace warptime::measure
