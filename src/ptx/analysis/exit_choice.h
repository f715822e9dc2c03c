// Which exit the paths that go on lead to. A kernel may end in many places; a branch whose sides can reach several of
// them would meet nowhere if all of them counted. So each block keeps one exit, the best that it can reach, and the
// ways that lead only to others are left out:
//
// - a `ret` before an `exit`, that before a trap or a call that never returns, and that before an endless loop;
// - of several, the one that most barriers can reach, then the one that most blocks can reach, then the last in the
//   text.
//
// The order is one for the whole kernel, so the joins of nested branches are nested. No public document says how
// NVIDIA's assembler places reconvergence; this rule restores the joins of a program to which exits have been added.
#pragma once

#include <cstdint>
#include <vector>

namespace warptime::ptx {

/// How a block ends a thread; the better ones have greater values.
enum class Leaving : uint8_t { No, Endless, Trap, Exit, Return };

/// Blocks and the ways between them; the exit is block ways.size().
struct FlowGraph {
  std::vector<std::vector<uint32_t>> ways;    // by block
  std::vector<std::vector<uint32_t>> before;  // by block and for the exit: where ways come from
  std::vector<Leaving> leaves;                // by block: how its way to the exit ends the thread
  std::vector<Leaving> only_leaves;           // by block: the same, if it does nothing else; No: it does
  std::vector<bool> has_barrier;              // by block

  uint32_t exit() const { return static_cast<uint32_t>(ways.size()); }
};

/// The ways that are kept, by block: each block reaches the exit by one last way. `shared`: lanes that come to the same
/// exit meet there; otherwise a block that does nothing but leave is an exit of its own for each way to it.
std::vector<std::vector<uint32_t>> ways_that_go_on(const FlowGraph& graph, bool shared);

/// For each block the next block that all its ways pass; for the exit the exit itself. Every block must reach the exit.
std::vector<uint32_t> post_dominators(const std::vector<std::vector<uint32_t>>& ways);

/// Walks from the blocks `from` against the ways; takes(block) returns whether to go on from there.
template <class F>
void walk_back(const FlowGraph& graph, std::vector<uint32_t> from, const F& takes) {
  while (!from.empty()) {
    uint32_t block = from.back();
    from.pop_back();
    for (uint32_t b : graph.before[block])
      if (takes(b)) from.push_back(b);
  }
}

}  // namespace warptime::ptx
