// The live ranges of registers, by the control flow of one thread. A guarded write keeps the old value in threads with
// a false guard, so it is also a read.
#pragma once

#include <algorithm>
#include <vector>

#include "ptx/module.h"

namespace warptime::ptx {

/// The instructions from the first to the last at which a register is live, both inclusive.
struct LiveInterval {
  uint32_t begin = kNoIndex;  // kNoIndex: no instruction mentions the register
  uint32_t end = 0;
  void cover(uint32_t instruction) {
    begin = std::min(begin, instruction);
    end = std::max(end, instruction);
  }
};

struct Liveness {
  std::vector<LiveInterval> intervals;  // by register
  /// The most 32-bit registers that are live at once (a 64-bit one counts two, a predicate none).
  uint32_t most_registers = 0;
};

/// Needs kernel.blocks.
Liveness find_liveness(const Kernel& kernel);

/// The registers that each instruction reads and writes, one after the other; a write after a read of the same register
/// or before does not matter.
class RegisterAccesses {
 public:
  struct Access {
    uint32_t reg;
    bool written;
  };
  void begin_instruction() { first_.push_back(static_cast<uint32_t>(list_.size())); }
  void add(uint32_t reg, bool written) { list_.push_back({reg, written}); }
  template <class Visit>
  void for_each(uint32_t instruction, Visit&& visit) const {
    size_t end = instruction + 1 < first_.size() ? first_[instruction + 1] : list_.size();
    for (size_t i = first_[instruction]; i < end; ++i) visit(list_[i].reg, list_[i].written);
  }

 private:
  std::vector<uint32_t> first_;  // by instruction
  std::vector<Access> list_;
};

/// 32-bit registers of a type; a predicate takes none.
uint32_t register_weight(Type type);

/// A machine's own idea of which instruction needs which registers.
struct RegisterPressure {
  RegisterAccesses accesses;
  std::vector<uint32_t> weights;  // by register
  std::vector<uint32_t> extra;    // by instruction: registers that it needs only while it executes
  std::vector<bool> guarded;      // by instruction: some threads keep what was in its results
};
/// The most registers that are needed at once.
uint32_t most_registers(const Kernel& kernel, const RegisterPressure& pressure);
/// By block: the registers that a later block may read, each once.
std::vector<std::vector<uint32_t>> registers_live_behind(const Kernel& kernel, const RegisterPressure& pressure);

/// Row and predicate numbers have 16 bits; RegisterRows says kTooManyRows if that is not enough.
inline constexpr uint32_t kTooManyRows = 0xffff;

/// Rows for simulation: linear scan over the intervals.
RegisterRows assign_rows(const Kernel& kernel, std::vector<LiveInterval> intervals);

}  // namespace warptime::ptx
