// The machine program of a kernel: what the warp schedulers issue. It has all of an instruction that time depends on;
// the entry of the value table beside it (exec/insn.h) has what computes its values.
//
// A native instruction here is one that issues on its own. On a machine with `native_cost: g80` it may stand for
// several of the hardware, which follow each other without a gap.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ptx/isa/card.h"

namespace warptime::sim {

/// Rows that a folded load filled: their reader takes the words from s[] or c[] itself and has the cost of their
/// conflicts.
struct MemoryOperands {
  static constexpr uint16_t kNone = 0xffff;
  uint16_t shared_row = kNone, constant_row = kNone;
  bool any() const { return shared_row != kNone || constant_row != kNone; }
  bool operator==(const MemoryOperands&) const = default;
};

/// Scoreboard slots are row numbers, then predicates from CompiledKernel::rows on. An instruction waits for those of
/// its sources and destinations, and its results make the latter ready. Unused entries name a slot all the same
/// (NativeBuilder::set_slots), so that the scoreboard reads the first few without counting.
struct alignas(32) NativeInsn {
  std::array<uint16_t, 4> waits{};
  std::array<uint16_t, 2> writes{};
  uint16_t issue_cycles = 0;  // cycles the warp scheduler is held
  uint16_t pipe_cycles = 0;   // cycles until the pipe takes the next warp instruction
  uint16_t latency = 0;       // cycles from issue to a usable result
  uint8_t write_count = 0;    // with those in its detail
  bool is_plain = false;      // without an effect besides its values, and of the usual cost
  uint32_t code = 0;          // where its code begins, in bytes
  uint32_t detail = 0;        // in NativeProgram::details; 0: it has none
  ptx::Unit unit = ptx::Unit::Sp;
  ptx::Effect effect = ptx::Effect::None;
  enum class Time : uint8_t {
    Usual,
    None,     // it issues together with another one, before or behind it, and ends no gap
    ByLanes,  // lanes that are off work for other warps: of its cycles, the part that the active ones are
  } time = Time::Usual;
  bool outward : 1 = false;         // it may use what the SMs of a TPC share: the way to memory, or a cache
  bool by_latency : 1 = false;      // a load whose result waits for its latency, not for its transactions
  bool reads_memory : 1 = false;    // its detail has operands in memory
  bool is_operand : 1 = false;      // a load on chip whose readers have its cost
  bool holds_sps : 1 = false;       // besides its own pipe: NativeDetail::sp_cycles
  bool may_be_cached : 1 = false;   // a load from shared memory whose lanes' addresses may be cached
  bool is_uniform : 1 = false;      // a constant whose address is that of all lanes by construction
  bool waits_for_more : 1 = false;  // than `waits`: for those of its detail, or as calls, returns and exits do

  bool takes_no_time() const { return time == Time::None; }
};
static_assert(sizeof(NativeInsn) == 32);

/// What few instructions have.
struct NativeDetail {
  uint32_t more_slots = 0;     // in NativeProgram::slots: those that it waits for, then those that it writes
  uint8_t wait_count = 0;      // with those of the instruction, if there are more than it has room for
  uint16_t sp_cycles = 0;      // cycles of the SPs besides those of its own pipe
  uint16_t access_cycles = 0;  // of an access on chip: cycles of issue besides those of its conflict degree
  uint16_t gap = 0;            // cycles for which the warp cannot issue it after its instruction before
  uint16_t more_latency = 0;   // of an atomic operation on chip: cycles to its result besides those of a load
  bool combined = false;       // an atomic operation that a warp makes of those of its lanes
  bool floating = false;       // an atomic operation on floating-point words
  MemoryOperands operands;
  bool operator==(const NativeDetail&) const = default;
};

/// What the native instructions of a kernel refer to.
struct NativeProgram {
  /// Slots that an instruction can name.
  static constexpr size_t kMostSlots = 255;

  std::vector<uint16_t> slots;           // of instructions that name more than they have room for
  std::vector<NativeDetail> details{1};  // the first one is that of instructions without one
  uint32_t code_bytes = 0;
  /// By native instruction, and behind the last one: the number of its first instruction of the hardware.
  std::vector<uint32_t> numbers{0};

  const NativeDetail& detail(const NativeInsn& insn) const { return details[insn.detail]; }
  /// Slots that it waits for; one may be named twice.
  size_t wait_count(const NativeInsn& insn) const {
    return std::max(insn.waits.size(), size_t{detail(insn).wait_count});
  }
  /// The `i`th of them, or of those that it writes.
  uint16_t wait(const NativeInsn& insn, size_t i) const {
    return i < insn.waits.size() ? insn.waits[i] : slots[detail(insn).more_slots + i - insn.waits.size()];
  }
  uint16_t write(const NativeInsn& insn, size_t i) const {
    if (i < insn.writes.size()) return insn.writes[i];
    const size_t more_waits = wait_count(insn) - insn.waits.size();
    return slots[detail(insn).more_slots + more_waits + i - insn.writes.size()];
  }
};

}  // namespace warptime::sim
