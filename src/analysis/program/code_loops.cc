#include "analysis/program/code_loops.h"

#include <algorithm>

namespace warptime::analysis {

std::vector<CodeLoop> loops_of(const ptx::Kernel& kernel) {
  std::vector<CodeLoop> out;
  for (uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const ptx::Instruction& in = kernel.instructions[i];
    if (ptx::effect_of(*in.card->card, *in.form) != ptx::Effect::Branch) continue;
    const uint32_t target = kernel.operands_of(in)[0].index;
    if (target <= i) out.push_back({target, i + 1});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const CodeLoop& a, const CodeLoop& b) { return a.end - a.begin < b.end - b.begin; });
  return out;
}

}  // namespace warptime::analysis
