// Blocks that start long after the last instruction of those before.
#include "sim/model/statistics.h"
#include "unit/host/host_test.h"

namespace warptime::host {

TEST_CASE("a chip on which nothing happens waits for the blocks that were handed out") {
  constexpr uint32_t kBlocks = 5, kStart = 5000;
  sim::Machine machine = default_machine();
  machine.config.chip.tpcs = machine.config.chip.sms_per_tpc = machine.config.sm.max_blocks = 1;
  machine.config.chip.block_launch_cycles = kStart;
  Device device(machine, {});
  const char* const text = ".version 1.4\n.target sm_10\n.entry k\n{\n  exit;\n}\n";
  ModuleRef module = device.load_module(std::make_shared<SourceText>("test.ptx", text));
  device.launch(module, "k", {kBlocks}, {32}, {});
  const uint64_t cycles = device.launches().back().cycles;
  CHECK(cycles > kBlocks * kStart);
  CHECK(cycles < kBlocks * (kStart + 100));
}

}  // namespace warptime::host
