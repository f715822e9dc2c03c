// Variant widths: accesses of 32, 64 and 128 bits to shared memory, constants and lines of an L1, and words beyond the
// L1, after the programs of gpumembench (Konstantinidis and Cotronis, PDP 2016). Figures are accesses of threads per
// cycle and SM.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "host/device/model.h"
#include "host/workload/compare.h"
#include "micro.h"

namespace warptime::workloads {
namespace {

constexpr uint32_t kThreads = 256;

/// Threads of a block: enough to be limited by the accesses, few enough for the registers and shared memory of a G80.
constexpr uint32_t threads_of(uint32_t words) { return words == 1 ? 512 : kThreads; }
constexpr uint32_t loads_of(uint32_t words) { return words == 4 ? 2 : 4; }

// ChainRunner::step_cycles with shorter loops, whose code every instruction cache holds.
constexpr uint32_t kShort = 4, kLong = 12, kRounds = 17, kSteps = kLong * kRounds;
double step_cycles(ChainRunner& runner, const std::string& name, const Body& body, uint32_t threads) {
  double difference[2];
  for (bool is_long : {false, true}) {
    auto module = load_chain(runner.device(), name, body, is_long ? kLong : kShort);
    double once = runner.cycles(module, threads, 1);
    difference[is_long ? 1 : 0] = runner.cycles(module, threads, kRounds) - once;
  }
  return (difference[1] - difference[0]) / ((kLong - kShort) * (kRounds - 1));
}

/// "{a0, a1}" of registers a0 on.
std::string registers(char name, uint32_t first, uint32_t words) {
  std::string out;
  for (uint32_t i = 0; i < words; ++i) out += fmt::format("{}%{}{}", i == 0 ? "" : ", ", name, first + i);
  return words == 1 ? out : "{" + out + "}";
}
std::string vector(uint32_t words) { return words == 1 ? "" : fmt::format(".v{}", words); }

void add_rate(host::WorkloadContext& context, const std::string& name, uint32_t words, double accesses, double cycles,
              const std::string& what) {
  context.device.add_figure({fmt::format("{}_{}", name, 32 * words), accesses / cycles, "accesses", what});
}

/// Two places change their values: two loads, two stores.
void measure_swaps(host::WorkloadContext& context, uint32_t words) {
  ChainRunner runner(context, {0});
  std::string data = vector(words) + ".u32", a = registers('a', 0, words), b = registers('b', 0, words);
  const uint32_t threads = threads_of(words), other = threads * 4 * words;
  Body body;
  body.shared = fmt::format("  .shared .align 16 .b8 words[{}];\n  .reg .u32 %a<4>;\n  .reg .u32 %b<4>;\n", 2 * other);
  body.setup = fmt::format("  mov.u32 %r4, words;\n  mul.lo.u32 %r3, %r0, {};\n  add.u32 %r4, %r4, %r3;\n", 4 * words);
  for (uint32_t i = 0; i < words; ++i)
    body.setup += fmt::format("  st.shared.u32 [%r4+{}], %r0;\n  st.shared.u32 [%r4+{}], %r1;\n", 4 * i, other + 4 * i);
  body.step = fmt::format(
      "  ld.shared{0} {1}, [%r4];\n  ld.shared{0} {2}, [%r4+{3}];\n  st.shared{0} [%r4], {2};\n"
      "  st.shared{0} [%r4+{3}], {1};\n",
      data, a, b, other);
  body.end = fmt::format("  ld.shared.u32 %r2, [%r4+{}];\n", other + 4 * (words - 1));
  double cycles = step_cycles(runner, "swaps", body, threads);
  add_rate(context, "shared", words, 4.0 * threads, cycles,
           "loads and stores of threads per cycle and SM, two places in shared memory changing their values");
  static_assert(kSteps % 2 == 0);
  runner.check(fmt::format("swaps of {} bits", 32 * words), [](uint32_t thread) { return 4 * thread; });
}

/// All threads add up the same elements.
void measure_uniform(host::WorkloadContext& context, uint32_t words) {
  const uint32_t loads = loads_of(words), threads = threads_of(words);
  Body body;
  body.variables = ".const .align 16 .u32 table[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};\n";
  body.shared = fmt::format("  .reg .u32 %a<{0}>;\n  .reg .u32 %b<{0}>;\n", loads * words);
  body.end = "  mov.u32 %r2, 0;\n";
  // Behind each load the additions of one before it, so that loads and additions overlap.
  for (uint32_t load = 0; load < loads; ++load) {
    uint32_t first = load * words, before = (load + 1) % loads * words;
    body.step +=
        fmt::format("  ld.const{}.u32 {}, [table+{}];\n", vector(words), registers('a', first, words), 4 * first);
    for (uint32_t i = 0; i < words; ++i) {
      body.setup += fmt::format("  mov.u32 %a{0}, 0;\n  mov.u32 %b{0}, 0;\n", first + i);
      body.step += fmt::format("  add.u32 %b{0}, %b{0}, %a{0};\n", before + i);
      body.end += fmt::format("  add.u32 %r2, %r2, %b{};\n", first + i);
      if (load > 0) body.end += fmt::format("  add.u32 %r2, %r2, %a{};\n", first + i);
    }
  }
  ChainRunner runner(context, {0});
  double cycles = step_cycles(runner, "uniform", body, threads);
  add_rate(context, "constant", words, 1.0 * loads * threads, cycles,
           "loads of threads per cycle and SM, of the same constants, each word added to a sum");
  runner.check(fmt::format("sums of {} bits", 32 * words), [=](uint32_t) { return loads * words * kSteps; });
}

/// Each thread loads its own element again and again.
void measure_lines(host::WorkloadContext& context, uint32_t words) {
  const uint32_t loads = loads_of(words), threads = threads_of(words);
  std::vector<uint32_t> input(threads * words);
  std::iota(input.begin(), input.end(), 0u);
  ChainRunner runner(context, input);
  Body body;
  body.shared = fmt::format("  .reg .u32 %a<{}>;\n", loads * words);
  body.setup = fmt::format(
      "  mov.u32 %r2, 0;\n  ld.param.u32 %r4, [in];\n  mul.lo.u32 %r3, %r0, {};\n  add.u32 %r4, %r4, %r3;\n",
      4 * words);
  for (uint32_t load = 0; load < loads; ++load)
    body.step += fmt::format("  ld.global{}.u32 {}, [%r4];\n", vector(words), registers('a', load * words, words));
  body.step += fmt::format("  add.u32 %r2, %r2, %a{};\n", loads * words - 1);
  double cycles = step_cycles(runner, "lines", body, threads);
  add_rate(context, "global", words, 1.0 * loads * threads, cycles,
           "loads of threads per cycle and SM, of elements that an L1 holds, where there is one");
  runner.check(fmt::format("elements of {} bits", 32 * words),
               [=](uint32_t thread) { return (thread * words + words - 1) * kSteps; });
}

/// Measures passes over an array of so many words for each of its threads, which are as many as fit.
void measure_passes(host::WorkloadContext& context, uint32_t words_each) {
  host::Device& device = context.device;
  const sim::MachineConfig& machine = device.machine().config;
  uint32_t sms = sim::sm_count(machine);
  uint32_t blocks = sms * std::min(machine.sm.max_threads / kThreads, machine.sm.max_blocks);
  uint32_t threads = blocks * kThreads, words = threads * words_each;
  constexpr uint32_t kPasses = 3;
  auto module = device.load_module_file(context.directory + "/micro.ptx");
  std::vector<uint32_t> values(words), sums(threads), result(threads);
  std::iota(values.begin(), values.end(), 1u);
  host::Buffer in = device.allocate<uint32_t>(words, "in"), out = device.allocate<uint32_t>(threads, "out");
  device.copy_to(in, values, "in");
  auto cycles = [&](uint32_t passes) {
    return static_cast<double>(
        device.launch(module, "read", {blocks}, {kThreads}, {in, out, host::arg_u32(words), host::arg_u32(passes)}, {})
            .cycles);
  };
  if (keeps_l2(device)) cycles(1);
  double once = cycles(1), more = cycles(1 + kPasses);
  device.copy_from(result, out, "out");
  for (uint32_t i = 0; i < words; ++i) sums[i % threads] += (1 + kPasses) * values[i];
  device.add_figure({fmt::format("read_{}_words_per_thread", words_each), double{kPasses} * words / (more - once) / sms,
                     "accesses", "loads of threads per cycle and SM in a further pass over so many words per thread"});
  if (context.check)
    context.checks.push_back(host::compare(fmt::format("{} words per thread", words_each), ptx::Type::U32,
                                           std::as_bytes(std::span(result)), std::as_bytes(std::span(sums)), {}));
}

}  // namespace

void measure_widths(host::WorkloadContext& context) {
  for (uint32_t words : {1u, 2u, 4u}) measure_swaps(context, words);
  for (uint32_t words : {1u, 2u, 4u}) measure_uniform(context, words);
  for (uint32_t words : {1u, 2u, 4u}) measure_lines(context, words);
  // gpumembench's steps: 553 to 737 KB, and more than any L2 holds, of a GTX 480.
  for (uint32_t words_each : {6u, 8u, 32u}) measure_passes(context, words_each);
}

}  // namespace warptime::workloads
