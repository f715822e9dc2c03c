#include "debug/check/wait_cycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "base/plural.h"

namespace warptime::debug {

namespace {

uint32_t line_of(const sim::SmState& sm, uint32_t pc) {
  const ptx::Instruction* instruction = sm.launch().instruction(pc);
  return instruction == nullptr ? 0 : instruction->line;
}

std::string warp_text(const sim::SmState& sm, uint32_t slot) {
  const sim::Warp& warp = sm.warp(slot);
  const std::string name = fmt::format("warp {}", warp.index_in_block);
  if (warp.barrier == sim::kMembers) return name + " waits for the lanes of its member mask";
  return fmt::format("{} waits at barrier {} (line {})", name, warp.barrier, line_of(sm, warp.barrier_pc));
}

/// A warp that the one in the slot waits for: the first of its block that has not come to its barrier and waits, too.
/// kNoSlot: there is none.
constexpr uint32_t kNoSlot = ~uint32_t{0};
uint32_t awaited_by(const sim::SmState& sm, uint32_t slot) {
  const sim::Warp& warp = sm.warp(slot);
  if (warp.barrier >= ptx::kBarriers) return kNoSlot;
  const sim::ResidentBlock& block = sm.block_of(warp);
  for (uint64_t rest = block.warps & ~block.barriers[warp.barrier].waiting; rest != 0; rest &= rest - 1) {
    auto other = static_cast<uint32_t>(std::countr_zero(rest));
    if (other != slot && sm.warp(other).barrier != sim::kNoBarrier) return other;
  }
  return kNoSlot;
}

}  // namespace

std::string wait_cycle(const sim::SmState& sm, uint32_t slot) {
  std::vector<uint32_t> path{slot};
  for (uint32_t next = awaited_by(sm, slot); next != kNoSlot; next = awaited_by(sm, next)) {
    auto seen = std::find(path.begin(), path.end(), next);
    if (seen != path.end()) {
      path.erase(path.begin(), seen);
      std::string out;
      for (uint32_t each : path) out += (out.empty() ? "" : ", ") + warp_text(sm, each);
      return fmt::format("{}; each waits for the next, and the last for warp {}", out,
                         sm.warp(path.front()).index_in_block);
    }
    path.push_back(next);
  }
  const sim::Warp& last = sm.warp(path.back());
  if (last.barrier >= ptx::kBarriers) return warp_text(sm, path.back());
  const sim::Barrier& barrier = sm.block_of(last).barriers[last.barrier];
  return warp_text(sm, path.back()) +
         (barrier.expected == 0 ? std::string(" for lanes that do not arrive")
                                : fmt::format(" for {}; {} have arrived, and no other warp will",
                                              plural(barrier.expected, "thread"), barrier.arrivals * sim::kWarpSize));
}

}  // namespace warptime::debug
