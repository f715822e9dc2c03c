#include "analysis/program/code_blocks.h"

#include <algorithm>

namespace warptime::analysis {

namespace {

void append_blocks(const ptx::Kernel& code, uint32_t first_instruction, uint32_t end, std::vector<CodeBlock>& out) {
  const auto first_block = static_cast<uint32_t>(out.size());
  for (const ptx::BasicBlock& block : code.blocks) {
    CodeBlock added;
    added.begin = std::min(first_instruction + block.begin, end);
    added.end = std::min(first_instruction + block.end, end);
    for (uint32_t successor : block.successors)
      added.successors.push_back(successor < code.blocks.size() ? first_block + successor : CodeBlock::kEnd);
    out.push_back(std::move(added));
  }
}

void count_executions(const ptx::Kernel& kernel, const sim::InstructionRows& rows, CodeBlock& block) {
  double guarded = 0, unguarded = 0;
  for (uint32_t i = block.begin; i < block.end && i < rows.size(); ++i) {
    const auto executions = static_cast<double>(rows[i].warp_instructions);
    block.executions = std::max(block.executions, executions);
    if (executions == 0) continue;
    double& lanes = kernel.instructions[i].guard == ptx::kNoIndex ? unguarded : guarded;
    lanes = std::max(lanes, static_cast<double>(rows[i].thread_instructions) / executions);
  }
  block.lanes = unguarded != 0 ? unguarded : guarded;
}

}  // namespace

std::vector<CodeBlock> code_blocks(const ptx::Module& module, const ptx::Kernel& kernel,
                                   const sim::InstructionRows& rows) {
  std::vector<CodeBlock> out;
  append_blocks(kernel, 0, kernel.own_instructions, out);
  for (const ptx::LinkedFunction& linked : kernel.functions)
    append_blocks(module.functions[linked.function], linked.first_instruction, linked.end, out);
  for (CodeBlock& block : out) count_executions(kernel, rows, block);
  for (uint32_t b = 0; b < out.size(); ++b)
    for (uint32_t successor : out[b].successors) {
      if (successor == CodeBlock::kEnd || out[b].executions == 0) continue;
      uint32_t& best = out[successor].predecessor;
      if (best == ptx::kNoIndex || out[b].executions > out[best].executions) best = b;
    }
  return out;
}

std::vector<std::vector<double>> transitions(const std::vector<CodeBlock>& blocks) {
  constexpr int kRounds = 30;
  std::vector<std::vector<double>> out(blocks.size());
  for (size_t b = 0; b < blocks.size(); ++b) out[b].assign(blocks[b].successors.size(), blocks[b].executions);
  auto scale_rows = [&] {
    for (size_t b = 0; b < blocks.size(); ++b) {
      double sum = 0;
      for (double count : out[b]) sum += count;
      for (double& count : out[b]) count = sum == 0 ? 0 : count * blocks[b].executions / sum;
    }
  };
  std::vector<double> arriving(blocks.size());
  for (int round = 0; round < kRounds; ++round) {
    scale_rows();
    std::fill(arriving.begin(), arriving.end(), 0);
    auto for_each_arc = [&](auto&& f) {
      for (size_t b = 0; b < blocks.size(); ++b)
        for (size_t s = 0; s < out[b].size(); ++s)
          if (blocks[b].successors[s] != CodeBlock::kEnd) f(blocks[b].successors[s], out[b][s]);
    };
    for_each_arc([&](uint32_t to, double& count) { arriving[to] += count; });
    for_each_arc([&](uint32_t to, double& count) {
      if (arriving[to] != 0) count *= blocks[to].executions / arriving[to];
    });
  }
  scale_rows();
  return out;
}

}  // namespace warptime::analysis
