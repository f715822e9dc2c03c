#include "ptx/analysis/control_flow.h"

#include <algorithm>
#include <span>

#include "ptx/analysis/reconvergence.h"
#include "ptx/runtime_functions.h"

namespace warptime::ptx {

namespace {

struct Exits {
  bool falls_through = true;
  bool ends_thread = false;
  std::span<const Operand> targets;  // labels
};

Exits exits_of(const Kernel& kernel, const Instruction& instruction) {
  bool always = instruction.guard == kNoIndex;
  switch (info(effect_of(*instruction.card->card, *instruction.form)).flow) {
    case Flow::ToLabel:
      for (const Operand& operand : kernel.operands_of(instruction))
        if (operand.kind == Operand::Kind::Label) return {!always, false, {&operand, 1}};
      break;
    case Flow::ToTable:
      for (const Operand& operand : kernel.operands_of(instruction))
        if (operand.kind == Operand::Kind::Table)
          return {!always, false, kernel.targets_of(kernel.branch_tables[operand.index])};
      break;
    case Flow::EndsThread: return {!always, true, {}};
    case Flow::FallsThrough: break;
  }
  return {};
}

void find_blocks(Kernel& kernel) {
  size_t count = kernel.instructions.size();
  std::vector<bool> leader(count + 1, false);
  leader[0] = true;
  for (size_t i = 0; i < count; ++i) {
    Exits exits = exits_of(kernel, kernel.instructions[i]);
    for (const Operand& target : exits.targets) leader[target.index] = true;
    if (!exits.targets.empty() || exits.ends_thread) leader[i + 1] = true;
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (leader[i]) kernel.blocks.push_back({i, i, {}});
    kernel.blocks.back().end = i + 1;
  }
}

void find_successors(Kernel& kernel) {
  auto exit = static_cast<uint32_t>(kernel.blocks.size());
  std::vector<uint32_t> seen(exit + 1, 0);  // the last block, plus one, that has this one as a successor
  for (uint32_t b = 0; b < exit; ++b) {
    BasicBlock& block = kernel.blocks[b];
    Exits exits = exits_of(kernel, kernel.instructions[block.end - 1]);
    auto add = [&](uint32_t successor) {
      if (seen[successor] == b + 1) return;
      seen[successor] = b + 1;
      block.successors.push_back(successor);
    };
    if (exits.falls_through) add(b + 1);  // behind the last block is the exit
    for (const Operand& target : exits.targets)
      add(target.index == kernel.instructions.size() ? exit : block_of(kernel, target.index));
    if (exits.ends_thread) add(exit);
  }
}

/// The function that an instruction calls by its name; nullptr: none.
const FunctionFacts* called(const std::vector<FunctionFacts>& functions, const Kernel& code,
                            const Instruction& instruction) {
  std::span<const Operand> operands = code.operands_of(instruction);
  if (is_indirect_call(operands)) return nullptr;
  for (const Operand& operand : operands)
    if (operand.kind == Operand::Kind::Function) return &functions[operand.index];
  return nullptr;
}

bool never_ends(const std::vector<FunctionFacts>& functions, const Kernel& code, const Instruction& instruction) {
  if (effect_of(*instruction.card->card, *instruction.form) != Effect::Call || instruction.guard != kNoIndex)
    return false;
  const FunctionFacts* function = called(functions, code, instruction);
  return function != nullptr && function->never_returns;
}

bool may_meet_block(const std::vector<FunctionFacts>& functions, const Kernel& code, const Instruction& instruction) {
  const Effect effect = effect_of(*instruction.card->card, *instruction.form);
  if (effect != Effect::Call) return effect == Effect::Barrier;
  const FunctionFacts* function = called(functions, code, instruction);
  return function == nullptr || function->may_meet_block;
}

/// Whether a path through the function leads to a return.
bool can_return(const std::vector<FunctionFacts>& functions, const Kernel& function) {
  const size_t count = function.instructions.size();
  std::vector<bool> seen(count + 1, false);
  std::vector<uint32_t> next{0};
  auto add = [&](uint32_t i) {
    if (!seen[i]) next.push_back(i);
    seen[i] = true;
  };
  while (!next.empty()) {
    uint32_t i = next.back();
    next.pop_back();
    if (i == count) return true;
    const Instruction& instruction = function.instructions[i];
    if (effect_of(*instruction.card->card, *instruction.form) == Effect::Return) return true;
    if (never_ends(functions, function, instruction)) continue;
    Exits exits = exits_of(function, instruction);
    if (exits.falls_through) add(i + 1);
    for (const Operand& target : exits.targets) add(target.index);
  }
  return false;
}

std::vector<BlockFacts> facts_of(const std::vector<FunctionFacts>& functions, const Kernel& kernel) {
  std::vector<BlockFacts> out(kernel.blocks.size());
  for (size_t b = 0; b < out.size(); ++b)
    for (uint32_t i = kernel.blocks[b].begin; i < kernel.blocks[b].end; ++i) {
      const Instruction& instruction = kernel.instructions[i];
      out[b].never_ends = out[b].never_ends || never_ends(functions, kernel, instruction);
      out[b].may_meet_block = out[b].may_meet_block || may_meet_block(functions, kernel, instruction);
    }
  return out;
}

}  // namespace

uint32_t block_of(const Kernel& kernel, uint32_t instruction) {
  auto after = std::upper_bound(kernel.blocks.begin(), kernel.blocks.end(), instruction,
                                [](uint32_t i, const BasicBlock& block) { return i < block.begin; });
  return static_cast<uint32_t>(after - kernel.blocks.begin()) - 1;
}

std::vector<FunctionFacts> find_function_facts(const Module& module) {
  constexpr int kPasses = 16;  // callees stand before their callers as a rule; longer chains are taken for usual code
  std::vector<FunctionFacts> out(module.functions.size());
  for (size_t f = 0; f < out.size(); ++f) {
    const RuntimeFunctionRow* row = runtime_function(module, module.functions[f]);
    out[f].never_returns = row != nullptr && row->function == RuntimeFunction::AssertFail;
  }
  bool changed = true;
  for (int pass = 0; changed && pass < kPasses; ++pass) {
    changed = false;
    for (size_t f = 0; f < out.size(); ++f) {
      const Kernel& function = module.functions[f];
      if (!function.has_body) continue;
      if (!out[f].never_returns && !can_return(out, function)) changed = out[f].never_returns = true;
      if (out[f].may_meet_block) continue;
      out[f].may_meet_block =
          std::any_of(function.instructions.begin(), function.instructions.end(),
                      [&](const Instruction& instruction) { return may_meet_block(out, function, instruction); });
      changed = changed || out[f].may_meet_block;
    }
  }
  return out;
}

void build_control_flow(const std::vector<FunctionFacts>& functions, Kernel& kernel) {
  kernel.blocks.clear();
  if (kernel.instructions.empty()) return;
  find_blocks(kernel);
  find_successors(kernel);
  find_reconvergence(kernel, facts_of(functions, kernel));
}

}  // namespace warptime::ptx
