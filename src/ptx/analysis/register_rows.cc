// Rows for registers. Registers share a row if the intervals from their first to their last live instruction do not
// meet, and if their lanes are equally wide: after a branch some lanes of a row may hold one register and other lanes
// another, which only works while lane i has the same bytes in both. A result does not take the row of an operand of
// the same instruction (intervals have both ends inclusive), so lane code may write while others still read.
#include <algorithm>
#include <queue>

#include "ptx/analysis/liveness.h"
#include "ptx/analysis/register_uses.h"
#include "ptx/isa/cards.h"

namespace warptime::ptx {

namespace {

/// 0 for predicates, else the bytes of a lane.
uint32_t lane_bytes(Type type) { return type == Type::Pred ? 0 : bytes(type); }

/// Whether the first instruction writes the register, whatever happens, and does not read it.
bool begins_with_write(const Kernel& kernel, uint32_t reg) {
  if (kernel.instructions.empty() || kernel.instructions[0].guard != kNoIndex) return false;
  bool writes = false, reads = false;
  for_each_register(kernel, kernel.instructions[0],
                    [&](uint32_t of, bool written) { (written ? writes : reads) |= of == reg; });
  return writes && !reads;
}

/// Results of wgmma are written when a group is waited for, even if nobody reads them: until the last wait their rows
/// are of no other registers.
void keep_accumulators(const Kernel& kernel, std::vector<LiveInterval>& intervals) {
  uint32_t last = kNoIndex;
  for (uint32_t i = 0; i < kernel.instructions.size(); ++i)
    if (is<WgmmaCard>(kernel.instructions[i])) last = i;
  if (last == kNoIndex) return;
  for (const Instruction& instruction : kernel.instructions)
    if (is<WgmmaCard>(instruction))
      for_each_register(kernel, instruction, [&](uint32_t reg, bool written) {
        if (written) intervals[reg].cover(last);
      });
}

}  // namespace

RegisterRows assign_rows(const Kernel& kernel, std::vector<LiveInterval> intervals) {
  RegisterRows out;
  // Registers in which values are passed are written before the first instruction and read after the last.
  for (const std::vector<Parameter>* parameters : {&kernel.results, &kernel.arguments}) {
    for (const Parameter& parameter : *parameters) {
      if (!parameter.is_register) continue;
      intervals[parameter.index].cover(0);
      intervals[parameter.index].cover(static_cast<uint32_t>(kernel.instructions.size()));
    }
  }
  // Others may write and read the registers of the module wherever this code calls them.
  for (uint32_t reg = 0; reg < kernel.registers.size(); ++reg) {
    if (kernel.registers[reg].module_register == 0) continue;
    intervals[reg].cover(0);
    intervals[reg].cover(static_cast<uint32_t>(kernel.instructions.size()));
  }
  keep_accumulators(kernel, intervals);
  out.row_of.assign(kernel.registers.size(), 0);
  std::vector<uint32_t> order(intervals.size());
  for (uint32_t reg = 0; reg < order.size(); ++reg) order[reg] = reg;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return intervals[a].begin != intervals[b].begin ? intervals[a].begin < intervals[b].begin : a < b;
  });

  uint32_t next_row = 0;
  for (uint32_t width : {0u, 1u, 2u, 4u, 8u, 16u}) {
    using Ending = std::pair<uint32_t, uint32_t>;  // last instruction, row
    std::priority_queue<Ending, std::vector<Ending>, std::greater<>> busy;
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> free;
    uint32_t rows_each = width == 0 ? 1 : std::max(1u, width / 4);
    uint32_t next = width == 0 ? 0 : next_row;
    for (uint32_t reg : order) {
      if (lane_bytes(kernel.registers[reg].type) != width || intervals[reg].begin == kNoIndex) continue;
      while (!busy.empty() && busy.top().first < intervals[reg].begin) {
        free.push(busy.top().second);
        busy.pop();
      }
      uint32_t row = next;
      if (free.empty()) {
        next += rows_each;
      } else {
        row = free.top();
        free.pop();
      }
      out.row_of[reg] = static_cast<uint16_t>(row);
      if (width != 0 && intervals[reg].begin == 0 && !begins_with_write(kernel, reg))
        for (uint32_t i = 0; i < rows_each; ++i) out.live_at_start.push_back(static_cast<uint16_t>(row + i));
      busy.emplace(intervals[reg].end, row);
    }
    if (width == 0) out.predicates = static_cast<uint16_t>(std::min(next, kTooManyRows));
    else next_row = next;
  }
  out.rows = static_cast<uint16_t>(std::min(next_row, kTooManyRows));
  return out;
}

}  // namespace warptime::ptx
