// micro: one small question to the machine a variant. Every figure is printed and in the report; README.md says how
// each is taken.
#include "micro.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "host/device/model.h"
#include "host/workload/compare.h"

namespace warptime::workloads {

namespace {

constexpr uint32_t kMostThreads = 512;

std::string replaced(std::string text, const std::string& with) {
  for (size_t at = 0; (at = text.find('#', at)) != std::string::npos; at += with.size()) text.replace(at, 1, with);
  return text;
}

}  // namespace

host::ModuleRef load_chain(host::Device& device, const std::string& name, const Body& body, uint32_t repeat) {
  std::string text = ".version 1.4\n.target " + body.target + "\n" + body.variables +
                     ".entry chain (.param .u32 in, .param .u32 out, .param .u32 rounds)\n{\n"
                     "  .reg .u32 %r<16>;\n  .reg .f32 %f<16>;\n  .reg .pred %p<4>;\n" +
                     body.shared + "  mov.u32 %r0, %tid.x;\n  shl.b32 %r1, %r0, 2;\n  ld.param.u32 %r6, [rounds];\n" +
                     body.setup + "again:\n";
  for (uint32_t i = 0; i < repeat; ++i) text += replaced(body.step, fmt::to_string(i));
  text += "  sub.u32 %r6, %r6, 1;\n  setp.ne.u32 %p1, %r6, 0;\n  @%p1 bra again;\n" + body.end +
          "  ld.param.u32 %r7, [out];\n  add.u32 %r7, %r7, %r1;\n  st.global.b32 [%r7], " + body.result +
          ";\n  exit;\n}\n";
  return device.load_module(std::make_shared<SourceText>(name + ".ptx", text));
}

ChainRunner::ChainRunner(host::WorkloadContext& context, std::vector<uint32_t> input)
    : context_(context),
      in_(context.device.allocate<uint32_t>(input.size(), "in")),
      out_(context.device.allocate<uint32_t>(kMostThreads, "out")) {
  context.device.copy_to(in_, input, "in");
}

double ChainRunner::cycles(const host::ModuleRef& module, uint32_t threads, uint32_t rounds) {
  const auto& launch = context_.device.launch(module, "chain", {1}, {threads}, {in_, out_, host::arg_u32(rounds)}, {});
  results_.resize(threads);
  context_.device.read_bytes(std::as_writable_bytes(std::span(results_)), out_.address);
  return static_cast<double>(launch.cycles);
}

double ChainRunner::step_cycles(const std::string& name, const Body& body, uint32_t threads) {
  double difference[2];
  for (bool is_long : {false, true}) {
    auto module = load_chain(context_.device, name, body, is_long ? kLong : kShort);
    std::array<double, kRounds - 1> passes;
    double before = cycles(module, threads, 1);
    for (double& pass : passes) {
      double after = cycles(module, threads, static_cast<uint32_t>(&pass - passes.data()) + 2);
      pass = after - before;
      before = after;
    }
    std::nth_element(passes.begin(), passes.begin() + passes.size() / 2, passes.end());
    difference[is_long ? 1 : 0] = passes[passes.size() / 2];
  }
  return (difference[1] - difference[0]) / (kLong - kShort);
}

void ChainRunner::check(const std::string& name, const std::function<uint32_t(uint32_t)>& expected) {
  if (!context_.check) return;
  std::vector<uint32_t> values(results_.size());
  for (uint32_t i = 0; i < values.size(); ++i) values[i] = expected(i);
  context_.checks.push_back(
      host::compare(name, ptx::Type::U32, std::as_bytes(std::span(results_)), std::as_bytes(std::span(values)), {}));
}

void ChainRunner::check_f32(const std::string& name, double tolerance, const std::function<float(uint32_t)>& expected) {
  if (!context_.check) return;
  std::vector<float> values(results_.size());
  for (uint32_t i = 0; i < values.size(); ++i) values[i] = expected(i);
  context_.checks.push_back(host::compare(name, ptx::Type::F32, std::as_bytes(std::span(results_)),
                                          std::as_bytes(std::span(values)), {tolerance, 0}));
}

namespace {

struct Variant {
  const char* name;
  void (*run)(host::WorkloadContext&);
};
constexpr Variant kVariants[] = {
    {"arithmetic", measure_arithmetic},
    {"f64", measure_f64},
    {"overlap", measure_overlap},
    {"shared", measure_shared},
    {"control", measure_control},
    {"caches", measure_caches},
    {"access", measure_access},
    {"bandwidth", measure_bandwidth},
    {"partitions", measure_partitions},
    {"pitches", measure_pitches},
    {"reads", measure_reads},
    {"chase", measure_chase},
    {"ladder", measure_ladder},
    {"widths", measure_widths},
    {"host", measure_host},
};

void run(host::WorkloadContext& context) {
  for (const Variant& variant : kVariants)
    if (context.runs(variant.name)) variant.run(context);
}

host::Workload describe() {
  host::Workload workload;
  workload.name = "micro";
  workload.summary = "small questions to the machine: latencies, issue costs, conflicts, bandwidths, caches";
  for (const Variant& variant : kVariants) workload.variants.emplace_back(variant.name);
  workload.parameters = {{.name = "kilobytes",
                          .default_value = 4096,
                          .low = 64,
                          .high = 65536,
                          .choices = {64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536},
                          .what = "largest array of variants access, bandwidth, partitions, pitches and ladder"},
                         {.name = "most",
                          .default_value = 64,
                          .low = 2,
                          .high = 64,
                          .choices = {2, 4, 8, 16, 32, 64},
                          .what = "largest code and table of variant caches, KB"},
                         {.name = "stride",
                          .default_value = 0,
                          .low = 0,
                          .high = 1 << 24,
                          .choices = {0, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216},
                          .what = "bytes from a load of variant chase to the next; 0: 256, 4096, 65536, 1048576"},
                         {.name = "footprint",
                          .default_value = 131072,
                          .low = 64,
                          .high = 524288,
                          .choices = {64, 256, 1024, 4096, 16384, 65536, 131072, 262144, 524288},
                          .what = "most memory of variant chase, KB"}};
  workload.needs = {{"f64", {"f64"}}};
  workload.run = run;
  return workload;
}

const bool kRegistered = host::register_workload(describe());

}  // namespace

bool keeps_l2(const host::Device& device) {
  return device.machine().config.chip.caches_between_launches.l2 == sim::CacheContents::keep;
}

}  // namespace warptime::workloads
