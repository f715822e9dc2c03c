#include "sim/native/known_alignment.h"

#include <algorithm>
#include <bit>

#include "ptx/analysis/register_uses.h"
#include "ptx/isa/cards.h"

namespace warptime::sim {

using ptx::Operand;

namespace {

uint8_t zeros_of(uint64_t value) { return static_cast<uint8_t>(std::min<int>(std::countr_zero(value), kMostZeros)); }

class KnownZeros {
 public:
  KnownZeros(const ptx::Module& module, const ptx::Kernel& kernel)
      : module_(module), kernel_(kernel), known_(kernel.registers.size(), kMostZeros) {}

  /// From above: each pass takes what some definition does not have, until nothing changes.
  std::vector<uint8_t> run() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const ptx::Instruction& in : kernel_.instructions)
        ptx::for_each_register(kernel_, in, [&](uint32_t reg, bool written) {
          if (!written) return;
          const uint8_t result = std::min(known_[reg], result_of(in));
          changed |= result != known_[reg];
          known_[reg] = result;
        });
    }
    return std::move(known_);
  }

 private:
  uint8_t result_of(const ptx::Instruction& in) const {
    const auto operands = kernel_.operands_of(in);
    if (operands.size() < 2 || operands[0].kind != Operand::Kind::Register) return 0;
    const uint8_t a = zeros(operands[1]);
    if (ptx::is<ptx::Mov, ptx::Cvta>(in)) return a;
    const bool is_integer =
        ptx::info(in.type).kind != ptx::TypeKind::Float && ptx::info(in.type).kind != ptx::TypeKind::Packed;
    if (!is_integer) return 0;
    if (ptx::is<ptx::Cvt>(in)) return ptx::info(in.type2).kind == ptx::TypeKind::Float ? uint8_t{0} : a;
    if (operands.size() < 3) return 0;
    const uint8_t b = zeros(operands[2]);
    if (ptx::is<ptx::Shl>(in)) {
      if (operands[2].kind != Operand::Kind::Immediate) return a;
      return static_cast<uint8_t>(std::min<uint64_t>(a + std::min<uint64_t>(operands[2].bits, kMostZeros), kMostZeros));
    }
    if (ptx::is<ptx::Mul>(in)) return in.mods.has(ptx::Mod::Hi) ? uint8_t{0} : both(a, b);
    if (ptx::is<ptx::Mad>(in)) return in.mods.has(ptx::Mod::Hi) ? uint8_t{0} : std::min(both(a, b), zeros(operands[3]));
    if (ptx::is<ptx::And>(in)) return std::max(a, b);
    if (ptx::is<ptx::Add, ptx::Sub, ptx::Or, ptx::Xor, ptx::Min, ptx::Max, ptx::Selp>(in)) return std::min(a, b);
    return 0;
  }
  static uint8_t both(uint8_t a, uint8_t b) { return static_cast<uint8_t>(std::min<int>(a + b, kMostZeros)); }

  uint8_t zeros(const Operand& operand) const {
    if (operand.kind == Operand::Kind::Register) return known_[operand.index];
    if (operand.kind == Operand::Kind::Immediate) return zeros_of(operand.bits);
    if (operand.kind != Operand::Kind::SymbolAddress) return 0;
    return zeros_of(symbol_of(module_, kernel_, operand).offset + operand.bits);
  }

  const ptx::Module& module_;
  const ptx::Kernel& kernel_;
  std::vector<uint8_t> known_;
};

}  // namespace

std::vector<uint8_t> find_known_zeros(const ptx::Module& module, const ptx::Kernel& kernel) {
  return KnownZeros(module, kernel).run();
}

const ptx::Symbol& symbol_of(const ptx::Module& module, const ptx::Kernel& kernel, const Operand& operand) {
  return operand.scope == Operand::Scope::Module ? module.symbols[operand.index] : kernel.symbols[operand.index];
}

}  // namespace warptime::sim
