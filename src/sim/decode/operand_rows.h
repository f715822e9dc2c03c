// Operands of one kernel -> rows of a warp, and the pools that decode fills on the way: broadcast rows of constants,
// rows of special registers.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "sim/decode/compiled_kernel.h"

namespace warptime::sim {

class OperandRows {
 public:
  OperandRows(const ptx::Kernel& kernel, const SymbolAddresses& addresses, CompiledKernel& out);

  /// The row of a value: a register, a constant, a special register or a symbol's address. For a predicate, its number;
  /// for a constant predicate, that of one that is never written, and therefore false.
  RowRef source(const ptx::Operand& operand);
  /// Byte offset of the row to which an operand is written; for a predicate, its number. '_' has its own rows
  /// (kNoPredicate for a predicate).
  uint32_t destination(const ptx::Operand& operand);
  /// The predicate that is the carry flag, CC.CF.
  /// Rows for addresses that an instruction computes when it is executed.
  uint32_t address_row();
  /// Rows for addresses, and behind them a row of 32 bits for each of four channels (sust.p).
  uint32_t texel_rows();
  uint16_t carry();
  /// A constant in every lane, `bytes` wide.
  RowRef constant(uint64_t value, uint32_t bytes);
  /// The address of a symbol, plus `offset`, in lanes `bytes` wide.
  RowRef address(ptx::Operand::Scope scope, uint32_t index, uint64_t offset, uint32_t bytes);

  /// A kernel parameter in every lane.
  RowRef parameter(uint32_t offset, uint32_t bytes);
  /// From here on, reads of the register read these rows instead.
  void set_known(uint32_t reg, RowRef row) {
    known_[reg] = row;
    out_.known.push_back({reg, row});
  }

  /// The type of the register behind an operand; the operand's own for everything else.
  ptx::Type stored_type(const ptx::Operand& operand) const;
  /// Registers that an operand reads or writes, as scoreboard slots: calls f(slot). Predicates come after all rows, so
  /// their number is only known at the end: they are passed with kPredicate set.
  template <class F>
  void for_each_slot(const ptx::Operand& operand, const F& f) const {
    using Kind = ptx::Operand::Kind;
    if (operand.kind == Kind::Vector) {
      for (uint32_t i = 0; i < operand.count; ++i) for_each_slot(kernel_.operands[operand.index + i], f);
      return;
    }
    bool memory = operand.kind == Kind::Memory && operand.base == ptx::Operand::Base::Register;
    if (operand.kind != Kind::Register && !memory) return;
    uint16_t row = kernel_.rows.row_of[operand.index];
    ptx::Type type = kernel_.registers[operand.index].type;
    if (type == ptx::Type::Pred) {
      f(row | kPredicate);
      return;
    }
    f(row);
    if (ptx::bytes(type) == 8) f(row + 1u);
  }
  static constexpr uint32_t kPredicate = 0x10000;

 private:
  uint32_t register_row(uint32_t reg) const;
  RowRef special(ptx::Special special, ptx::Type type);
  RowRef launch_row(uint32_t bytes);
  /// Byte offset of one or two new rows after `rows`, whose number it increases.
  static uint32_t new_rows(uint32_t& rows, uint32_t bytes);

  const ptx::Kernel& kernel_;
  const SymbolAddresses& addresses_;
  CompiledKernel& out_;
  std::map<std::pair<uint64_t, uint32_t>, RowRef> constants_;
  std::map<uint32_t, RowRef> known_;  // by register
  std::optional<uint32_t> dropped_, false_predicate_, carry_;
  std::optional<uint32_t> addresses_row_, texel_rows_;  // of surfaces
};

}  // namespace warptime::sim
