// Tracks which warps of an SM have fetched their next instruction. A warp keeps one line of the innermost instruction
// cache; when it reaches another line, it must read that line before it can issue.
//
// With it the lines behind that one are fetched (instruction.prefetch_lines). Left out: instruction buffers of more
// than one line. No figures of a G80 are published.
#pragma once

#include <array>
#include <cstdint>

#include "base/log2.h"
#include "sim/core/ready_set.h"
#include "sim/mem/tpc_caches.h"
#include "sim/native/native_insn.h"
#include "sim/state/launch_context.h"

namespace warptime::sim {

class InstructionFetch {
 public:
  InstructionFetch(const MachineConfig& machine, uint32_t sm_in_tpc, TpcCaches& caches)
      : caches_(&caches), sm_in_tpc_(sm_in_tpc), lines_ahead_(machine.instruction.prefetch_lines) {
    if (uint32_t line = caches.line_bytes(ReadKind::Instruction); line != 0) line_shift_ = log2_of(line);
  }

  /// A new warp has no line. Without a cache all code is one line, which every warp has.
  void start(uint32_t slot) { line_of_[slot] = caches_->caches(ReadKind::Instruction) ? kNoLine : 0; }
  /// The warp reaches this instruction.
  void next(uint32_t slot, const NativeInsn& insn) {
    if (insn.code >> line_shift_ != line_of_[slot]) [[unlikely]]
      missing_ |= uint64_t{1} << slot;
  }
  /// The slots whose warps may lack the line of their next instruction.
  uint64_t missing() const { return missing_; }
  /// Reads the line of the warp's next instruction. Returns the cycle from which the warp has it; kNever: on a miss,
  /// after which TpcCaches::fill names the slot when the line arrives.
  Cycle read(uint32_t slot, const LaunchContext& launch, const NativeInsn& insn, Cycle now) {
    uint32_t line = insn.code >> line_shift_;
    missing_ &= ~(uint64_t{1} << slot);
    line_of_[slot] = line;
    const Addr address = launch.code_base + (Addr{line} << line_shift_);
    const Cycle ready = caches_->read(ReadKind::Instruction, sm_in_tpc_, address, slot, now, launch.number);
    for (uint32_t behind = 1; behind <= lines_ahead_; ++behind) prefetch(line + behind, launch, now);
    return ready;
  }

 private:
  static constexpr uint32_t kNoLine = ~uint32_t{0};

  /// If it is one of the kernel.
  void prefetch(uint32_t line, const LaunchContext& launch, Cycle now) {
    const Addr offset = Addr{line} << line_shift_;
    if (offset < launch.kernel->native.code_bytes)
      caches_->prefetch(ReadKind::Instruction, sm_in_tpc_, launch.code_base + offset, now, launch.number);
  }

  TpcCaches* caches_;
  uint32_t sm_in_tpc_;
  uint32_t lines_ahead_;      // fetched behind the line that is needed
  uint32_t line_shift_ = 31;  // log2 of the bytes per line
  uint64_t missing_ = 0;
  std::array<uint32_t, ReadySet::kMaxWarps> line_of_{};  // the line that each warp has

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive.mask(missing_, archive.limits.warps);
    archive(line_of_);
  }
};

}  // namespace warptime::sim
