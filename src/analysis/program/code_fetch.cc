#include "analysis/program/code_fetch.h"

#include <algorithm>
#include <set>

#include "analysis/program/code_loops.h"
#include "sim/model/native_code.h"

namespace warptime::analysis {

namespace {

/// Lines of code that are executed, and where each begins in the program.
class CodeLines {
 public:
  CodeLines(const sim::MachineConfig& machine, const std::vector<CodeBlock>& blocks,
            const std::vector<InstructionCost>& costs, const ptx::Kernel& kernel)
      : line_bytes_(machine.instruction.sm_cache.line_bytes) {
    std::vector<double> begin(costs.size() + 1, 0);
    for (size_t i = 0; i < costs.size(); ++i) begin[i + 1] = begin[i] + bytes_of(machine, kernel, i, costs[i]);
    for (const CodeBlock& block : blocks)
      for (uint32_t i = block.begin; i < block.end && block.executions != 0; ++i)
        for (uint32_t line = line_at(begin[i]); line * static_cast<double>(line_bytes_) < begin[i + 1]; ++line)
          if (known_.insert(line).second) first_.push_back({line, i});
  }

  double count() const { return static_cast<double>(first_.size()); }
  double count(const CodeLoop& loop) const {
    double count = 0;
    for (const FirstOfLine& line : first_) count += loop.holds(line.instruction) ? 1 : 0;
    return count;
  }
  double bytes(const CodeLoop& loop) const { return count(loop) * line_bytes_; }
  template <class F>
  void for_each_instruction(F&& f) const {
    for (const FirstOfLine& line : first_) f(line.instruction);
  }

 private:
  struct FirstOfLine {
    uint32_t line, instruction;
  };
  static uint32_t bytes_of(const sim::MachineConfig& machine, const ptx::Kernel& kernel, size_t i,
                           const InstructionCost& cost) {
    const auto count = static_cast<uint32_t>(cost.insts + cost.specials);
    const ptx::NativeInstruction native = sim::native_instruction(machine, kernel, i);
    const bool is_native = sim::issues_native(machine) && count == native.slots();
    return sim::code_bytes(machine.instruction, count, is_native ? native.in_4_bytes : 0);
  }
  uint32_t line_at(double byte) const { return static_cast<uint32_t>(byte / line_bytes_); }

  uint32_t line_bytes_;
  std::set<uint32_t> known_;
  std::vector<FirstOfLine> first_;
};

}  // namespace

double fetch_cycles(const sim::MachineConfig& machine, const FetchLatency& latency, const ptx::Kernel& kernel,
                    const std::vector<CodeBlock>& blocks, const std::vector<InstructionCost>& costs, double warps,
                    double rounds) {
  const CodeLines lines(machine, blocks, costs, kernel);
  const sim::InstructionConfig& caches = machine.instruction;
  auto executions = [&](uint32_t i) {
    auto holds = [i](const CodeBlock& block) { return block.begin <= i && i < block.end; };
    auto block = std::find_if(blocks.begin(), blocks.end(), holds);
    return block == blocks.end() ? 0 : block->executions / warps;
  };
  struct Region {
    CodeLoop code;
    double passes, latency;  // of an SM; of each line, in each pass but the first
  };
  std::vector<Region> too_large;  // for the SM's cache, innermost first
  auto add = [&](const CodeLoop& code, double passes) {
    const double bytes = lines.bytes(code);
    if (bytes <= caches.sm_cache.bytes) return;
    const bool in_partitions = bytes <= static_cast<double>(caches.partition_cache.bytes) * machine.memory.partitions;
    too_large.push_back({code, passes,
                         bytes <= caches.tpc_cache.bytes ? latency.tpc
                         : in_partitions                 ? latency.partition
                                                         : latency.dram});
  };
  for (const CodeLoop& loop : loops_of(kernel)) add(loop, executions(loop.begin) * rounds);
  add({0, static_cast<uint32_t>(costs.size())}, rounds);
  double cycles = lines.count() * latency.dram;
  lines.for_each_instruction([&](uint32_t i) {
    auto region = std::find_if(too_large.begin(), too_large.end(), [i](const Region& r) { return r.code.holds(i); });
    if (region != too_large.end()) cycles += std::max(0.0, region->passes - 1) * region->latency;
  });
  return cycles;
}

}  // namespace warptime::analysis
