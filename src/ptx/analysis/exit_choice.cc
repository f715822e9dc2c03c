#include "ptx/analysis/exit_choice.h"

#include <algorithm>
#include <tuple>

#include "ptx/module.h"

namespace warptime::ptx {

namespace {

/// The last way of a path: from a block to the exit, or to a block that does nothing but leave.
struct LastWay {
  uint32_t from = 0, to = 0;
  Leaving how = Leaving::No;
  uint32_t barriers = 0, blocks = 0;  // that can reach it

  auto rank() const { return std::tie(how, barriers, blocks, from, to); }
};

class ExitChoice {
 public:
  ExitChoice(const FlowGraph& graph, bool shared) : graph_(graph), shared_(shared), best_(graph.exit(), kNoIndex) {}

  std::vector<std::vector<uint32_t>> run() {
    find_last_ways();
    count_what_reaches_them();
    std::sort(last_.begin(), last_.end(), [](const LastWay& a, const LastWay& b) { return a.rank() > b.rank(); });
    for (uint32_t i = 0; i < last_.size(); ++i) keep(i);
    end_endless_loops();
    return kept();
  }

 private:
  bool leaves_only(uint32_t b) const { return !shared_ && graph_.only_leaves[b] != Leaving::No; }
  bool is_last(uint32_t to) const { return to == graph_.exit() || leaves_only(to); }

  void find_last_ways() {
    for (uint32_t b = 0; b < graph_.exit(); ++b) {
      if (leaves_only(b)) continue;
      for (uint32_t to : graph_.ways[b])
        if (is_last(to)) last_.push_back({b, to, to == graph_.exit() ? graph_.leaves[b] : graph_.only_leaves[to]});
    }
  }

  /// Counts only where several are of the best kind: others are seldom compared. In very large code the text's order
  /// has to do.
  void count_what_reaches_them() {
    constexpr size_t kMost = size_t{1} << 24;
    Leaving best = Leaving::No;
    for (const LastWay& way : last_) best = std::max(best, way.how);
    auto many = static_cast<size_t>(
        std::count_if(last_.begin(), last_.end(), [best](const LastWay& way) { return way.how == best; }));
    if (many < 2 || many * graph_.exit() > kMost) return;
    std::vector<uint32_t> seen(graph_.exit(), kNoIndex);
    for (uint32_t i = 0; i < last_.size(); ++i) {
      LastWay& way = last_[i];
      if (way.how != best) continue;
      auto take = [&](uint32_t b) {
        if (seen[b] == i) return false;
        seen[b] = i;
        ++way.blocks;
        way.barriers += uint32_t{graph_.has_barrier[b]};
        return true;
      };
      take(way.from);
      walk_back(graph_, {way.from}, take);
    }
  }

  /// Blocks that reach the way, and none before it, keep it.
  void keep(uint32_t i) {
    auto take = [&](uint32_t b) {
      if (best_[b] != kNoIndex || leaves_only(b)) return false;
      best_[b] = i;
      return true;
    };
    if (take(last_[i].from)) walk_back(graph_, {last_[i].from}, take);
  }

  /// The last block of an endless loop gets a way to the exit, so that branches inside it still have a join.
  void end_endless_loops() {
    for (uint32_t b = graph_.exit(); b-- > 0;) {
      if (best_[b] != kNoIndex || leaves_only(b)) continue;
      last_.push_back({b, graph_.exit(), Leaving::Endless});
      keep(static_cast<uint32_t>(last_.size()) - 1);
    }
  }

  std::vector<std::vector<uint32_t>> kept() const {
    std::vector<std::vector<uint32_t>> out(graph_.exit());
    for (uint32_t b = 0; b < graph_.exit(); ++b) {
      if (leaves_only(b)) {
        out[b] = {graph_.exit()};
        continue;
      }
      const LastWay& last = last_[best_[b]];
      for (uint32_t to : graph_.ways[b])
        if (is_last(to) ? last.from == b && last.to == to : best_[to] == best_[b]) out[b].push_back(to);
      if (last.how == Leaving::Endless && last.from == b) out[b].push_back(graph_.exit());
    }
    return out;
  }

  const FlowGraph& graph_;
  const bool shared_;
  std::vector<LastWay> last_;
  std::vector<uint32_t> best_;  // by block: the way that it keeps
};

/// Blocks in post-order of a walk from the exit against the ways.
std::vector<uint32_t> order_from_exit(const std::vector<std::vector<uint32_t>>& ways) {
  auto exit = static_cast<uint32_t>(ways.size());
  std::vector<std::vector<uint32_t>> before(exit + 1);
  for (uint32_t b = 0; b < exit; ++b)
    for (uint32_t to : ways[b]) before[to].push_back(b);
  std::vector<bool> seen(exit + 1, false);
  std::vector<uint32_t> order;
  std::vector<std::pair<uint32_t, size_t>> path{{exit, 0}};
  seen[exit] = true;
  while (!path.empty()) {
    auto& [block, next] = path.back();
    if (next == before[block].size()) {
      order.push_back(block);
      path.pop_back();
      continue;
    }
    uint32_t b = before[block][next++];
    if (seen[b]) continue;
    seen[b] = true;
    path.emplace_back(b, 0);
  }
  return order;
}

}  // namespace

std::vector<std::vector<uint32_t>> ways_that_go_on(const FlowGraph& graph, bool shared) {
  return ExitChoice(graph, shared).run();
}

/// Cooper, Harvey, Kennedy 2001, "A Simple, Fast Dominance Algorithm", on the reverse graph.
std::vector<uint32_t> post_dominators(const std::vector<std::vector<uint32_t>>& ways) {
  auto exit = static_cast<uint32_t>(ways.size());
  const std::vector<uint32_t> order = order_from_exit(ways);
  std::vector<uint32_t> number(exit + 1, 0), dominator(exit + 1, kNoIndex);
  for (uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
  dominator[exit] = exit;
  auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (number[a] < number[b]) a = dominator[a];
      while (number[b] < number[a]) b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = order.size() - 1; i-- > 0;) {
      uint32_t block = order[i], found = kNoIndex;
      for (uint32_t to : ways[block])
        if (dominator[to] != kNoIndex) found = found == kNoIndex ? to : meet(found, to);
      if (dominator[block] == found) continue;
      dominator[block] = found;
      changed = true;
    }
  }
  return dominator;
}

}  // namespace warptime::ptx
