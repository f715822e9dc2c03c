#include "sim/native/reader_delays.h"

#include <algorithm>
#include <limits>

namespace warptime::sim {

using ptx::Effect, ptx::Unit;

namespace {

// Farther behind an instruction, no delay is left of its result.
constexpr uint32_t kFarthest = 32;

bool has(const std::vector<uint16_t>& slots, uint16_t slot) {
  return std::find(slots.begin(), slots.end(), slot) != slots.end();
}

/// A result of arithmetic, whose latency is known when it issues. That of values which are the same for the warp is no
/// pipe's here (Unit::Control).
bool is_arithmetic(const NativeInsn& insn) {
  return insn.effect == Effect::None && !insn.takes_no_time() &&
         (insn.unit == Unit::Sp || insn.unit == Unit::Alu || insn.unit == Unit::Dp || insn.unit == Unit::Control);
}

uint32_t delay_of(const IssueConfig& issue, const NativeInsn& writer, const DelayedInsn& reader, uint16_t slot) {
  if (reader.guard == slot) return issue.guard_delay;
  if (writer.unit == Unit::Control) return 0;
  if (reader.begins_special) return issue.special_delay;
  return reader.native->unit != writer.unit ? issue.pipe_delay : 0;
}

}  // namespace

void add_reader_delays(const IssueConfig& issue, const ptx::Kernel& kernel, const std::vector<DelayedInsn>& insns) {
  if (issue.guard_delay == 0 && issue.pipe_delay == 0 && issue.special_delay == 0) return;
  for (const ptx::BasicBlock& block : kernel.blocks)
    for (uint32_t i = block.begin; i < block.end; ++i) {
      NativeInsn& writer = *insns[i].native;
      if (!is_arithmetic(writer)) continue;
      uint32_t delay = 0;
      for (uint16_t slot : insns[i].slots->writes)
        for (uint32_t j = i + 1; j < std::min(block.end, i + 1 + kFarthest); ++j) {
          if (has(insns[j].slots->waits, slot)) {
            if (!insns[j].native->takes_no_time()) delay = std::max(delay, delay_of(issue, writer, insns[j], slot));
            break;
          }
          if (has(insns[j].slots->writes, slot)) break;
        }
      writer.latency =
          static_cast<uint16_t>(std::min<uint32_t>(writer.latency + delay, std::numeric_limits<uint16_t>::max()));
    }
}

}  // namespace warptime::sim
