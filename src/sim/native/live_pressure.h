// How many registers are in use while a list scheduler chooses the instructions of a region one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ptx/analysis/liveness.h"
#include "ptx/module.h"

namespace warptime::sim {

/// What the whole kernel says about registers; made once.
class KernelPressure {
 public:
  /// `at_least`: registers that a full SM has for each of its threads.
  KernelPressure(const ptx::Kernel& kernel, uint32_t at_least);

  const ptx::RegisterPressure& pressure() const { return pressure_; }
  /// The registers that are still needed behind instruction `end` of the block.
  std::vector<uint32_t> live_behind(uint32_t block, uint32_t end) const;
  /// 32-bit registers that the assembler lets a region use: those of the source's order and a few, in steps that
  /// occupancy goes by, but no less than what an SM full of warps has for each.
  uint32_t limit() const { return limit_; }

 private:
  const ptx::Kernel& kernel_;
  ptx::RegisterPressure pressure_;
  std::vector<std::vector<uint32_t>> behind_blocks_;
  uint32_t limit_ = 0;
};

/// A region's registers while its instructions are placed.
class LivePressure {
 public:
  /// Instructions [begin, end) of a block.
  LivePressure(const KernelPressure& kernel, uint32_t registers, uint32_t block, uint32_t begin, uint32_t end);

  /// By how many registers more are in use after instruction `i` (less: negative).
  int32_t change(uint32_t i) const;
  void place(uint32_t i);
  uint32_t live() const { return live_; }

 private:
  template <class Visit>
  void for_each_access(uint32_t i, Visit&& visit) const {
    kernel_.pressure().accesses.for_each(i, visit);
  }
  bool ends(uint32_t reg, uint32_t reads_here) const { return is_live_[reg] && reads_left_[reg] == reads_here; }

  const KernelPressure& kernel_;
  std::vector<bool> is_live_;
  std::vector<uint32_t>
      reads_left_;  // by register: reads not placed yet, one more where it is needed behind the region
  uint32_t live_ = 0;
};

}  // namespace warptime::sim
