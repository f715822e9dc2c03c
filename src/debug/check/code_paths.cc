#include "debug/check/code_paths.h"

#include <algorithm>
#include <vector>

#include "ptx/analysis/control_flow.h"
#include "ptx/analysis/register_uses.h"

namespace warptime::debug {

using ptx::Mod;

bool is_barrier(const ptx::Instruction& instruction, bool of_warps) {
  const ptx::Effect effect = effect_of(*instruction.card->card, *instruction.form);
  if (effect == ptx::Effect::Barrier) return !instruction.mods.has(Mod::Arrive);
  return of_warps && effect == ptx::Effect::Nop && instruction.mods.has(Mod::Warp) && instruction.mods.has(Mod::Sync);
}

std::vector<uint32_t> CodePaths::path(uint32_t from, uint32_t to, Until until, uint32_t without) const {
  if (from >= kernel_.own_instructions || to >= kernel_.own_instructions) return {};
  auto ends = [&](uint32_t pc) {
    return until != Until::Nothing && is_barrier(kernel_.instructions[pc], until == Until::AnyBarrier);
  };
  struct Step {
    uint32_t block, before;  // `before`: in `steps`
  };
  std::vector<Step> steps{{ptx::block_of(kernel_, from), ptx::kNoIndex}};
  std::vector<bool> seen(kernel_.blocks.size());
  for (uint32_t at = 0; at < steps.size(); ++at) {
    const ptx::BasicBlock& block = kernel_.blocks[steps[at].block];
    bool is_open = true;
    for (uint32_t pc = at == 0 ? from + 1 : block.begin; is_open && pc < block.end; ++pc) {
      if (pc == to) {
        std::vector<uint32_t> out;
        for (uint32_t step = at; step != ptx::kNoIndex; step = steps[step].before) out.push_back(steps[step].block);
        std::reverse(out.begin(), out.end());
        return out;
      }
      is_open = !ends(pc);
    }
    if (!is_open) continue;
    for (uint32_t next : block.successors) {
      if (next >= kernel_.blocks.size() || seen[next] || next == without) continue;
      seen[next] = true;
      steps.push_back({next, at});
    }
  }
  return {};
}

std::vector<CodePaths::Places> CodePaths::places_between(uint32_t from, uint32_t to, Until until) const {
  const std::vector<uint32_t> blocks = path(from, to, until, ptx::kNoIndex);
  if (blocks.empty()) return {};
  if (blocks.size() == 1) return {{from + 1, to + 1}};
  std::vector<Places> out{{from + 1, kernel_.blocks[blocks.front()].end}};
  for (size_t i = 1; i + 1 < blocks.size(); ++i)
    if (path(from, to, until, blocks[i]).empty())
      out.push_back({kernel_.blocks[blocks[i]].begin, kernel_.blocks[blocks[i]].end});
  out.push_back({kernel_.blocks[blocks.back()].begin, to + 1});
  return out;
}

std::optional<uint32_t> CodePaths::guarding_branch(uint32_t pc) const {
  if (pc >= kernel_.own_instructions) return std::nullopt;
  // A branch decides if one of its ways leads to the instruction, and the paths meet only behind it.
  for (uint32_t at = pc; at-- > 0;) {
    const ptx::Instruction& branch = kernel_.instructions[at];
    if (branch.guard == ptx::kNoIndex || branch.reconvergence == ptx::kNoIndex) continue;
    if (branch.reconvergence > pc && leads(at, pc)) return at;
  }
  return std::nullopt;
}

std::optional<uint32_t> CodePaths::early_exit(uint32_t pc) const {
  if (pc >= kernel_.own_instructions) return std::nullopt;
  for (uint32_t at = pc; at-- > 0;) {
    const ptx::Instruction& instruction = kernel_.instructions[at];
    if (instruction.guard == ptx::kNoIndex) continue;
    const ptx::Effect effect = effect_of(*instruction.card->card, *instruction.form);
    if (effect == ptx::Effect::Exit) return at;
    if (!ptx::branches(effect)) continue;
    // One of its ways does not come to the instruction.
    const ptx::BasicBlock& block = kernel_.blocks[ptx::block_of(kernel_, at)];
    for (uint32_t next : block.successors) {
      if (next >= kernel_.blocks.size()) return at;
      const uint32_t begin = kernel_.blocks[next].begin;
      if (begin != pc && !leads(begin, pc)) return at;
    }
  }
  return std::nullopt;
}

bool ends_its_loop(const ptx::Kernel& kernel, uint32_t pc) {
  const CodePaths paths(kernel);
  if (!paths.leads(pc, pc)) return false;
  std::vector<bool> depends(kernel.registers.size());
  auto follow = [&](const ptx::Instruction& instruction, bool from) {
    bool changed = false;
    ptx::for_each_register(kernel, instruction, [&](uint32_t reg, bool is_written) {
      if (!is_written) from = from || depends[reg];
    });
    ptx::for_each_register(kernel, instruction, [&](uint32_t reg, bool is_written) {
      if (!is_written || !from || depends[reg]) return;
      changed = depends[reg] = true;
    });
    return changed;
  };
  for (bool changed = follow(kernel.instructions[pc], true); changed;) {
    changed = false;
    for (const ptx::Instruction& instruction : kernel.instructions) changed |= follow(instruction, false);
  }
  for (uint32_t at = 0; at < kernel.own_instructions; ++at) {
    const ptx::Instruction& branch = kernel.instructions[at];
    if (branch.guard == ptx::kNoIndex || !depends[branch.guard]) continue;
    if (ptx::branches(effect_of(*branch.card->card, *branch.form)) && paths.leads(pc, at) && paths.leads(at, pc))
      return true;
  }
  return false;
}

}  // namespace warptime::debug
