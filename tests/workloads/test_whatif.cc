// What `warptime whatif` does not run because no time depends on it: runs it, and no time does.
#include <map>

#include "host/whatif/other_values.h"
#include "host/whatif/unused_parts.h"
#include "sim/model/parameters.h"
#include "workloads/workload_run.h"

namespace warptime {

namespace {

std::map<std::string, std::string> total(const host::RunReport& report) {
  std::map<std::string, std::string> out;
  for (auto& [name, cell] : host::cells_of_total(report)) out[name] = cell;
  return out;
}

/// The time with one setting; empty: the machine's checks or the program refuse it.
std::string time_with(const Target& target, const std::string& setting) {
  Diagnostics refused;
  auto loaded = sim::load_machine(target.machine, {setting}, WARPTIME_SOURCE_DIR "/configs", refused);
  if (!loaded) return {};
  try {
    return total(run(target, {}, loaded->machine)).at("time_us");
  } catch (const host::InputError&) {
    return {};
  }
}

/// The number of values that were tried.
size_t try_all(const Target& target, const std::vector<sim::Parameter>& parameters, const std::string& own) {
  size_t tried = 0;
  for (sim::Parameter parameter : parameters) {
    parameter.check.timed = true;
    for (const host::Alternatives& values : host::other_values(parameter))
      for (const std::string& value : values) {
        if (parameter.path == "has_timing") continue;  // without timing there is no time to compare
        std::string setting = parameter.path + "=" + value, time = time_with(target, setting);
        if (time.empty()) continue;
        INFO(target.name() << " with " << setting);
        CHECK(time == own);
        ++tried;
      }
  }
  return tried;
}

}  // namespace

TEST_CASE("no time depends on the parameters that the table marks", "[workloads]") {
  Target target{"matmul", "tiled", {"n=32"}};
  host::RunReport own = run(target);
  std::vector<sim::Parameter> marked = sim::parameters_of(own.machine.config);
  std::erase_if(marked, [](const sim::Parameter& parameter) { return parameter.check.timed; });
  CHECK(try_all(target, marked, total(own).at("time_us")) > 20);
}

TEST_CASE("no time depends on the parts that a program does not use", "[workloads][full]") {
  for (const Target& target : {Target{"vecadd", "", {"n=1001"}}, Target{"mri-q", "constant", {"size=8", "samples=20"}},
                               Target{"smooth", "", {"width=40", "height=20"}},
                               Target{"mandelbrot", "f64", {"size=9", "blocks=4", "threads=64"}, "tesla-c1060"},
                               Target{"spmv", "uniform", {"rows=100", "elements=4"}, "geforce-gtx-480"}}) {
    host::RunReport own = run(target);
    std::map<std::string, std::string> numbers = total(own);
    std::vector<host::UnusedPart> unused = host::unused_parts(own.machine.config, numbers);
    std::vector<sim::Parameter> skipped = sim::parameters_of(own.machine.config);
    std::erase_if(skipped, [&](const sim::Parameter& parameter) {
      return !parameter.check.timed || host::find_unused(unused, parameter.path) == nullptr;
    });
    INFO(target.name());
    CHECK(try_all(target, skipped, numbers.at("time_us")) > 10);
  }
}

}  // namespace warptime
