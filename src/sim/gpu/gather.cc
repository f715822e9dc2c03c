#include "sim/gpu/gather.h"

#include "ptx/user/user_lines.h"

namespace warptime::sim {

void add_sm(LaunchStatistics& statistics, const LaunchContext& launch, const SmCounters& counters, uint64_t slots) {
  IssueSlots issue;
  issue.slots = slots;
  for (const SlotCounters& row : counters.slots) {
    issue.issued += row.issued;
    add_numbers(issue.stalls, row.stalls);
  }
  for (size_t i = 0; i < counters.instructions.size(); ++i) {
    const ExecutionCounters& row = counters.instructions[i];
    if (row.warp_instructions == 0) continue;
    const Insn& insn = launch.kernel->insns[i];
    statistics.counts.warp_instructions += row.warp_instructions;
    statistics.counts.thread_instructions += row.thread_instructions;
    statistics.counts.native_warp_instructions += row.warp_instructions * launch.kernel->native_count(i);
    uint64_t& flops = ptx::multiplies_matrices(insn.effect) ? statistics.counts.flops_tensor
                      : insn.is_double                      ? statistics.counts.flops_f64
                      : insn.is_half                        ? statistics.counts.flops_f16
                                                            : statistics.counts.flops;
    flops += row.thread_instructions * insn.flops;
  }
  statistics.issue.add(issue);
  statistics.issue_by_sm.push_back(issue);
  statistics.pipes.add(counters.pipes());
  SmStatistics::zip_groups(statistics, counters,
                           [](const StatGroup&, auto& to, const auto& from) { add_numbers(to, from); });
}

void add_instructions(SmCounters& sum, const SmCounters& counters) {
  for (size_t i = 0; i < sum.instructions.size(); ++i) {
    sum.instructions[i].warp_instructions += counters.instructions[i].warp_instructions;
    sum.instructions[i].thread_instructions += counters.instructions[i].thread_instructions;
  }
  for (size_t i = 0; i < sum.lines.size(); ++i) add_numbers(sum.lines[i], counters.lines[i]);
  for (size_t i = 0; i < sum.slots.size(); ++i) {
    SlotCounters& to = sum.slots[i];
    const SlotCounters& from = counters.slots[i];
    to.issued += from.issued;
    add_numbers(to.stalls, from.stalls);
  }
}

void fill_instruction_rows(LaunchStatistics& statistics, const LaunchContext& launch, const SmCounters& sum) {
  const ptx::Module& module = *launch.kernel->module;
  const ptx::Kernel& kernel = *launch.kernel->kernel;
  statistics.ptx = module.source;
  ptx::UserLines lines(module);
  for (size_t i = 0; i <= sum.instructions.size(); ++i) {
    const ExecutionCounters executed = i < sum.instructions.size() ? sum.instructions[i] : ExecutionCounters{};
    const SlotCounters slots = sum.by_instruction() ? sum.slots[i] : SlotCounters{};
    InstructionRow row;
    if (i < kernel.instructions.size()) {
      row.line = kernel.instructions[i].line;
      row.text = ptx::to_text(module, kernel, kernel.instructions[i]);
      const ptx::Instruction& instruction = kernel.instructions[i];
      if (instruction.source_line != 0) row.source_file = module.files[instruction.source_file];
      row.source_line = instruction.source_line;
      if (lines.is_inlined(instruction.location)) row.calls = lines.of(instruction.location).calls;
      for (const ptx::Operand& operand : kernel.operands_of(instruction))
        if (operand.kind == ptx::Operand::Kind::Label) row.target = operand.index + 1;
      if (const ptx::LinkedFunction* function = kernel.function_of(static_cast<uint32_t>(i)))
        row.function = module.functions[function->function].name;
    } else if (i < sum.instructions.size()) {
      if (executed.warp_instructions == 0) continue;  // the implied exit at the end of a kernel without one
      row.line = kernel.instructions.empty() ? 0 : kernel.instructions.back().line;
      row.text = "exit;";
    }
    row.warp_instructions = executed.warp_instructions;
    row.thread_instructions = executed.thread_instructions;
    row.issued = slots.issued;
    row.stalls = slots.stalls;
    if (i < sum.lines.size()) row.line_statistics = sum.lines[i];
    statistics.instructions.push_back(std::move(row));
  }
}

}  // namespace warptime::sim
