// The cost of on-chip accesses: of shared memory by conflict degree (cycles for each replay, because a bank serves one
// word at a time), of constant memory by the number of distinct addresses, which it serves one at a time. An
// instruction with an operand in shared or constant memory has this cost itself, so the conflict degree of each
// operand's access is kept here by register row until the instruction issues.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/model/machine.h"
#include "sim/native/native_insn.h"

namespace warptime::sim {

/// Cycles of an instruction for which the sub-core is occupied and its pipe is busy, and after which its result is
/// available.
struct IssueCost {
  uint32_t issue, pipe, latency;
};

class AccessCost {
 public:
  /// For the given number of warp slots.
  AccessCost(const MachineConfig& machine, uint32_t slots) : machine_(machine), slots_(slots) {}

  /// Warps of a kernel with so many register rows are to come.
  void require(uint32_t rows) {
    if (rows <= rows_) return;
    std::vector<uint16_t> degree(size_t{slots_} * rows, 1);
    for (size_t i = 0; i < degree_.size(); ++i) degree[i / rows_ * rows + i % rows_] = degree_[i];
    degree_ = std::move(degree);
    rows_ = rows;
  }

  /// An access to shared memory: `each` cycles per conflict degree.
  IssueCost shared(const NativeInsn& insn, const NativeDetail& detail, uint32_t each, uint32_t degree) const {
    const SharedConfig& shared = machine_.sm.shared;
    const uint32_t late = shared.conflict_latency == 0 ? each : shared.conflict_latency;
    IssueCost cost{insn.issue_cycles, each * degree, shared.load_latency + late * (degree - 1)};
    if (shared.pipe == OnChipPipe::sp) cost.issue = cost.pipe += detail.access_cycles;
    return cost;
  }
  /// An access to constant memory.
  IssueCost constant(const NativeInsn& insn, const NativeDetail& detail, uint32_t addresses) const {
    const auto& constant = machine_.constant;
    uint32_t cycles = constant.cycles_per_address * addresses;
    const uint32_t late = constant.address_latency == 0 ? constant.cycles_per_address : constant.address_latency;
    IssueCost cost{insn.issue_cycles, cycles, constant.load_latency + late * (addresses - 1)};
    if (constant.pipe == OnChipPipe::sp) cost.issue = cost.pipe += detail.access_cycles;
    return cost;
  }

  /// The access that filled a row as an operand of later instructions: its conflict degree, or its distinct addresses.
  void set_operand(uint32_t slot, uint32_t row, uint32_t degree) {
    degree_[slot * rows_ + row] = static_cast<uint16_t>(degree);
  }
  /// An instruction with operands in memory: 2 + 4 x degree cycles for one in shared memory, cycles for each further
  /// address of one in constant memory. The replays delay its result.
  IssueCost with_operands(uint32_t slot, const NativeInsn& insn, const MemoryOperands& operands) const {
    IssueCost cost{insn.issue_cycles, insn.pipe_cycles, insn.latency};
    auto add = [&](uint32_t cycles, uint32_t late) {
      cost.issue = std::max(cost.issue, cycles);
      cost.pipe = std::max(cost.pipe, cycles);
      cost.latency += late;
    };
    if (uint16_t row = operands.shared_row; row != MemoryOperands::kNone) {
      const SharedConfig& shared = machine_.sm.shared;
      uint32_t degree = degree_of(slot, row);
      add(shared.base_cycles + shared.cycles_per_degree * degree, shared.cycles_per_degree * (degree - 1));
    }
    if (uint16_t row = operands.constant_row; row != MemoryOperands::kNone) {
      uint32_t addresses = degree_of(slot, row), each = machine_.constant.cycles_per_address;
      if (addresses > 1) add(each * addresses, each * (addresses - 1));
    }
    return cost;
  }

 private:
  uint32_t degree_of(uint32_t slot, uint32_t row) const { return degree_[slot * rows_ + row]; }

  const MachineConfig& machine_;
  uint32_t slots_, rows_ = 0;     // warps, and rows of each
  std::vector<uint16_t> degree_;  // by slot and row

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive.table(degree_);
  }
};

}  // namespace warptime::sim
