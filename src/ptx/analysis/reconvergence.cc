// Reconvergence is at the immediate post-dominator (Fung 2007, section 3) over the ways that go on (exit_choice.h).
//
// A join that consists of an exit alone is one that lanes need not wait for; where they would, they save its issue for
// all but the last. It is not used inside a branch that has a join before it: the lanes that go on must wait there.
#include "ptx/analysis/reconvergence.h"

#include <algorithm>
#include <utility>

#include "ptx/analysis/exit_choice.h"

namespace warptime::ptx {

namespace {

Effect effect_of_instruction(const Instruction& instruction) {
  return effect_of(*instruction.card->card, *instruction.form);
}

Leaving leaving(Effect effect) {
  if (effect == Effect::Return) return Leaving::Return;
  return effect == Effect::Exit ? Leaving::Exit : Leaving::Trap;
}

FlowGraph graph_of(const Kernel& kernel, const std::vector<BlockFacts>& facts) {
  FlowGraph out;
  auto exit = static_cast<uint32_t>(kernel.blocks.size());
  out.ways.resize(exit);
  out.before.resize(exit + 1);
  out.leaves.assign(exit, Leaving::Return);  // as where the text ends
  out.only_leaves.assign(exit, Leaving::No);
  for (uint32_t b = 0; b < exit; ++b) {
    const BasicBlock& block = kernel.blocks[b];
    const Instruction& last = kernel.instructions[block.end - 1];
    const Effect effect = effect_of_instruction(last);
    const bool ends_thread = info(effect).flow == Flow::EndsThread;
    out.has_barrier.push_back(facts[b].may_meet_block);
    if (facts[b].never_ends) {
      out.ways[b] = {exit};
      out.leaves[b] = Leaving::Trap;
    } else if (ends_thread && last.guard != kNoIndex) {
      // A guarded exit, ret or trap ends some lanes: the others meet as if those had never been there.
      out.ways[b] = {block.successors.front()};
    } else {
      out.ways[b] = block.successors;
      if (ends_thread) out.leaves[b] = leaving(effect);
      if (ends_thread && block.end - block.begin == 1) out.only_leaves[b] = out.leaves[b];
    }
    for (uint32_t to : out.ways[b]) out.before[to].push_back(b);
  }
  // So does a block that only branches to one.
  auto only_branches = [&](uint32_t b) {
    const BasicBlock& block = kernel.blocks[b];
    return block.end - block.begin == 1 && out.ways[b].size() == 1 && out.ways[b][0] != exit &&
           out.only_leaves[b] == Leaving::No && branches(effect_of_instruction(kernel.instructions[block.begin]));
  };
  std::vector<uint32_t> leave;
  for (uint32_t b = 0; b < exit; ++b)
    if (out.only_leaves[b] != Leaving::No) leave.push_back(b);
  walk_back(out, std::move(leave), [&](uint32_t b) {
    if (!only_branches(b)) return false;
    out.only_leaves[b] = out.only_leaves[out.ways[b][0]];
    return true;
  });
  return out;
}

class Reconvergence {
 public:
  Reconvergence(Kernel& kernel, const std::vector<BlockFacts>& facts)
      : kernel_(kernel),
        graph_(graph_of(kernel, facts)),
        ways_(ways_that_go_on(graph_, false)),
        join_(post_dominators(ways_)),
        shared_join_(post_dominators(ways_that_go_on(graph_, true))),
        reaches_barrier_(graph_.exit() + 1, false) {
    auto take = [&](uint32_t b) {
      bool is_new = !reaches_barrier_[b];
      reaches_barrier_[b] = true;
      return is_new;
    };
    for (uint32_t b = 0; b < graph_.exit(); ++b)
      if (graph_.has_barrier[b] && take(b)) walk_back(graph_, {b}, take);
    find_inner_blocks();
  }

  void run() {
    for (uint32_t b = 0; b < graph_.exit(); ++b) {
      Instruction& last = kernel_.instructions[kernel_.blocks[b].end - 1];
      const bool indexed = info(effect_of_instruction(last)).flow == Flow::ToTable;
      const bool may_part = branches(effect_of_instruction(last)) && (last.guard != kNoIndex || indexed);
      uint32_t join = may_part ? join_of(b, indexed) : graph_.exit();
      last.reconvergence = join < graph_.exit() ? kernel_.blocks[join].begin : kNoIndex;
    }
  }

 private:
  bool only_leaves(uint32_t b) const { return b == graph_.exit() || graph_.only_leaves[b] != Leaving::No; }

  /// Blocks between a branch and its join, over the ways that go on: those that depend on the branch (Ferrante,
  /// Ottenstein, Warren 1987, "The Program Dependence Graph"), so on the tree of joins from a side up to the join.
  void find_inner_blocks() {
    is_inner_.assign(graph_.exit() + 1, false);
    std::vector<uint32_t> depth = depths(), up(graph_.exit() + 1);
    for (uint32_t b = 0; b <= graph_.exit(); ++b) up[b] = b;  // the nearest that is not inner, at or above
    auto next = [&](uint32_t b) {
      uint32_t top = b;
      while (up[top] != top) top = up[top];
      while (up[b] != top) b = std::exchange(up[b], top);
      return top;
    };
    for (uint32_t b = 0; b < graph_.exit(); ++b) {
      if (ways_[b].size() < 2 || only_leaves(join_[b])) continue;
      for (uint32_t side : ways_[b])
        for (uint32_t x = next(side); depth[x] > depth[join_[b]]; x = next(x)) {
          is_inner_[x] = true;
          up[x] = join_[x];
        }
    }
  }

  std::vector<uint32_t> depths() const {
    std::vector<uint32_t> depth(graph_.exit() + 1, 0), path;
    for (uint32_t b = 0; b < graph_.exit(); ++b) {
      for (uint32_t x = b; x != graph_.exit() && depth[x] == 0; x = join_[x]) path.push_back(x);
      for (; !path.empty(); path.pop_back()) depth[path.back()] = depth[join_[path.back()]] + 1;
    }
    return depth;
  }

  uint32_t join_of(uint32_t b, bool indexed) const {
    if (ways_[b].size() > 1) {
      uint32_t on = stays_in_loop(b);
      return on == graph_.exit() ? join_[b] : first_leave(b, on, indexed, graph_.exit());
    }
    // A branch to what follows it has one way only.
    if (ways_[b].size() == graph_.ways[b].size() || ways_[b].empty()) return join_[b];
    uint32_t shared = !is_inner_[b] && only_leaves(shared_join_[b]) ? shared_join_[b] : graph_.exit();
    return first_leave(b, ways_[b].front(), indexed, shared);
  }

  /// The lanes on the way to `on` may come to a barrier: those that go other ways, which end, must do so before.
  /// Otherwise the ways are taken in their usual order, and lanes meet at `join`.
  uint32_t first_leave(uint32_t b, uint32_t on, bool indexed, uint32_t join) const {
    if (!reaches_barrier_[on]) return join;
    const BasicBlock& block = kernel_.blocks[b];
    const bool is_first = indexed || on != b + 1 || block.successors.size() < 2;
    const bool others_work = std::any_of(graph_.ways[b].begin(), graph_.ways[b].end(),
                                         [&](uint32_t to) { return to != on && !only_leaves(to); });
    return is_first && others_work ? on : join;
  }

  /// Where a loop has barriers, what one of its ways out leads to has none, and there is another way out, as in a
  /// search: lanes that leave it are not to keep the others from their barriers, but go to their end. The block at
  /// which the loop goes on; the exit: it is not such a branch.
  uint32_t stays_in_loop(uint32_t b) const {
    const uint32_t join = join_[b], none = graph_.exit();
    if (only_leaves(join) || reaches_barrier_[join] || ways_[b].size() != 2) return none;
    uint32_t on = none;
    bool is_side = false;
    for (uint32_t to : ways_[b]) {
      is_side = is_side || to == join;
      if (to != join) on = to;
    }
    if (!is_side || on == none || !reaches_barrier_[on]) return none;
    std::vector<bool> seen(none, false);
    auto take = [&](uint32_t x) {
      bool is_new = !seen[x] && x != join;
      seen[x] = true;
      return is_new;
    };
    walk_back(graph_, {b}, take);
    return (on == b || seen[on]) && ends_without(join, on) ? on : none;
  }

  /// Whether a return or an exit can be reached from a block without passing `join`.
  bool ends_without(uint32_t join, uint32_t from) const {
    std::vector<bool> seen(graph_.exit() + 1, false);
    std::vector<uint32_t> next{from};
    seen[from] = seen[join] = true;
    while (!next.empty()) {
      uint32_t b = next.back();
      next.pop_back();
      for (uint32_t to : graph_.ways[b]) {
        if (to == graph_.exit() && graph_.leaves[b] >= Leaving::Exit) return true;
        if (to != graph_.exit() && !seen[to]) next.push_back(to);
        seen[to] = true;
      }
    }
    return false;
  }

  Kernel& kernel_;
  FlowGraph graph_;
  std::vector<std::vector<uint32_t>> ways_;  // that go on, by block
  std::vector<uint32_t> join_;               // of these
  std::vector<uint32_t> shared_join_;        // the same where lanes meet at an exit that they share
  std::vector<bool> reaches_barrier_;
  std::vector<bool> is_inner_;
};

}  // namespace

void find_reconvergence(Kernel& kernel, const std::vector<BlockFacts>& facts) { Reconvergence(kernel, facts).run(); }

}  // namespace warptime::ptx
