#include "debug/check/code_paths.h"

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

bool CodePaths::leads(uint32_t from, uint32_t to, Until until) const {
  if (from >= kernel_.own_instructions || to >= kernel_.own_instructions) return false;
  auto ends = [&](uint32_t pc) {
    return until != Until::Nothing && is_barrier(kernel_.instructions[pc], until == Until::AnyBarrier);
  };
  std::vector<bool> seen(kernel_.blocks.size());
  std::vector<uint32_t> open;
  /// The instructions from `begin` on in their block; true: `to` is among them.
  auto walk = [&](uint32_t block, uint32_t begin) {
    for (uint32_t pc = begin; pc < kernel_.blocks[block].end; ++pc) {
      if (pc == to) return true;
      if (ends(pc)) return false;
    }
    for (uint32_t next : kernel_.blocks[block].successors)
      if (next < kernel_.blocks.size() && !seen[next]) {
        seen[next] = true;
        open.push_back(next);
      }
    return false;
  };
  if (walk(ptx::block_of(kernel_, from), from + 1)) return true;
  while (!open.empty()) {
    const uint32_t block = open.back();
    open.pop_back();
    if (walk(block, kernel_.blocks[block].begin)) return true;
  }
  return false;
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
