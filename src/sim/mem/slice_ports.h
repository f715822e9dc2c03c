// The data ports of the slices of an L2 in one partition: what hits read, fills and stores write and atomic operations
// change passes that of its slice, at so many bytes per core cycle. Data that find it free wait for nothing: the time
// to pass is part of the cache's latency. Lines are distributed among the slices by a hash, so that no stride of a
// power of two stays in one.
#pragma once

#include <algorithm>
#include <vector>

#include "base/clock.h"
#include "sim/mem/crossbar.h"
#include "sim/model/machine.h"

namespace warptime::sim {

class SlicePorts {
 public:
  explicit SlicePorts(const MachineConfig& machine)
      : core_(clock_ratio(machine.clocks.shader_mhz, machine.clocks.core_mhz)),
        width_(machine.l2.cache.bytes == 0 ? 0 : machine.l2.slice_bytes) {
    if (width_ != 0) free_.resize(machine.l2.slices);
  }

  /// `bytes` of the aligned 128 at `block` come to the port at shader cycle `at`; returns when they begin to pass.
  Cycle pass(Addr block, uint32_t bytes, Cycle at) { return free_.empty() ? at : pass_port(block, bytes, at); }
  /// Core cycles that a port was occupied, the mean of all.
  uint64_t busy() const { return free_.empty() ? 0 : busy_ / free_.size(); }

 private:
  [[gnu::noinline]] Cycle pass_port(Addr block, uint32_t bytes, Cycle at) {
    const Addr line = block / PartitionRequest::kBlock;
    uint64_t& free = free_[(line ^ line >> 4 ^ line >> 9 ^ line >> 15) & (free_.size() - 1)];
    const uint64_t begin = std::max(core_.from_shader(at), free);
    const uint64_t cycles = (bytes + width_ - 1) / width_;
    busy_ += cycles;
    free = begin + cycles;
    return std::max(at, core_.to_shader(begin));
  }

  ClockRatio core_;
  uint32_t width_;
  std::vector<uint64_t> free_;  // by slice: first free core cycle
  uint64_t busy_ = 0;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive.table(free_);
    archive(busy_);
  }
};

}  // namespace warptime::sim
