// Processor files, and counted numbers as numbers: the same values as plain ones, and the operations that were written.
#include "cpu/baseline.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cpu/counted.h"
#include "host/workload/workload.h"
#include "unit/host/host_test.h"

namespace warptime::cpu {

namespace {

using Catch::Contains;
const std::string kConfigs = WARPTIME_SOURCE_DIR "/configs";

std::string cpu_mistakes(const std::string& yaml) {
  host::TemporaryFolder folder;
  Diagnostics diagnostics;
  load_cpu(folder.write("cpu-x.yaml", yaml), kConfigs, diagnostics);
  return diagnostics.to_text();
}

Cpu shipped_cpu() {
  Diagnostics diagnostics;
  auto cpu = load_cpu(kDefaultCpu, kConfigs, diagnostics);
  REQUIRE(cpu.has_value());
  return *cpu;
}

/// Code that runs with plain and with counted numbers.
template <class T>
std::vector<double> results() {
  using I = like<T, int32_t>;
  using W = like<T, uint32_t>;
  array_of<T> a(4);
  a[0] = 2.5f;
  a[1] = a[0];
  a[1] *= 3.0f;
  a[2] = a[1] - a[0] / 2.0f;
  a[3] -= 1.5f;
  T x = a[2];
  I whole = static_cast<I>(x);
  W bits = static_cast<W>(whole);
  bits = (bits << 3 | 1u) ^ 5u;
  bits >>= 1u;
  using std::abs, std::floor, std::max, std::min, std::rotl, std::sqrt;
  T floored = floor(a[3]), root = sqrt(abs(a[3])), lower = min(x, T(a[0])), upper = max(x, T(a[0]));
  W turned = rotl(bits, 7);
  I rest = whole % 4;
  --whole;
  int less = 0;
  if (!(x < a[0]) && (whole == 5 || rest != 2)) less = 1;
  auto plain = [](const auto& v) {
    if constexpr (CountedOperand<std::decay_t<decltype(v)>>) return static_cast<double>(v.value());
    else return static_cast<double>(v);
  };
  return {plain(x),     plain(whole), plain(bits),   plain(floored), plain(root), plain(lower),
          plain(upper), plain(-x),    plain(turned), plain(rest),    double(less)};
}

}  // namespace

TEST_CASE("cpu: counted numbers have the values of plain ones") {
  Cpu cpu = shipped_cpu();
  for (bool packed : {false, true}) {
    CpuCore core(cpu.config, packed);
    CHECK(results<Counted<float>>() == results<float>());
  }
  CHECK(results<float>()[0] == 6.25);
}

TEST_CASE("cpu: a workload's operations, its part and scale, packed where that helps") {
  Cpu cpu = shipped_cpu();
  auto reference = [](CpuContext& context) {
    CountedArray<float> x(1000), y(1000);
    for (size_t i : steps<Counted<float>>(x.size())) y[i] = 2.0f * x[i] + y[i];
    context.scale = static_cast<double>(context["n"]) / 1000;
    context.part = "1000 elements";
  };
  CpuReport report = run_cpu_baseline(cpu, reference, "", {{"n", 5000}});
  nlohmann::ordered_json json = to_json(report);
  CHECK(json["machine"] == "cpu-opteron-248");
  CHECK(json["hash"].get<std::string>().size() == 16);
  CHECK(json["operations"].dump() ==
        R"({"add":1000,"mul":1000,"div":0,"sqrt":0,"estimate":0,"compare":0,"logic":0,"convert":0,"integer":2000,)"
        R"("shift":0,"integer_mul":0,"integer_div":0,"branch":1000,"load":2000,"store":1000,"sin_cos":0})");
  CHECK(json["memory"]["accesses"] == 3000);
  CHECK(json["mispredicted"] == 1);
  CHECK(json["scale"] == 5.0);
  CHECK(json["part"] == "1000 elements");
  CHECK(report.scalar_seconds == Approx(report.cycles * 5 / 2.2e9));
  CHECK(report.simd_seconds < report.scalar_seconds);
}

TEST_CASE("cpu: every value of the shipped file is given, not left to a default") {
  Diagnostics diagnostics;
  CpuConfig config;
  sim::ParameterFile file;
  std::vector<sim::Parameter> parameters = sim::parameters_of(config);
  sim::load_parameters(file, parameters, sim::ConfigKind::Cpu, kDefaultCpu, {}, kConfigs, diagnostics);
  CHECK(diagnostics.to_text().empty());
  for (const sim::Parameter& p : parameters) {
    INFO(p.path);
    CHECK(file.origin(p.path).text != "default");
  }
}

TEST_CASE("cpu: a file that is not right says where") {
  CHECK(cpu_mistakes("extends: cpu-opteron-248\nclock_mhz: 2400\n").empty());
  CHECK_THAT(cpu_mistakes("clok_mhz: 3\n"),
             Contains("cpu-x.yaml:1:1: error: ") && Contains("did you mean \"clock_mhz\"?"));
  CHECK_THAT(cpu_mistakes("operations: {add: {pipe: fpu}}\n"), Contains("fadd") && Contains(":1:26: error: "));
  CHECK_THAT(cpu_mistakes("front: {width: 0}\n"), Contains("1 to 16"));
  CHECK_THAT(cpu_mistakes("memory: {l1: {bytes: 65000}}\n"),
             Contains("memory.l1.bytes (65000) must be a multiple of line_bytes x ways (128)"));
  CHECK_THAT(cpu_mistakes("front: {window: 1}\n"), Contains("must be at least simd.macro_operations (2)"));
  CHECK_THAT(cpu_mistakes("extends: geforce-8800-gtx\n"),
             Contains("no processor \"geforce-8800-gtx\"") && Contains("cpu-opteron-248"));
  CHECK_THAT(cpu_mistakes("- 1\n"), Contains("a processor file must be a map"));
  Diagnostics diagnostics;
  CHECK_FALSE(load_cpu("cpu-opteron", kConfigs, diagnostics).has_value());
  CHECK_THAT(diagnostics.to_text(), Contains("no processor \"cpu-opteron\""));
}

TEST_CASE("cpu: a processor is not a machine") {
  CHECK(sim::config_names(kConfigs, sim::ConfigKind::Cpu) == std::vector<std::string>{"cpu-opteron-248"});
  for (const std::string& name : sim::config_names(kConfigs, sim::ConfigKind::Machine))
    CHECK_FALSE(name.starts_with("cpu-"));
}

}  // namespace warptime::cpu
