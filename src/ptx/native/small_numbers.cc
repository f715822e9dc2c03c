// Starts from "anything" and goes over the code a few times, so that what it says holds after every round (an abstract
// interpretation from above: Cousot and Cousot 1977); a counter that a loop steps stays "anything".
#include "ptx/native/small_numbers.h"

#include <algorithm>
#include <array>
#include <bit>

#include "ptx/analysis/register_uses.h"
#include "ptx/isa/cards.h"

namespace warptime::ptx {

namespace {

constexpr int kRounds = 3;

uint64_t limit_of(Type type) {
  uint32_t width = type == Type::None ? 64 : bits(type);
  return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}

/// 16 bits: the fields of the header in shared memory and of the packed thread index (decuda README).
uint64_t largest_special(Special special) {
  switch (special) {
    case Special::TidX:
    case Special::TidY:
    case Special::TidZ:
    case Special::NtidX:
    case Special::NtidY:
    case Special::NtidZ:
    case Special::CtaidX:
    case Special::CtaidY:
    case Special::CtaidZ:
    case Special::NctaidX:
    case Special::NctaidY:
    case Special::NctaidZ: return 0xffff;
    case Special::LaneId: return 31;
    case Special::WarpId:
    case Special::NWarpId:
    case Special::SmId:
    case Special::NSmId: return 0xffff;
    case Special::GridId:
    case Special::LanemaskEq:
    case Special::LanemaskLe:
    case Special::LanemaskLt:
    case Special::LanemaskGe:
    case Special::LanemaskGt:
    case Special::TotalSmem:
    case Special::AggrSmem:
    case Special::DynamicSmem:
    case Special::GraphExec:
    case Special::EnvReg1:
    case Special::EnvReg2:
    case Special::ClusterIdX:
    case Special::ClusterIdY:
    case Special::ClusterIdZ:
    case Special::NClusterIdX:
    case Special::NClusterIdY:
    case Special::NClusterIdZ:
    case Special::ClusterCtaidX:
    case Special::ClusterCtaidY:
    case Special::ClusterCtaidZ:
    case Special::ClusterNctaidX:
    case Special::ClusterNctaidY:
    case Special::ClusterNctaidZ:
    case Special::ClusterCtarank:
    case Special::ClusterNctarank:
    case Special::ExplicitCluster:
    case Special::Clock:
    case Special::ClockHi:
    case Special::Clock64:
    case Special::GlobalTimer:
    case Special::GlobalTimerLo:
    case Special::GlobalTimerHi:
    case Special::Count: break;
  }
  return ~uint64_t{0};
}

/// The result's, if it cannot be more than `limit` (wrapping would make it anything).
uint64_t product(uint64_t a, uint64_t b, uint64_t limit) { return a != 0 && b > limit / a ? limit : a * b; }
uint64_t sum(uint64_t a, uint64_t b, uint64_t limit) { return b > limit - std::min(a, limit) ? limit : a + b; }
uint64_t all_bits(uint64_t a) { return a == 0 ? 0 : ~uint64_t{0} >> std::countl_zero(a); }

/// `limit`: what the register can hold.
uint64_t result(const Kernel& kernel, const std::vector<uint64_t>& of, const Instruction& instruction, uint64_t limit) {
  std::array<uint64_t, 3> source;  // what is known is known of two sources, or three
  source.fill(~uint64_t{0});
  size_t sources = 0;
  for (const Operand& operand : kernel.operands_of(instruction)) {
    if (operand.destination || operand.kind == Operand::Kind::None) continue;
    if (sources < source.size()) source[sources] = largest(of, operand);
    ++sources;
  }
  auto value = [&](size_t i) { return source[i]; };
  const Operand& last = kernel.operands_of(instruction).back();
  bool by_constant = last.kind == Operand::Kind::Immediate && sources == 2;
  bool is_signed = instruction.type != Type::None && info(instruction.type).kind == TypeKind::Signed;
  uint64_t positive = limit_of(instruction.type) >> 1;
  // A product is known only if no factor may be negative, and if mul24 cuts none.
  uint64_t factor = is_signed && instruction.mods.has(Mod::Wide) ? positive : ~uint64_t{0};
  if (is<Mul24, Mad24>(instruction)) factor = 0x7fffff;
  bool product_known = !instruction.mods.has(Mod::Hi) && std::max(value(0), value(1)) <= factor;
  if (is<Mov>(instruction)) return value(0);
  bool packs = instruction.mods.has(Mod::Pack);
  if (is<Cvt>(instruction) && !packs && info(instruction.type2).kind != TypeKind::Float) {
    bool may_be_negative = info(instruction.type2).kind == TypeKind::Signed;
    uint64_t from = std::min(value(0), limit_of(instruction.type2));
    if (may_be_negative && from > limit_of(instruction.type2) >> 1) return limit;
    return from <= limit_of(instruction.type) ? from : limit;
  }
  if (is<Add>(instruction)) return sum(value(0), value(1), limit);
  if ((is<Mul, Mul24>(instruction)) && product_known) return product(value(0), value(1), limit);
  if ((is<Mad, Mad24>(instruction)) && product_known) return sum(product(value(0), value(1), limit), value(2), limit);
  if (is<And>(instruction)) return std::min(value(0), value(1));
  if (is<Or, Xor>(instruction)) return all_bits(value(0) | value(1));
  if (is<Selp, Max>(instruction))
    return is_signed && std::max(value(0), value(1)) > positive ? limit : std::max(value(0), value(1));
  if (is<Min>(instruction) && !is_signed) return std::min(value(0), value(1));
  if (is<Shl>(instruction) && by_constant)
    return value(1) < 64 ? product(value(0), uint64_t{1} << value(1), limit) : limit;
  if (is<Shr>(instruction) && by_constant && (!is_signed || value(0) <= positive))
    return value(1) < 64 ? value(0) >> value(1) : 0;
  if (is<Div>(instruction) && by_constant && value(1) != 0 && (!is_signed || std::max(value(0), value(1)) <= positive))
    return value(0) / value(1);
  if (is<Rem>(instruction) && by_constant && value(1) != 0 && (!is_signed || std::max(value(0), value(1)) <= positive))
    return value(1) - 1;
  if (is<Popc, Clz>(instruction)) return 64;
  if (is<Ld>(instruction) && !is_signed) return limit_of(instruction.type);
  return limit;
}

}  // namespace

uint64_t largest(const std::vector<uint64_t>& of, const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::Register: return of[operand.index];
    case Operand::Kind::Immediate: return operand.bits & limit_of(operand.type);
    case Operand::Kind::Special: return largest_special(static_cast<Special>(operand.index));
    case Operand::Kind::None:
    case Operand::Kind::SymbolAddress:
    case Operand::Kind::Memory:
    case Operand::Kind::Vector:
    case Operand::Kind::Label:
    case Operand::Kind::Table:
    case Operand::Kind::Function:
    case Operand::Kind::FunctionAddress:
    case Operand::Kind::Parameter:
    case Operand::Kind::Sink: break;
  }
  return ~uint64_t{0};
}

std::vector<uint64_t> find_largest(const Kernel& kernel) {
  std::vector<uint64_t> now(kernel.registers.size());
  for (size_t reg = 0; reg < now.size(); ++reg) now[reg] = limit_of(kernel.registers[reg].type);
  std::vector<uint32_t> writes(now.size(), 0);
  for (const Parameter& parameter : kernel.arguments)  // they come from elsewhere
    if (parameter.is_register) writes[parameter.index] = kSeveral;
  for (const Instruction& instruction : kernel.instructions)
    for (const Operand& operand : kernel.operands_of(instruction))
      for_each_register(kernel, operand, [&](uint32_t reg, bool written) {
        if (!written || writes[reg] == kSeveral) return;
        writes[reg] = operand.kind == Operand::Kind::Register ? writes[reg] + 1 : kSeveral;  // of a brace list: unknown
      });
  std::vector<uint64_t> most(now.size());
  bool changed = true;
  auto set = [&](size_t reg) {
    changed = changed || now[reg] != most[reg];
    now[reg] = most[reg];
  };
  for (int round = 0; changed && round < kRounds; ++round) {
    changed = false;
    most.assign(now.size(), 0);  // over all writes of a register; before the first it is 0
    for (const Instruction& instruction : kernel.instructions) {
      for (const Operand& operand : kernel.operands_of(instruction)) {
        if (operand.kind != Operand::Kind::Register || !operand.destination) continue;
        uint32_t reg = operand.index;
        most[reg] = std::max(
            most[reg], std::min(now[reg], result(kernel, now, instruction, limit_of(kernel.registers[reg].type))));
        if (writes[reg] == 1) set(reg);
      }
    }
    for (size_t reg = 0; reg < now.size(); ++reg)
      if (writes[reg] != 0 && writes[reg] != kSeveral) set(reg);
  }
  return now;
}

}  // namespace warptime::ptx
