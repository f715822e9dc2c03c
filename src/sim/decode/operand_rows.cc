#include "sim/decode/operand_rows.h"

#include <cstring>

#include "base/assert.h"

namespace warptime::sim {

using ptx::Operand, ptx::Type;

OperandRows::OperandRows(const ptx::Kernel& kernel, const SymbolAddresses& addresses, CompiledKernel& out)
    : kernel_(kernel), addresses_(addresses), out_(out) {}

RowRef OperandRows::source(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::Register: {
      auto known = known_.find(operand.index);
      return known != known_.end() ? known->second : RowRef{register_row(operand.index)};
    }
    case Operand::Kind::Immediate:
      if (operand.type == Type::Pred) {
        if (!false_predicate_) false_predicate_ = out_.predicates++;
        return {*false_predicate_};
      }
      return constant(operand.bits, ptx::bytes(operand.type));
    case Operand::Kind::Special: return special(static_cast<ptx::Special>(operand.index), operand.type);
    case Operand::Kind::SymbolAddress:
      return address(operand.scope, operand.index, operand.bits, ptx::bytes(operand.type));
    case Operand::Kind::FunctionAddress:
      return constant(ptx::function_address(operand.index), ptx::bytes(operand.type));
    case Operand::Kind::None:
    case Operand::Kind::Memory:
    case Operand::Kind::Vector:
    case Operand::Kind::Label:
    case Operand::Kind::Table:
    case Operand::Kind::Function:
    case Operand::Kind::Parameter:
    case Operand::Kind::Sink: break;
  }
  SIM_ASSERT(false, "operand of kind {} has no row", static_cast<int>(operand.kind));
  return {};
}

uint32_t OperandRows::register_row(uint32_t reg) const {
  uint32_t row = kernel_.rows.row_of[reg];
  return kernel_.registers[reg].type == Type::Pred ? row : row * kRowBytes;
}

uint32_t OperandRows::destination(const Operand& operand) {
  if (operand.kind == Operand::Kind::None) return kNoPredicate;  // the q of setp p|q
  if (operand.kind == Operand::Kind::Sink) {
    if (operand.type == Type::Pred) return kNoPredicate;
    if (!dropped_) dropped_ = new_rows(out_.rows, 8);
    return *dropped_;
  }
  SIM_ASSERT(operand.kind == Operand::Kind::Register, "destination of kind {}", static_cast<int>(operand.kind));
  return register_row(operand.index);
}

uint32_t OperandRows::address_row() {
  if (!addresses_row_) addresses_row_ = new_rows(out_.rows, 8);
  return *addresses_row_;
}

uint32_t OperandRows::texel_rows() {
  if (texel_rows_) return *texel_rows_;
  texel_rows_ = new_rows(out_.rows, 8);
  for (int channel = 0; channel < 4; ++channel) new_rows(out_.rows, 4);
  return *texel_rows_;
}

uint16_t OperandRows::carry() {
  if (!carry_) carry_ = out_.predicates++;
  return static_cast<uint16_t>(*carry_);
}

RowRef OperandRows::constant(uint64_t value, uint32_t bytes) {
  if (bytes < 8) value &= (uint64_t{1} << (8 * bytes)) - 1;
  auto [at, is_new] = constants_.try_emplace({value, bytes});
  if (is_new) {
    at->second = launch_row(bytes);
    std::byte* row = out_.launch_rows[at->second.offset() / kRowBytes].bytes.data();  // rows are consecutive
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) std::memcpy(row + lane * bytes, &value, bytes);
  }
  return at->second;
}

RowRef OperandRows::parameter(uint32_t offset, uint32_t bytes) {
  for (const KernelParameterRow& parameter : out_.parameters)
    if (parameter.offset == offset && parameter.bytes == bytes) return parameter.row;
  out_.parameters.push_back({offset, bytes, launch_row(bytes)});
  return out_.parameters.back().row;
}

RowRef OperandRows::launch_row(uint32_t bytes) {
  auto rows = static_cast<uint32_t>(out_.launch_rows.size());
  uint32_t offset = new_rows(rows, bytes);
  out_.launch_rows.resize(rows);
  return RowRef::to(RowArea::Launch, offset);
}

RowRef OperandRows::address(Operand::Scope scope, uint32_t index, uint64_t offset, uint32_t bytes) {
  if (scope == Operand::Scope::Module) return constant(addresses_[index] + offset, bytes);
  uint64_t value = kernel_.symbols[index].offset + offset;
  if (!kernel_.symbols[index].by_activation) return constant(value, bytes);
  for (const AddressRow& row : out_.addresses)
    if (row.symbol == index && row.address == value && row.bytes == bytes) return {row.offset};
  out_.addresses.push_back({new_rows(out_.rows, bytes), bytes, index, value});
  return {out_.addresses.back().offset};
}

Type OperandRows::stored_type(const Operand& operand) const {
  return operand.kind == Operand::Kind::Register ? kernel_.registers[operand.index].type : operand.type;
}

RowRef OperandRows::special(ptx::Special special, Type type) {
  for (const SpecialRow& special_row : out_.specials)
    if (special_row.special == special && ptx::bytes(special_row.type) == ptx::bytes(type)) return special_row.row;
  RowArea area = area_of(special);
  uint32_t& rows = area == RowArea::Threads ? out_.thread_rows : area == RowArea::Block ? out_.block_rows : out_.rows;
  uint32_t bytes = ptx::bytes(type);
  RowRef row = area == RowArea::Launch ? launch_row(bytes) : RowRef::to(area, new_rows(rows, bytes));
  out_.specials.push_back({special, type, row});
  return row;
}

uint32_t OperandRows::new_rows(uint32_t& rows, uint32_t bytes) {
  uint32_t first = rows;
  rows += bytes == 8 ? 2 : 1;
  return first * kRowBytes;
}

}  // namespace warptime::sim
