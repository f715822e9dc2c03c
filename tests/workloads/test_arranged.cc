// Values do not depend on the order of instructions, on unrolled loops, nor on what is in registers: every workload on
// its machine with a list scheduler and with an allocator that has few registers, with timing and without.
#include "workloads/workload_run.h"

namespace warptime {

namespace {

const std::vector<std::string> kArranged{"native.schedule=list", "native.allocate=linear_scan", "native.unroll=loops"};
const std::vector<std::string> kLater{"native_cost=sm_90", "native.schedule=list", "native.unroll=loops",
                                      "sm.registers=65536", "sm.max_registers_per_thread=255"};

/// Checks the results with at most 16 registers per thread, or if the workload states more, with any number. Returns
/// whether it ran with 16.
bool check_arranged(const Target& target, bool functional) {
  sim::RunOptions options;
  options.functional = functional;
  INFO(target.name() << (functional ? ", functionally" : ", with timing"));
  std::vector<std::string> few = kArranged;
  few.push_back("sm.max_registers_per_thread=16");
  try {
    check_results(run(target, options, shipped_machine(target.machine, few)));
    return true;
  } catch (const host::InputError& error) {
    INFO(error.what());
    REQUIRE(std::string_view(error.what()).find("sm.max_registers_per_thread") != std::string_view::npos);
  }
  check_results(run(target, options, shipped_machine(target.machine, kArranged)));
  return false;
}

}  // namespace

TEST_CASE("a few workloads give the same values in a list scheduler's order, with allocated registers", "[workloads]") {
  for (const Target& target :
       {Target{"matmul", "unrolled", {"n=32"}}, Target{"reduce", "", {"n=2000"}},
        Target{"mri-q", "", {"size=8", "samples=20"}}, Target{"smooth", "", {"width=40", "height=20"}}})
    for (bool functional : {false, true}) check_arranged(target, functional);
}

TEST_CASE("every workload gives the same values in a list scheduler's order, with allocated registers",
          "[workloads][full]") {
  size_t with_few = 0;
  for (const Target& target : small_targets())
    for (bool functional : {false, true}) with_few += check_arranged(target, functional) ? 1 : 0;
  CHECK(with_few >= small_targets().size());
}

TEST_CASE("a few workloads give the same values with the native code of compute capability 9.0", "[workloads]") {
  for (const Target& target : {Target{"matmul", "unrolled", {"n=64"}}, Target{"sgemm", "", {"n=64"}},
                               Target{"scan", "", {"n=2000"}}, Target{"smooth", "", {"width=40", "height=20"}}})
    for (bool functional : {false, true}) {
      sim::RunOptions options;
      options.functional = functional;
      INFO(target.name());
      check_results(run(target, options, shipped_machine(target.machine, kLater)));
    }
}

TEST_CASE("every workload gives the same values with the native code of compute capability 9.0", "[workloads][full]") {
  for (const Target& target : small_targets())
    for (bool functional : {false, true}) {
      sim::RunOptions options;
      options.functional = functional;
      INFO(target.name());
      check_results(run(target, options, shipped_machine(target.machine, kLater)));
    }
}

TEST_CASE("a workload with spilled registers gives the same values, and takes longer", "[workloads]") {
  const Target target{"scan", "", {"n=20000"}};
  auto cycles = [&](std::string_view most) {
    auto arranged = kArranged;
    arranged.push_back("sm.max_registers_per_thread=" + std::string(most));
    const host::RunReport report = run(target, {}, shipped_machine(target.machine, arranged));
    check_results(report);
    uint64_t sum = 0;
    for (const sim::LaunchStatistics& launch : report.launches) sum += launch.cycles;
    return sum;
  };
  const uint64_t enough = cycles("124"), few = cycles("6");
  CHECK(few > enough);
}

}  // namespace warptime
