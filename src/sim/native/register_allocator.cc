#include "sim/native/register_allocator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ptx/analysis/liveness.h"
#include "ptx/analysis/register_uses.h"
#include "ptx/isa/cards.h"

namespace warptime::sim {

using ptx::Effect, ptx::Instruction, ptx::Kernel, ptx::LiveInterval, ptx::Mod, ptx::Operand, ptx::Space, ptx::Type;

namespace {

constexpr uint16_t kNone = AllocatedRegisters::kNone;

/// What an instruction does to a register.
struct Touch {
  bool reads = false, writes = false;
};

Touch touch_of(const Kernel& kernel, const Instruction& in, uint32_t reg) {
  Touch out;
  ptx::for_each_register(kernel, in, [&](uint32_t of, bool written) {
    if (of == reg) (written ? out.writes : out.reads) = true;
  });
  out.reads |= out.writes && in.guard != ptx::kNoIndex;  // some lanes keep the old value
  return out;
}

bool has_same_value_anywhere(const Operand& operand) {
  if (operand.kind == Operand::Kind::Memory) return operand.base == Operand::Base::Symbol;
  if (operand.kind != Operand::Kind::Special)
    return operand.kind == Operand::Kind::Immediate || operand.kind == Operand::Kind::SymbolAddress;
  const auto special = static_cast<ptx::Special>(operand.index);
  return !is_clock(special) && special != ptx::Special::SmId && special != ptx::Special::WarpId;
}

/// Whether it gives the same value wherever it stands: a load of a parameter or a constant, or a move of a number.
bool can_be_repeated(const Kernel& kernel, const Instruction& in) {
  const bool is_load = ptx::is<ptx::Ld>(in) && (in.space == Space::Param || in.space == Space::Const) &&
                       in.vector == 1 && !in.mods.has(Mod::Volatile);
  if (in.guard != ptx::kNoIndex || !(is_load || ptx::is<ptx::Mov>(in))) return false;
  const auto operands = kernel.operands_of(in);
  return operands.size() == 2 && operands[0].kind == Operand::Kind::Register && has_same_value_anywhere(operands[1]);
}

Type type_of_slot(uint32_t bytes) {
  return bytes == 8 ? Type::B64 : bytes == 4 ? Type::B32 : bytes == 2 ? Type::B16 : Type::B8;
}

/// One pass of the scan over intervals as they are.
class Scan {
 public:
  Scan(uint32_t limit, uint32_t own_registers, const Kernel& kernel, const std::vector<LiveInterval>& intervals)
      : limit_(limit), own_registers_(own_registers), kernel_(kernel), intervals_(intervals) {}

  /// Fills `out`; returns the registers to spill, without which it would be complete.
  std::vector<uint32_t> run(AllocatedRegisters& out) {
    out.first.assign(kernel_.registers.size(), kNone);
    out.registers = 0;
    std::vector<uint32_t> order;
    for (uint32_t reg = 0; reg < kernel_.registers.size(); ++reg)
      if (width_of(reg) != 0 && intervals_[reg].begin != ptx::kNoIndex) order.push_back(reg);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return intervals_[a].begin < intervals_[b].begin; });
    std::vector<uint32_t> spilled;
    for (uint32_t reg : order) {
      free_before(reg, out);
      while (true) {
        if (auto place = find_place(width_of(reg), limit_); place != kNone) {
          take(reg, place, out);
          break;
        }
        const uint32_t victim = latest_to_end(reg);
        if (victim == ptx::kNoIndex) {
          take(reg, find_place(width_of(reg), kNone), out);
          break;
        }
        spilled.push_back(victim);
        if (victim == reg) break;
        give_back(victim, out);
      }
    }
    return spilled;
  }

 private:
  uint32_t width_of(uint32_t reg) const { return ptx::register_weight(kernel_.registers[reg].type); }

  /// Those that ended. A result may take the place of what its instruction reads last.
  void free_before(uint32_t reg, AllocatedRegisters& out) {
    const uint32_t begin = intervals_[reg].begin;
    const Touch first = touch_of(kernel_, kernel_.instructions[begin], reg);
    const bool is_result = first.writes && !first.reads;
    std::erase_if(active_, [&](uint32_t other) {
      const uint32_t end = intervals_[other].end;
      const bool ended = end < begin || (end == begin && is_result && is_only_read(end, other));
      if (ended) set(other, out, false);
      return ended;
    });
  }
  bool is_only_read(uint32_t at, uint32_t reg) const {
    const Touch touch = touch_of(kernel_, kernel_.instructions[at], reg);
    return touch.reads && !touch.writes;
  }

  /// Registers of 64 bits begin with an even one, of 128 with a multiple of four.
  uint16_t find_place(uint32_t width, uint32_t limit) const {
    for (uint32_t first = 0; first + width <= limit; first += width) {
      bool is_free = true;
      for (uint32_t i = first; i < first + width; ++i) is_free &= i >= taken_.size() || !taken_[i];
      if (is_free) return static_cast<uint16_t>(first);
    }
    return kNone;
  }

  /// The register to spill: `reg` or one that has a place; kNoIndex: none can be.
  uint32_t latest_to_end(uint32_t reg) const {
    uint32_t best = can_spill(reg) ? reg : ptx::kNoIndex;
    for (uint32_t other : active_)
      if (can_spill(other) && (best == ptx::kNoIndex || intervals_[other].end > intervals_[best].end)) best = other;
    return best;
  }
  /// Not what spills brought, nor what has its value before the first instruction.
  bool can_spill(uint32_t reg) const {
    if (reg >= own_registers_ || width_of(reg) > 2 || kernel_.registers[reg].module_register != 0) return false;
    if (intervals_[reg].begin != 0) return true;
    const Touch first = touch_of(kernel_, kernel_.instructions[0], reg);
    return first.writes && !first.reads;
  }

  void take(uint32_t reg, uint16_t place, AllocatedRegisters& out) {
    out.first[reg] = place;
    out.registers = std::max(out.registers, place + width_of(reg));
    active_.push_back(reg);
    set(reg, out, true);
  }
  void give_back(uint32_t reg, AllocatedRegisters& out) {
    set(reg, out, false);
    out.first[reg] = kNone;
    std::erase(active_, reg);
  }
  void set(uint32_t reg, const AllocatedRegisters& out, bool taken) {
    const size_t end = size_t{out.first[reg]} + width_of(reg);
    if (taken_.size() < end) taken_.resize(end);
    std::fill(taken_.begin() + out.first[reg], taken_.begin() + static_cast<std::ptrdiff_t>(end), taken);
  }

  uint32_t limit_, own_registers_;
  const Kernel& kernel_;
  const std::vector<LiveInterval>& intervals_;
  std::vector<uint32_t> active_;  // registers that have a place now
  std::vector<bool> taken_;       // by physical register
};

/// Rewrites a kernel so that some registers are in memory.
class SpillCode {
 public:
  SpillCode(Kernel& kernel, std::vector<uint32_t>& source_of, uint32_t slots)
      : kernel_(kernel), source_of_(source_of), slots_(slots), homes_(kernel.registers.size()) {}

  /// Returns the bytes of local memory that these have in all.
  uint32_t run(const std::vector<uint32_t>& spilled, uint32_t bytes) {
    for (uint32_t reg : spilled) {
      Home& home = homes_[reg];
      home.is_spilled = true;
      home.bytes = std::max(1u, ptx::bytes(kernel_.registers[reg].type));
      bytes = (bytes + home.bytes - 1) / home.bytes * home.bytes;
      home.slot = bytes;
      bytes += home.bytes;
    }
    find_repeatable(spilled);
    rewrite();
    return bytes;
  }

 private:
  /// Where a spilled register's value is.
  struct Home {
    bool is_spilled = false;
    uint32_t slot = 0, bytes = 0;
    uint32_t writes = 0, definition = 0;  // the last of its writes
    bool is_repeated = false;             // by its only definition, wherever it is read
  };

  void find_repeatable(const std::vector<uint32_t>& spilled) {
    for (uint32_t i = 0; i < kernel_.instructions.size(); ++i)
      ptx::for_each_register(kernel_, kernel_.instructions[i], [&](uint32_t reg, bool written) {
        if (!written) return;
        ++homes_[reg].writes;
        homes_[reg].definition = i;
      });
    for (uint32_t reg : spilled) {
      Home& home = homes_[reg];
      home.is_repeated = home.writes == 1 && can_be_repeated(kernel_, kernel_.instructions[home.definition]);
    }
  }

  void rewrite() {
    const std::vector<Instruction> before = std::exchange(kernel_.instructions, {});
    const std::vector<uint32_t> source_before = std::exchange(source_of_, {});
    std::vector<uint32_t> position;  // by instruction before: where what belongs to it begins
    for (uint32_t i = 0; i < before.size(); ++i) {
      position.push_back(static_cast<uint32_t>(kernel_.instructions.size()));
      add_with_spills(before, i);
      source_of_.resize(kernel_.instructions.size(), source_before[i]);
    }
    position.push_back(static_cast<uint32_t>(kernel_.instructions.size()));
    for (Instruction& in : kernel_.instructions)
      if (in.reconvergence != ptx::kNoIndex) in.reconvergence = position[in.reconvergence];
    for (Operand& operand : kernel_.operands)
      if (operand.kind == Operand::Kind::Label) operand.index = position[operand.index];
    for (ptx::BasicBlock& block : kernel_.blocks) {
      block.begin = position[block.begin];
      block.end = position[block.end];
    }
    kernel_.own_instructions = position.back();
  }

  void add_with_spills(const std::vector<Instruction>& before, uint32_t i) {
    const Instruction& in = before[i];
    std::vector<uint32_t> touched;
    ptx::for_each_register(kernel_, in, [&](uint32_t reg, bool) {
      if (homes_[reg].is_spilled && std::find(touched.begin(), touched.end(), reg) == touched.end())
        touched.push_back(reg);
    });
    if (touched.empty()) return kernel_.instructions.push_back(in);
    std::vector<std::pair<uint32_t, uint32_t>> renamed;
    std::vector<std::pair<uint32_t, Home>> stored;  // register that is written, its place in memory
    for (uint32_t reg : touched) {
      const Home home = homes_[reg];
      const Touch touch = touch_of(kernel_, in, reg);
      const uint32_t temporary = add_temporary(reg);
      renamed.emplace_back(reg, temporary);
      if (touch.reads && home.is_repeated) repeat(before[home.definition], temporary, in);
      else if (touch.reads) add_access(in, temporary, home, false);
      if (touch.writes && !home.is_repeated) stored.emplace_back(temporary, home);
    }
    Instruction copy = in;
    copy.first_operand = copy_operands(in.first_operand, in.operand_count, renamed);
    kernel_.instructions.push_back(copy);
    for (const auto& [temporary, home] : stored) add_access(in, temporary, home, true);
  }

  uint32_t add_temporary(uint32_t reg) {
    const auto number = static_cast<uint32_t>(kernel_.registers.size());
    kernel_.registers.push_back({kernel_.registers[reg].name, kernel_.registers[reg].type});
    homes_.emplace_back();
    return number;
  }

  uint32_t copy_operands(uint32_t first, uint32_t count, const std::vector<std::pair<uint32_t, uint32_t>>& renamed) {
    std::vector<Operand> copies(kernel_.operands.begin() + first, kernel_.operands.begin() + first + count);
    for (Operand& operand : copies) {
      const bool is_register = operand.kind == Operand::Kind::Register ||
                               (operand.kind == Operand::Kind::Memory && operand.base == Operand::Base::Register);
      if (operand.kind == Operand::Kind::Vector) operand.index = copy_operands(operand.index, operand.count, renamed);
      if (!is_register) continue;
      for (const auto& [from, to] : renamed)
        if (operand.index == from) {
          operand.index = to;
          break;
        }
    }
    const auto at = static_cast<uint32_t>(kernel_.operands.size());
    kernel_.operands.insert(kernel_.operands.end(), copies.begin(), copies.end());
    return at;
  }

  /// `place`: the instruction whose line and location it has.
  void add(Instruction in, const Instruction& place, const std::vector<Operand>& operands) {
    in.where = place.where;
    in.line = place.line;
    in.location = place.location;
    in.source_file = place.source_file;
    in.source_line = place.source_line;
    in.first_operand = static_cast<uint32_t>(kernel_.operands.size());
    in.operand_count = static_cast<uint16_t>(operands.size());
    kernel_.operands.insert(kernel_.operands.end(), operands.begin(), operands.end());
    kernel_.instructions.push_back(in);
  }

  void repeat(const Instruction& definition, uint32_t temporary, const Instruction& place) {
    const auto operands = kernel_.operands_of(definition);
    std::vector<Operand> copies(operands.begin(), operands.end());
    copies[0].index = temporary;
    add(definition, place, copies);
  }

  void add_access(const Instruction& place, uint32_t temporary, const Home& home, bool is_store) {
    Operand value;
    value.kind = Operand::Kind::Register;
    value.type = type_of_slot(home.bytes);
    value.index = temporary;
    value.destination = !is_store;
    Operand address;
    address.kind = Operand::Kind::Memory;
    address.base = Operand::Base::Symbol;
    address.scope = Operand::Scope::Kernel;
    address.type = value.type;
    address.index = slots_;
    address.bits = home.slot;
    Instruction in;
    in.card = &ptx::cards()[is_store ? ptx::kCardId<ptx::St> : ptx::kCardId<ptx::Ld>];
    in.form = in.card->forms.data();
    in.mods = ptx::ModSet::of(Mod::Local);
    in.type = value.type;
    in.space = Space::Local;
    add(in, place, is_store ? std::vector{address, value} : std::vector{value, address});
  }

  Kernel& kernel_;
  std::vector<uint32_t>& source_of_;
  uint32_t slots_;           // the symbol whose memory they have
  std::vector<Home> homes_;  // by register
};

}  // namespace

AllocatedRegisters allocate_registers(uint32_t limit, Kernel& kernel, std::vector<uint32_t>& source_of) {
  AllocatedRegisters out;
  const auto own_registers = static_cast<uint32_t>(kernel.registers.size());
  const auto slots = static_cast<uint32_t>(kernel.symbols.size());
  while (true) {
    const std::vector<LiveInterval> intervals = ptx::find_liveness(kernel).intervals;
    const std::vector<uint32_t> spilled = Scan(limit, own_registers, kernel, intervals).run(out);
    if (spilled.empty()) return out;
    if (out.spilled == 0) {
      ptx::Symbol& symbol = kernel.symbols.emplace_back();
      symbol.name = "%spilled";
      symbol.space = Space::Local;
      symbol.type = Type::B8;
      symbol.alignment = 8;
      symbol.where = kernel.where;
    }
    out.spilled += static_cast<uint32_t>(spilled.size());
    out.spill_bytes = SpillCode(kernel, source_of, slots).run(spilled, out.spill_bytes);
    kernel.symbols[slots].size = out.spill_bytes;
  }
}

}  // namespace warptime::sim
