// Every machine file runs every workload that its features allow; of the others it says which feature is missing.
#include <nlohmann/json.hpp>
#include <numeric>

#include "host/device/device.h"
#include "workloads/workload_run.h"

namespace warptime {

namespace {

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const sim::MachineListing& listing : sim::list_machines(WARPTIME_SOURCE_DIR "/configs"))
    names.push_back(listing.name);
  return names;
}

/// Whether the refusal names one of the features that this machine has not.
bool names_missing_feature(const std::string& message, const sim::MachineConfig& machine) {
  for (const auto& feature : sim::kFeatures)
    if (message.find(feature.name) != std::string::npos && !sim::has_feature(machine, feature.name)) return true;
  return false;
}

void check_report(const host::RunReport& report) {
  const sim::MachineConfig& machine = report.machine.config;
  for (const host::Check& check : report.checks) CHECK(check.ok);
  for (const sim::LaunchStatistics& launch : report.launches) {
    CHECK(launch.timed == machine.has_timing);
    if (!launch.timed) continue;
    const sim::StallCounts& stalls = launch.issue.stalls;
    uint64_t stalled = std::accumulate(stalls.begin(), stalls.end(), uint64_t{0});
    CHECK(launch.issue.slots == launch.cycles * sim::sm_count(machine) * machine.issue.ports);
    CHECK(launch.issue.issued + stalled == launch.issue.slots);
  }
}

/// One of `of` targets on each machine, the next one on the next.
void run_everywhere(size_t of) {
  std::vector<std::string> names = machine_names();
  std::vector<Target> targets = small_targets();
  REQUIRE(names.size() >= 7);
  for (size_t m = 0; m < names.size(); ++m)
    for (size_t t = m % of; t < targets.size(); t += of) {
      INFO(targets[t].name() << " on " << names[m]);
      try {
        check_report(run(targets[t], {}, names[m]));
      } catch (const host::InputError& error) {
        INFO(error.what());
        CHECK(names_missing_feature(error.what(), shipped_machine(names[m]).config));
      }
    }
}

}  // namespace

TEST_CASE("every machine runs workloads that its features allow", "[workloads][full]") { run_everywhere(4); }

TEST_CASE("every machine runs every workload that its features allow", "[workloads][all]") { run_everywhere(1); }

TEST_CASE("a machine of several ports gives the same report for every step and number of threads", "[workloads]") {
  for (const char* name : {"tesla-c1060", "geforce-gtx-480", "jetson-tk1"})
    for (const Target& target : {Target{"matmul", "", {"n=64"}}, Target{"mandelbrot", "", {"size=48", "depth=20"}}}) {
      sim::RunOptions one, other;
      one.threads = 1;
      other.threads = 3;
      other.step = sim::Step::Quarter;
      INFO(target.name() << " on " << name);
      nlohmann::ordered_json expected = host::to_json(run(target, one, name)),
                             got = host::to_json(run(target, other, name));
      expected.erase("host");
      got.erase("host");
      CHECK((expected.dump() == got.dump()));
    }
}

}  // namespace warptime
