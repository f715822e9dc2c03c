#include "host/whatif/other_values.h"

#include <catch2/catch.hpp>
#include <variant>

namespace warptime::host {

namespace {

std::vector<Alternatives> values_of(sim::MachineConfig& machine, const std::string& path) {
  for (const sim::Parameter& parameter : sim::parameters_of(machine))
    if (parameter.path == path) return other_values(parameter);
  FAIL("no parameter " + path);
  return {};
}

std::vector<Alternatives> values_of(const std::string& path) {
  sim::MachineConfig machine;
  return values_of(machine, path);
}

}  // namespace

TEST_CASE("a number goes 20 % down and up, a whole one by one at least") {
  using Changes = std::vector<Alternatives>;
  CHECK(values_of("clocks.shader_mhz") == Changes{{"1080"}, {"1620"}});
  CHECK(values_of("sp.initiation") == Changes{{"3", "2"}, {"5", "8"}});  // half and twice stand in
  CHECK(values_of("chip.tpcs") == Changes{{"6", "4"}, {"10", "16"}});
  CHECK(values_of("memory.bytes") == Changes{{"644245094", "402653184"}, {"966367642", "1610612736"}});
  // Beside the ends of its range.
  CHECK(values_of("interconnect.header_bytes") == Changes{{"1"}});
  CHECK(values_of("sp.groups") == Changes{{"2"}});
  sim::MachineConfig machine;
  machine.chip.tpcs = 256;
  CHECK(values_of(machine, "chip.tpcs") == Changes{{"205", "128"}});
  machine.clocks.core_mhz = 576.3;
  CHECK(values_of(machine, "clocks.core_mhz") == Changes{{"461.04"}, {"691.56"}});
}

TEST_CASE("a power of two goes to its neighbours, words and switches to the others") {
  using Changes = std::vector<Alternatives>;
  CHECK(values_of("sm.shared.banks") == Changes{{"8"}, {"32"}});
  CHECK(values_of("sm.shared.bank_bytes") == Changes{{"8"}});
  CHECK(values_of("issue.dual") == Changes{{"true"}});
  CHECK(values_of("issue.policy") == Changes{{"greedy_then_oldest"}, {"oldest_first"}, {"two_level"}});
  CHECK(values_of("memory.address_map") == Changes{{"short"}, {"long"}, {"xor"}});
  CHECK(values_of("memory.coalescing") == Changes{{"1.2"}, {"2.x"}});
}

TEST_CASE("every row of the table takes part but those that say that no time depends on them") {
  sim::MachineConfig machine;
  size_t varied = 0;
  for (const sim::Parameter& parameter : sim::parameters_of(machine)) {
    INFO(parameter.path);
    const bool is_text = parameter.path == "l1.carveouts";  // of which nobody knows another
    CHECK(other_values(parameter).empty() == (!parameter.check.timed || is_text));
    varied += parameter.check.timed;
    for (const Alternatives& values : other_values(parameter)) {
      CHECK_FALSE(values.empty());
      for (const std::string& value : values) CHECK(value != sim::value_text(parameter));
    }
  }
  CHECK(varied > 150);
  CHECK(values_of("description").empty());
  CHECK(values_of("grid.max_x").empty());
  CHECK(values_of("host.launch_us").empty());
}

}  // namespace warptime::host
