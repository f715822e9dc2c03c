#include "ptx/analysis/control_flow.h"

#include <algorithm>
#include <span>

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
    if (leader[i]) kernel.blocks.push_back({i, i, {}, 0});
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

/// Where the lanes that go on behind a block go. A guarded exit, ret or trap ends some: the others meet as if those had
/// never been there.
std::span<const uint32_t> ways_on(const Kernel& kernel, uint32_t b) {
  const BasicBlock& block = kernel.blocks[b];
  Exits exits = exits_of(kernel, kernel.instructions[block.end - 1]);
  return std::span(block.successors).first(exits.ends_thread && exits.falls_through ? 1 : block.successors.size());
}

/// The reverse graph from the exit, numbered in post-order of a depth-first walk.
class ReverseWalk {
 public:
  explicit ReverseWalk(const Kernel& kernel)
      : exit_(static_cast<uint32_t>(kernel.blocks.size())),
        predecessors_(exit_ + 1),
        number_(exit_ + 1, kNoIndex),
        leaves_(exit_ + 1, false) {
    for (uint32_t b = 0; b < exit_; ++b)
      for (uint32_t s : ways_on(kernel, b)) predecessors_[s].push_back(b);
    // Blocks that cannot reach the exit are walked from, latest first; each start gets an edge to the exit.
    std::vector<bool> seen(exit_ + 1, false);
    walk(exit_, seen);
    order_.pop_back();
    for (uint32_t b = exit_; b-- > 0;) {
      if (seen[b]) continue;
      leaves_[b] = true;
      walk(b, seen);
    }
    order_.push_back(exit_);
    for (uint32_t i = 0; i < order_.size(); ++i) number_[order_[i]] = i;
  }

  const std::vector<uint32_t>& order() const { return order_; }
  uint32_t number(uint32_t block) const { return number_[block]; }
  bool leaves(uint32_t block) const { return leaves_[block]; }

 private:
  void walk(uint32_t start, std::vector<bool>& seen) {
    std::vector<std::pair<uint32_t, size_t>> stack{{start, 0}};
    seen[start] = true;
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      if (next == predecessors_[block].size()) {
        order_.push_back(block);
        stack.pop_back();
        continue;
      }
      uint32_t predecessor = predecessors_[block][next++];
      if (seen[predecessor]) continue;
      seen[predecessor] = true;
      stack.emplace_back(predecessor, 0);
    }
  }

  uint32_t exit_;
  std::vector<std::vector<uint32_t>> predecessors_;
  std::vector<uint32_t> order_;
  std::vector<uint32_t> number_;
  std::vector<bool> leaves_;
};

/// Cooper, Harvey, Kennedy 2001, "A Simple, Fast Dominance Algorithm", on the reverse graph.
void find_post_dominators(Kernel& kernel) {
  auto exit = static_cast<uint32_t>(kernel.blocks.size());
  ReverseWalk walk(kernel);
  std::vector<uint32_t> dominator(exit + 1, kNoIndex);
  dominator[exit] = exit;
  auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (walk.number(a) < walk.number(b)) a = dominator[a];
      while (walk.number(b) < walk.number(a)) b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = walk.order().size() - 1; i-- > 0;) {
      uint32_t block = walk.order()[i];
      uint32_t found = walk.leaves(block) ? exit : kNoIndex;
      for (uint32_t successor : ways_on(kernel, block))
        if (dominator[successor] != kNoIndex) found = found == kNoIndex ? successor : meet(found, successor);
      if (dominator[block] == found) continue;
      dominator[block] = found;
      changed = true;
    }
  }
  for (uint32_t b = 0; b < exit; ++b) kernel.blocks[b].immediate_post_dominator = dominator[b];
}

}  // namespace

uint32_t block_of(const Kernel& kernel, uint32_t instruction) {
  auto after = std::upper_bound(kernel.blocks.begin(), kernel.blocks.end(), instruction,
                                [](uint32_t i, const BasicBlock& block) { return i < block.begin; });
  return static_cast<uint32_t>(after - kernel.blocks.begin()) - 1;
}

void build_control_flow(Kernel& kernel) {
  kernel.blocks.clear();
  if (kernel.instructions.empty()) return;
  find_blocks(kernel);
  find_successors(kernel);
  find_post_dominators(kernel);
  for (const BasicBlock& block : kernel.blocks) {
    Instruction& last = kernel.instructions[block.end - 1];
    bool indexed = info(effect_of(*last.card->card, *last.form)).flow == Flow::ToTable;
    bool may_part = (last.guard != kNoIndex || indexed) && !exits_of(kernel, last).targets.empty();
    bool meets = may_part && block.immediate_post_dominator < kernel.blocks.size();
    last.reconvergence = meets ? kernel.blocks[block.immediate_post_dominator].begin : kNoIndex;
  }
}

}  // namespace warptime::ptx
