#include "simulated.h"

#include "sim/gpu/gpu.h"

namespace warptime::sim {

Outcome simulated(const Program& program, const Machine& machine, bool functional) {
  RunOptions options;
  options.functional = functional;
  options.threads = 1;
  Outcome outcome;
  try {
    host::Device device(machine, options);
    std::vector<uint64_t> input = input_of(program);
    outcome.output = initial_output(program);
    auto in = device.allocate<uint64_t>(input.size(), "in");
    auto out = device.allocate<uint64_t>(outcome.output.size(), "out");
    device.write_bytes(in.address, std::as_bytes(std::span(input)));
    device.write_bytes(out.address, std::as_bytes(std::span(outcome.output)));
    auto module = device.load_module(std::make_shared<SourceText>("random.ptx", text_of(program)));
    const ProgramShape& s = program.shape;
    host::LaunchOptions launch;
    launch.registers_per_thread = 32;  // as many as any machine has
    device.launch(module, "k", {s.grid[0], s.grid[1], s.grid[2]}, {s.block[0], s.block[1], s.block[2]}, {in, out},
                  launch);
    device.read_bytes(std::as_writable_bytes(std::span(outcome.output)), out.address);
  } catch (const std::runtime_error& error) {
    outcome.error = error.what();
  }
  return outcome;
}

}  // namespace warptime::sim
