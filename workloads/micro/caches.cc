// Variant caches: the time of a read from constant and texture memory, and of an instruction, by the size of what is
// used again and again. The reads are chains through every line of a table, so that each waits for the one before.
#include <fmt/format.h>

#include <algorithm>

#include "host/device/model.h"
#include "micro.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kWarp = 32;
constexpr uint32_t kUnrolled = 16;

/// A table whose words hold the place of the next one, `stride` words on and back to the first at the end.
std::vector<uint32_t> ring(uint32_t words, uint32_t stride, uint32_t unit) {
  std::vector<uint32_t> out(words);
  for (uint32_t i = 0; i < words; ++i) out[i] = (i + stride) % words * unit;
  return out;
}

/// The sizes 1, 2, 3, 4, 6, 8, 12, ... KB up to `most`.
std::vector<uint32_t> sizes(uint32_t most) {
  std::vector<uint32_t> out{1};
  for (uint32_t power = 2; power <= most; power *= 2) {
    out.push_back(power);
    if (power * 3 / 2 <= most) out.push_back(power * 3 / 2);
  }
  return out;
}

/// Cycles of a step in the steady state: after as many passes through a table of `steps` steps, that many again. Short
/// tables take more of them, so that what the ends of the runs differ by is lost in them.
double steady(ChainRunner& runner, const host::ModuleRef& module, uint32_t steps) {
  uint32_t passes = std::max(2u, 2048 / steps), rounds = passes * steps / kUnrolled;
  double once = runner.cycles(module, kWarp, rounds);
  return (runner.cycles(module, kWarp, 2 * rounds) - once) / (passes * steps);
}

/// The largest size whose cost is still within 1 % of the least.
void add_working_set(host::WorkloadContext& context, const std::string& what, const std::vector<uint32_t>& kilobytes,
                     const std::vector<double>& cycles) {
  double fastest = *std::min_element(cycles.begin(), cycles.end()), last = 0;
  for (size_t i = 0; i < cycles.size(); ++i)
    if (cycles[i] <= 1.01 * fastest) last = kilobytes[i];
  context.device.add_figure({what + "_working_set", last, "KB", "the largest that is read as fast as any"});
}

void measure_constant(host::WorkloadContext& context, const std::vector<uint32_t>& kilobytes) {
  constexpr uint32_t kLine = 64, kWords = 16384;
  ChainRunner runner(context, {0});
  Body body;
  body.variables = ".const .align 4 .b8 table[65536];\n";
  body.setup = "  mov.u32 %r2, table;\n";
  body.step = "  ld.const.u32 %r2, [%r2];\n";
  auto module = load_chain(context.device, "constant", body, kUnrolled);
  std::vector<double> cycles;
  for (uint32_t size : kilobytes) {
    std::vector<uint32_t> table = ring(size * 256, kLine / 4, 4);
    table.resize(kWords);
    context.device.set_symbol(module, "table", std::as_bytes(std::span(table)));
    cycles.push_back(steady(runner, module, size * 1024 / kLine));
    runner.check("end of a constant ring", [](uint32_t) { return 0u; });
    context.device.add_figure({"constant_" + fmt::to_string(size) + "_kb", cycles.back(), "cycles",
                               "a dependent read from a table of this size"});
  }
  add_working_set(context, "constant", kilobytes, cycles);
}

void measure_texture(host::WorkloadContext& context, const std::vector<uint32_t>& kilobytes) {
  constexpr uint32_t kLine = 32;
  ChainRunner runner(context, {0});
  Body body;
  body.variables = ".tex .u32 table;\n";
  body.setup = "  mov.u32 %r2, 0;\n";
  body.step = "  tex.1d.v4.u32.s32 {%r2, %r8, %r9, %r10}, [table, {%r2, %r2, %r2, %r2}];\n";
  auto module = load_chain(context.device, "texture", body, kUnrolled);
  host::Buffer words = context.device.allocate<uint32_t>(kilobytes.back() * 256, "texture");
  std::vector<double> misses;
  for (uint32_t size : kilobytes) {
    context.device.copy_to(words, ring(size * 256, kLine / 4, 1), "texture");
    sim::Texture texture;
    texture.base = words.address;
    texture.size = {size * 256, 1, 1};
    texture.channel = ptx::Type::U32;
    texture.tiled = false;
    context.device.bind_texture(module, "table", texture);
    uint32_t steps = size * 1024 / kLine;
    double cycles = steady(runner, module, steps);
    misses.push_back(static_cast<double>(context.device.launches().back().caches.texture.misses) / steps);
    runner.check("end of a texture ring", [](uint32_t) { return 0u; });
    context.device.add_figure(
        {"texture_" + fmt::to_string(size) + "_kb", cycles, "cycles", "a dependent read from a texture of this size"});
  }
  // A hit saves bandwidth, not time (CUDA C Programming Guide 4.2, 5.3.2.5): the misses tell, one a line for a table
  // that stays.
  add_working_set(context, "texture", kilobytes, misses);
}

void measure_instructions(host::WorkloadContext& context, const std::vector<uint32_t>& kilobytes) {
  constexpr uint32_t kBytes = 8, kPasses = 4, kLoop = 5;  // of an instruction; of the loop, around the body
  ChainRunner runner(context, {0});
  Body body;
  body.setup = "  mov.u32 %r2, 0;\n";
  body.step = "  add.u32 %r2, %r2, 1;\n";
  std::vector<double> cycles;
  for (uint32_t size : kilobytes) {
    uint32_t steps = size * 1024 / kBytes - kLoop;
    auto module = load_chain(context.device, "code", body, steps);
    double twice = runner.cycles(module, kWarp, 2);
    cycles.push_back((runner.cycles(module, kWarp, kPasses) - twice) / ((kPasses - 2.0) * steps));
    runner.check("additions", [&](uint32_t) { return steps * kPasses; });
    context.device.add_figure({"instructions_" + fmt::to_string(size) + "_kb", cycles.back(), "cycles",
                               "a dependent addition in a loop of this size"});
  }
  add_working_set(context, "instructions", kilobytes, cycles);
}

}  // namespace

void measure_caches(host::WorkloadContext& context) {
  std::vector<uint32_t> kilobytes = sizes(static_cast<uint32_t>(context["most"]));
  measure_constant(context, kilobytes);
  measure_texture(context, kilobytes);
  measure_instructions(context, kilobytes);
}

}  // namespace warptime::workloads
