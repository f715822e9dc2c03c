#include "analysis/program/warp_path.h"

#include <algorithm>
#include <array>

#include "ptx/analysis/register_uses.h"

namespace warptime::analysis {

namespace {

constexpr int kPasses = 3;           // over all blocks: loops then begin with their own last iteration
constexpr double kLongAgo = -1e300;  // when what no instruction has written was ready

/// When results are ready, by register, relative to the end of a block.
struct PendingResult {
  uint32_t reg;
  double ready;
};
struct BlockEnd {
  std::vector<PendingResult> pending;
  double control = 0;  // of the dependence path: when the last branch was decided
};

/// Ready times of one block; entries are cleared by their number.
class ReadyTimes {
 public:
  explicit ReadyTimes(size_t registers) : ready_(registers), block_(registers, 0) {}
  void begin(const BlockEnd* before) {
    ++now_;
    written_.clear();
    if (before == nullptr) return;
    for (const PendingResult& result : before->pending) set(result.reg, result.ready);
  }
  double of(uint32_t reg) const { return block_[reg] == now_ ? ready_[reg] : kLongAgo; }
  void set(uint32_t reg, double ready) {
    if (block_[reg] != now_) written_.push_back(reg);
    block_[reg] = now_;
    ready_[reg] = ready;
  }
  /// Those that are later than `from`, relative to `end`.
  std::vector<PendingResult> later_than(double from, double end) const {
    std::vector<PendingResult> out;
    for (uint32_t reg : written_)
      if (ready_[reg] > from) out.push_back({reg, ready_[reg] - end});
    return out;
  }

 private:
  std::vector<double> ready_;
  std::vector<uint32_t> block_, written_;
  uint32_t now_ = 0;
};

/// Walks all blocks some times; `walk(block, end of its predecessor or nullptr)` returns its own end.
template <class Walk>
void walk_blocks(const std::vector<CodeBlock>& blocks, Walk&& walk) {
  std::vector<BlockEnd> ends(blocks.size());
  std::vector<bool> has_end(blocks.size(), false);
  for (int pass = 0; pass < kPasses; ++pass)
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      if (blocks[b].executions == 0) continue;
      const uint32_t before = blocks[b].predecessor;
      ends[b] = walk(b, before != ptx::kNoIndex && has_end[before] ? &ends[before] : nullptr);
      has_end[b] = true;
    }
}

double latest_operand(const ptx::Kernel& kernel, const ptx::Instruction& instruction, const ReadyTimes& ready) {
  double latest = kLongAgo;
  ptx::for_each_register(kernel, instruction, [&](uint32_t reg, bool) { latest = std::max(latest, ready.of(reg)); });
  return latest;
}

void set_results(const ptx::Kernel& kernel, const ptx::Instruction& instruction, double when, ReadyTimes& ready) {
  ptx::for_each_register(kernel, instruction, [&](uint32_t reg, bool written) {
    if (written) ready.set(reg, when);
  });
}

WarpPath empty_path(const ptx::Kernel& kernel, const std::vector<CodeBlock>& blocks) {
  return {std::vector<double>(kernel.instructions.size(), 0), std::vector<double>(blocks.size(), 0)};
}

}  // namespace

WarpPath in_order_path(const ptx::Kernel& kernel, const std::vector<CodeBlock>& blocks,
                       const std::vector<InstructionCost>& costs, const std::function<double(uint32_t)>& latency) {
  WarpPath out = empty_path(kernel, blocks);
  ReadyTimes ready(kernel.registers.size());
  walk_blocks(blocks, [&](uint32_t b, const BlockEnd* before) {
    ready.begin(before);
    double now = 0;
    std::array<double, 5> pipe_free{};  // SP, SFU, DP, tensor cores, memory port
    for (uint32_t i = blocks[b].begin; i < blocks[b].end; ++i) {
      const InstructionCost& cost = costs[i];
      const std::array<double, 5> busy{cost.sp, cost.sfu, cost.dp, cost.tensor, cost.port};
      double start = std::max(now, latest_operand(kernel, kernel.instructions[i], ready));
      for (size_t p = 0; p < busy.size(); ++p)
        if (busy[p] != 0) start = std::max(start, pipe_free[p]);
      for (size_t p = 0; p < busy.size(); ++p)
        if (busy[p] != 0) pipe_free[p] = start + busy[p];
      set_results(kernel, kernel.instructions[i], start + latency(i), ready);
      const double end = start + cost.next;
      out.cycles[i] = end - now;
      now = end;
    }
    out.of_block[b] = now;
    return BlockEnd{ready.later_than(now, now), 0};
  });
  return out;
}

WarpPath dependence_path(const ptx::Kernel& kernel, const std::vector<CodeBlock>& blocks,
                         const std::vector<InstructionCost>& costs) {
  // What ended so many steps before the end of a block can no longer matter: no block is longer.
  double longest = 0;
  for (const CodeBlock& block : blocks) longest = std::max(longest, double(block.end - block.begin));
  WarpPath out = empty_path(kernel, blocks);
  ReadyTimes ready(kernel.registers.size());
  walk_blocks(blocks, [&](uint32_t b, const BlockEnd* before) {
    ready.begin(before);
    double control = before == nullptr ? 0 : before->control, latest = 0;
    for (uint32_t i = blocks[b].begin; i < blocks[b].end; ++i) {
      const ptx::Instruction& instruction = kernel.instructions[i];
      double start = std::max(control, latest_operand(kernel, instruction, ready));
      const bool waits_for_all = costs[i].work == Work::Barrier;
      if (waits_for_all) start = std::max(start, latest);
      const double end = start + 1;
      set_results(kernel, instruction, end, ready);
      const auto flow = ptx::info(ptx::effect_of(*instruction.card->card, *instruction.form)).flow;
      if (waits_for_all || flow != ptx::Flow::FallsThrough) control = std::max(control, end);
      out.cycles[i] = std::max(0.0, end - latest);
      latest = std::max(latest, end);
    }
    out.of_block[b] = latest;
    return BlockEnd{ready.later_than(latest - longest, latest), control - latest};
  });
  return out;
}

double cycles_per_warp(const WarpPath& path, const std::vector<CodeBlock>& blocks, double warps) {
  double sum = 0;
  for (size_t b = 0; b < blocks.size(); ++b) sum += path.of_block[b] * blocks[b].executions;
  return sum / warps;
}

std::vector<LoadUse> first_uses(const ptx::Kernel& kernel, const std::vector<CodeBlock>& blocks,
                                const std::vector<InstructionCost>& costs) {
  std::vector<LoadUse> out;
  std::vector<uint32_t> loaded_by(kernel.registers.size(), ptx::kNoIndex);
  auto walk = [&](const CodeBlock& block) {
    for (uint32_t i = block.begin; i < block.end; ++i) {
      ptx::for_each_register(kernel, kernel.instructions[i], [&](uint32_t reg, bool written) {
        if (written || loaded_by[reg] == ptx::kNoIndex) return;
        const LoadUse found{loaded_by[reg], i};
        const bool known = std::any_of(out.begin(), out.end(), [&](const LoadUse& u) { return u.load == found.load; });
        if (!known) out.push_back(found);
        loaded_by[reg] = ptx::kNoIndex;
      });
      const bool loads = is_global(costs[i].work) && costs[i].work != Work::Store;
      ptx::for_each_register(kernel, kernel.instructions[i], [&](uint32_t reg, bool written) {
        if (written) loaded_by[reg] = loads ? i : ptx::kNoIndex;
      });
    }
  };
  // Twice: what the end of a loop loads for its next iteration is used at its start.
  for (int pass = 0; pass < 2; ++pass)
    for (const CodeBlock& block : blocks)
      if (block.executions != 0) walk(block);
  return out;
}

}  // namespace warptime::analysis
