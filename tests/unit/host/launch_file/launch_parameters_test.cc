// `params` and `figures` of launch files: values, expressions where they are allowed, limits, and what is wrong with
// them.
#include "host/launch_file/launch_parameters.h"

#include "host/device/typed_value.h"
#include "host/launch_file/launch_figures.h"
#include "host/launch_file/launch_file.h"
#include "unit/host/host_test.h"

namespace warptime::host {

namespace {

struct ParameterExample {
  TemporaryFolder folder;
  ParameterExample() { folder.write("k.ptx", ".version 1.0\n.target sm_10\n"); }

  LaunchPlan load(const std::string& text, const std::vector<std::string>& settings = {}) {
    return load_launch_file(folder.write("run.yaml", text), {}, settings);
  }
  std::string error(const std::string& text, const std::vector<std::string>& settings = {}) {
    return input_error([&] { load(text, settings); });
  }
};

const std::string kSizes = R"(
module: k.ptx
params:
  n: {default: 1024, min: 1, max: 4096, help: elements}
  tile: {default: 256}
  tiles: {default: ceil(n / tile)}
buffers:
  x: {type: f32, count: n*n / 2, align: 4 * 64}
  y: {type: u64, values: [n, 2^40 + 1, 18446744073709551615]}
  z: {type: f32, count: 4, init: {iota: {start: -n, step: n / 4096}}}
launches:
  - copy: {to: x, bytes: 4*n}
  - kernel: k
    grid: [tiles, 2]
    block: [tile]
    args: [x, {u32: n}, {f32: 1 / 3}, {address: x, offset: 4 * tile}]
    repeat: n / 256
figures:
  rate: 2*n^3 / time_ns
  double_rate: {value: rate * 2, unit: GFLOP/s, what: twice that}
)";

const PlannedLaunch& launch_of(const LaunchPlan& plan) { return std::get<PlannedLaunch>(plan.steps.at(1)); }

}  // namespace

TEST_CASE("Numeric fields are expressions over the parameters") {
  ParameterExample example;
  LaunchPlan plan = example.load(kSizes);
  CHECK(plan.buffers[0].count == 1024 * 512);
  CHECK(plan.buffers[0].alignment == 256);
  auto values = materialise(plan.buffers[1]);
  CHECK(load_element(ptx::Type::U64, values, 0) == 1024);
  CHECK(load_element(ptx::Type::U64, values, 1) == (uint64_t{1} << 40) + 1);
  CHECK(load_element(ptx::Type::U64, values, 2) == ~uint64_t{0});
  auto ramp = materialise(plan.buffers[2]);
  CHECK(decode_value(ptx::Type::F32, load_element(ptx::Type::F32, ramp, 1)) == -1023.75);
  CHECK(std::get<PlannedCopy>(plan.steps[0]).bytes == 4096);
  const PlannedLaunch& launch = launch_of(plan);
  CHECK(launch.grid.x == 4);
  CHECK(launch.block.x == 256);
  CHECK(launch.repeat == 4);
  CHECK(launch.arguments[1].argument.bits == 1024);
  CHECK(decode_value(ptx::Type::F32, launch.arguments[2].argument.bits) == static_cast<double>(1.0F / 3.0F));
  CHECK(launch.arguments[3].offset == 1024);
}

TEST_CASE("A setting takes the place of the default, before others use it") {
  ParameterExample example;
  LaunchPlan plan = example.load(kSizes, {"n=512", "tile=64"});
  CHECK(plan.parameters == std::vector<std::pair<std::string, double>>{{"n", 512}, {"tile", 64}, {"tiles", 8}});
  CHECK(launch_of(plan).grid.x == 8);
  CHECK(launch_of(plan).repeat == 2);
  CHECK(launch_of(example.load(kSizes, {"tiles=3"})).grid.x == 3);
}

TEST_CASE("Settings that cannot be") {
  ParameterExample example;
  auto [setting, message] = GENERATE(table<std::string, std::string>({
      {"n=0", "--param:1:3: error: \"n\" must be 1 to 4096, not 0"},
      {"n=4097", "hint: it is: elements"},
      {"n=many", "\"n\" must be a number, not \"many\""},
      {"n=", "\"n\" must be a number, not \"\""},
      {"n", "this is not NAME=VALUE"},
      {"=4", "this is not NAME=VALUE"},
      {"tlie=4", "hint: did you mean \"tile\"?"},
      {"zzzzzz=4", "hint: available: n, tile, tiles"},
      {"n=1.5", "\"n*n / 2\" is 1.125, not a whole number"},
  }));
  CAPTURE(setting);
  CHECK_THAT(example.error(kSizes, {setting}), Catch::Matchers::Contains(message));
}

TEST_CASE("Parameters and expressions that are wrong say where") {
  ParameterExample example;
  auto [from, to, message] = GENERATE(table<std::string, std::string, std::string>({
      {"tile: {default: 256}", "tile: {min: 256}", "parameter \"tile\" has no \"default\""},
      {"tile: {default: 256}", "ti.le: {default: 256}", "\"ti.le\" cannot be a parameter's name"},
      {"tile: {default: 256}", "tile: {default: 256, max: 128}", "\"tile\" must be at most 128, not 256"},
      {"tile: {default: 256}", "tile: {default: m}", "there is no parameter \"m\""},
      {"tile: {default: 256}", "tile: 256", "parameter \"tile\" must be a map, not \"256\""},
      {"count: n*n / 2", "count: n*m", ":8:27: error: there is no parameter \"m\""},
      {"count: n*n / 2", "count: n /", "expected a number or a name"},
      {"count: n*n / 2", "count: n / 0", "the value is not a finite number"},
      {"count: n*n / 2", "count: 3 / 2", "hint: ceil(3 / 2) or floor(3 / 2)"},
      {"count: n*n / 2", "count: 0 * n", "\"count\" must be 1 to"},
      {"count: n*n / 2", "count: cube(n)", "there is no function \"cube\""},
      {"count: n*n / 2", "count: n < 2", "is not a number"},
      {"{u32: n}", "{u32: n / 1000}", "the argument must be an u32, not \"1.024\""},
      {"[x, {u32: n}", "[n, {u32: n}", "hint: a number needs its type: {u32: n}"},
      {"rate: 2*n^3 / time_ns", "rate: 2*n^3 / time_nz", "hint: did you mean \"time_ns\"?"},
      {"rate: 2*n^3 / time_ns", "rate: (2*n", "figure \"rate\": a \")\" is missing"},
      {"rate: 2*n^3 / time_ns", "rate: n < time_ns", "figure \"rate\" is a comparison, not a number"},
      {"rate: 2*n^3 / time_ns", "n: 2", "\"n\" cannot be a figure's name"},
  }));
  CAPTURE(to);
  std::string text = kSizes;
  text.replace(text.find(from), from.size(), to);
  std::string found = example.error(text);
  CAPTURE(found);
  CHECK_THAT(found, Catch::Matchers::Contains(message));
}

TEST_CASE("Figures are computed from a run's total, and from figures before them") {
  ParameterExample example;
  LaunchPlan plan = example.load(kSizes, {"n=512"});
  RunReport report;
  report.launches.emplace_back().time_us = 2;
  report.launches.back().timed = true;
  std::vector<Figure> figures = figures_of(plan, report);
  REQUIRE(figures.size() == 2);
  CHECK(figures[0].name == "rate");
  CHECK(figures[0].value == 2.0 * 512 * 512 * 512 / 2000);
  CHECK(figures[1].value == 2 * figures[0].value);
  CHECK(figures[1].unit == "GFLOP/s");
  CHECK(figures[1].what == "twice that");
  // A functional run has no time, and so no figure of it.
  report.launches.back().timed = false;
  CHECK(figures_of(plan, report).empty());
}

}  // namespace warptime::host
