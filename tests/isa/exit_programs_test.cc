// Exits of some threads and what they must not change: values are as where lanes are scheduled independently, and an
// exit that no lane takes costs its own instructions, but no reconvergence.
#include "exit_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "host/device/device.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine_loader.h"
#include "sim/model/statistics.h"

namespace warptime::sim {

namespace {

struct Ran {
  std::vector<uint32_t> words;
  uint64_t warp_instructions = 0;
  std::string error;
};

Machine shipped_machine(const std::string& name) {
  Diagnostics diagnostics;
  auto loaded = load_machine(name, {}, WARPTIME_SOURCE_DIR "/configs", diagnostics);
  INFO(diagnostics.to_text());
  REQUIRE(loaded.has_value());
  Machine out = loaded->machine;
  return out;
}

/// All machines of the repository that have a stack: they accept all instructions here.
std::vector<std::pair<std::string, Machine>> stack_machines() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(WARPTIME_SOURCE_DIR "/configs")) {
    std::string name = file.path().stem().string();
    if (!name.starts_with("cpu-") && name != "generic") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  std::vector<std::pair<std::string, Machine>> out;
  for (const std::string& name : names) {
    out.emplace_back(name, shipped_machine(name));
    out.back().second.config.features = shipped_machine("generic").config.features;
  }
  return out;
}

Ran ran(const std::string& text, uint32_t threads, const Machine& machine, bool functional) {
  RunOptions options;
  options.functional = functional;
  options.threads = 1;
  Ran out;
  try {
    host::Device device(machine, options);
    out.words.assign(threads, 0);
    auto words = device.allocate<uint32_t>(threads, "out");
    device.copy_to(words, out.words, "out");
    auto module = device.load_module(std::make_shared<SourceText>("exits.ptx", text));
    host::LaunchOptions launch;
    launch.registers_per_thread = 32;  // as many as any machine has
    LaunchStatistics statistics = device.launch(module, "k", {1}, {threads}, {words}, launch);
    device.read_bytes(std::as_writable_bytes(std::span(out.words)), words.address);
    out.warp_instructions = statistics.counts.warp_instructions;
  } catch (const std::runtime_error& error) {
    out.error = error.what();
  }
  return out;
}

/// Each seed twice: with exits that no lane takes, and with some that lanes take. Timed: each eighth.
void check_seeds(uint64_t first, uint64_t end) {
  const Machine generic = shipped_machine("generic");
  const auto machines = stack_machines();
  REQUIRE(machines.size() >= 8);
  size_t wrong_values = 0, faults = 0, other_counts = 0;
  for (uint64_t seed = first; seed < end; ++seed)
    for (bool taken : {false, true}) {
      const ExitProgram program = exit_program(seed, taken);
      const Ran free = ran(program.with_exits, program.threads, generic, true);
      INFO("seed " << seed << (taken ? ", exits taken\n" : "\n") << program.with_exits);
      REQUIRE(free.error == "");
      for (const auto& [name, machine] : machines) {
        INFO(name);
        const bool functional = seed % 8 != 0;
        const Ran with = ran(program.with_exits, program.threads, machine, functional);
        faults += with.error != "";
        CHECK(with.error == "");
        wrong_values += with.words != free.words;
        CHECK(with.words == free.words);
        if (taken || with.error != "") continue;
        const Ran without = ran(program.without, program.threads, machine, functional);
        CHECK(without.error == "");
        CHECK(without.words == with.words);
        other_counts += with.warp_instructions != without.warp_instructions;
        CHECK(with.warp_instructions == without.warp_instructions);
      }
    }
  CAPTURE(wrong_values, faults, other_counts);
  CHECK(wrong_values + faults + other_counts == 0);
}

}  // namespace

TEST_CASE("lanes that have left before a barrier are not waited for") {
  const std::string head =
      ".version 3.0\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n  .reg .b32 %r<6>;\n"
      "  .reg .b64 %rd<4>;\n  .reg .pred %p<3>;\n  ld.param.u64 %rd1, [out];\n  mov.u32 %r1, %tid.x;\n"
      "  mul.wide.u32 %rd2, %r1, 4;\n  add.u64 %rd1, %rd1, %rd2;\n  mov.u32 %r2, 0;\n  setp.ge.u32 %p1, %r1, 40;\n";
  const std::string store = "  st.global.u32 [%rd1], %r1;\n", early = "  st.global.u32 [%rd1], 7;\n",
                    barrier = "  bar.sync 0;\n";
  const std::vector<std::string> bodies = {
      "  @%p1 exit;\n" + barrier + store + "  ret;\n", "  @%p1 bra X;\n" + barrier + store + "X:\n  ret;\n",
      "  @%p1 bra X;\n" + barrier + store + "  ret;\nX:\n  ret;\n",
      "  @!%p1 bra C;\n  ret;\nC:\n" + barrier + store + "  ret;\n",
      "  @!%p1 bra C;\n  bra X;\nC:\n" + barrier + store + "X:\n  ret;\n",
      "  @!%p1 bra C;\n" + early + "  bra X;\nC:\n" + barrier + store + "X:\n  ret;\n",
      "  @%p1 bra E;\n" + barrier + store + "  bra X;\nE:\n" + early + "X:\n  ret;\n",
      // From a loop, lane by lane, with nothing behind it.
      "L:\n  setp.ne.u32 %p2, %r1, %r2;\n  @%p2 bra C;\n" + early + "  bra X;\nC:\n" + barrier +
          "  add.u32 %r2, %r2, 1;\n  setp.lt.u32 %p2, %r2, 40;\n  @%p2 bra L;\nX:\n  ret;\n",
      "L:\n" + barrier + "  add.u32 %r2, %r2, 1;\n  setp.le.u32 %p2, %r2, %r1;\n  @%p2 bra L;\n  ret;\n"};
  const Machine generic = shipped_machine("generic");
  for (const std::string& body : bodies) {
    INFO(body);
    const Ran free = ran(head + body + "}\n", 64, generic, true);
    REQUIRE(free.error == "");
    for (const auto& [name, machine] : stack_machines())
      for (bool functional : {true, false}) {
        INFO(name << (functional ? "" : ", timed"));
        const Ran got = ran(head + body + "}\n", 64, machine, functional);
        CHECK(got.error == "");
        CHECK(got.words == free.words);
      }
  }
  // Lanes with more to do are missed.
  const std::string both = "  @%p1 bra E;\n" + barrier + "  bra X;\nE:\n" + barrier + "X:\n" + store + "  ret;\n";
  const std::string one = "  @%p1 bra X;\n" + barrier + "X:\n" + store + "  ret;\n";
  for (const std::string& body : {both, one})
    for (const auto& [name, machine] : stack_machines())
      CHECK(ran(head + body + "}\n", 64, machine, true).error.find("barrier in divergent code") != std::string::npos);
}

TEST_CASE("exits change no values and destroy no reconvergence") { check_seeds(0, 16); }
TEST_CASE("exits in many programs change no values and destroy no reconvergence", "[full]") { check_seeds(16, 550); }

}  // namespace warptime::sim
