// Paths of a kernel's own code between two instructions: whether there is one at all, and one without a barrier.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/module.h"

namespace warptime::debug {

class CodePaths {
 public:
  /// What ends a path: nothing, barriers of the block, or also those of a warp (bar.warp.sync).
  enum class Until : uint8_t { Nothing, BlockBarrier, AnyBarrier };

  explicit CodePaths(const ptx::Kernel& kernel) : kernel_(kernel) {}

  /// Whether instruction `to` can be executed after `from`. False for code of functions that the kernel calls.
  bool leads(uint32_t from, uint32_t to, Until until = Until::Nothing) const {
    return !path(from, to, until, ptx::kNoIndex).empty();
  }
  /// Where a barrier would end all paths from `from` to `to`: in front of any of these instructions, [begin, end) each.
  /// Empty if no path leads there.
  struct Places {
    uint32_t begin = 0, end = 0;
  };
  std::vector<Places> places_between(uint32_t from, uint32_t to, Until until) const;
  /// The innermost branch that decides whether an instruction is executed.
  std::optional<uint32_t> guarding_branch(uint32_t pc) const;
  /// The branch that may lead to an exit before `pc`: the last one in front of it.
  std::optional<uint32_t> early_exit(uint32_t pc) const;

 private:
  /// The basic blocks of one path, the first with `from` and the last with `to`; it enters no block `without`.
  std::vector<uint32_t> path(uint32_t from, uint32_t to, Until until, uint32_t without) const;

  const ptx::Kernel& kernel_;
};

/// Whether the instruction is in a loop that a branch ends or repeats which depends on its result.
bool ends_its_loop(const ptx::Kernel& kernel, uint32_t pc);

/// Whether threads wait for each other there: all of a block or some, or, with `of_warps`, lanes of a warp.
bool is_barrier(const ptx::Instruction& instruction, bool of_warps);

}  // namespace warptime::debug
