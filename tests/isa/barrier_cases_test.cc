// Unusual barriers on simulated machines: what completes, what waits for ever and what is a fault is as an H100 had it.
#include "barrier_cases.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"
#include "tools/run_program.h"

namespace warptime::sim {

namespace {

struct BarrierMachine {
  const char* name;
  bool functional, independent;
};

BarrierOutcome outcome_on(const BarrierMachine& how, const BarrierCase& c) {
  Diagnostics diagnostics;
  auto machine = load_machine(how.name, {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  REQUIRE(machine.has_value());
  RunOptions options;
  options.functional = how.functional;
  host::Device device(machine->machine, options);
  auto module = device.load_module(std::make_shared<SourceText>("k.ptx", text_of(c)));
  std::vector<uint32_t> counts = c.counts;
  counts.resize(kMostCounts);
  BarrierOutcome out;
  out.words.assign(c.threads, kNothing);
  auto in = device.allocate<uint32_t>(kMostCounts, "counts"), words = device.allocate<uint32_t>(c.threads, "words");
  device.copy_to(in, counts, "counts");
  device.copy_to(words, out.words, "words");
  try {
    device.launch(module, "k", {1}, {c.threads}, {in, words});
  } catch (const host::FaultError& error) {
    out.message = error.what();
    switch (error.fault.kind) {
      case Fault::Kind::Deadlock: out.end = BarrierOutcome::End::Hang; break;
      case Fault::Kind::BarrierCount:
      case Fault::Kind::BarrierMismatch: out.end = BarrierOutcome::End::Fault; break;
      default: FAIL(error.what());
    }
  } catch (const host::InputError& error) {
    out.message = error.what();
    out.end = BarrierOutcome::End::Refused;
  }
  device.read_bytes(std::as_writable_bytes(std::span(out.words)), words.address);
  return out;
}

/// "complete", "hang", "fault".
std::string end_of(const std::string& outcome) { return outcome.substr(0, outcome.find(':')); }

}  // namespace

TEST_CASE("unusual barriers end as they did on a GPU", "[barrier]") {
  const auto recorded = read_barrier_outcomes(WARPTIME_SOURCE_DIR "/tests/isa/recorded/barriers.txt");
  const std::vector<BarrierCase> cases = barrier_cases();
  REQUIRE(cases.size() >= 300);
  CHECK(recorded.size() == cases.size());
  for (const BarrierMachine& machine :
       {BarrierMachine{"generic", true, true}, BarrierMachine{"jetson-tk1", true, false},
        BarrierMachine{"jetson-tk1", false, false}})
    // All of them take 17 s under sanitizers: there each third one.
    for (size_t i = 0; i < cases.size(); i += test::kSanitized ? 3 : 1) {
      const BarrierCase& c = cases[i];
      if (c.parts_warps && !machine.independent) continue;
      INFO(fmt::format("{}{}: {}", machine.name, machine.functional ? "" : ", timed", c.name));
      auto wanted = recorded.find(c.name);
      REQUIRE(wanted != recorded.end());
      BarrierOutcome got = outcome_on(machine, c);
      INFO(got.message);
      // What was stored before a fault of the hardware is not known; what is on its way in a timed run is not there.
      bool words =
          got.end == BarrierOutcome::End::Complete || (got.end == BarrierOutcome::End::Hang && machine.functional);
      if (words) CHECK(to_text(got) == wanted->second);
      else CHECK(end_of(to_text(got)) == end_of(wanted->second));
    }
}

}  // namespace warptime::sim
