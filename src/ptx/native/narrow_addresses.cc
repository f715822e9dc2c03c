#include "ptx/native/narrow_addresses.h"

#include "ptx/analysis/register_uses.h"
#include "ptx/isa/cards.h"

namespace warptime::ptx {

namespace {

/// What a use of a 64-bit register needs of it.
enum class Demand { Low, AsResult, All };

/// The low half of the result depends on the low halves of the sources alone.
bool keeps_low_half(const Instruction& instruction) {
  if (is<Add, Sub, Mov, Cvta, And, Or, Xor, Not, Neg, Selp, Shl>(instruction)) return true;
  bool product = is<Mul, Mad>(instruction);
  return product && (instruction.mods.has(Mod::Lo) || instruction.mods.has(Mod::Wide));
}

Demand demand(const Kernel& kernel, Use use) {
  const Instruction& instruction = kernel.instructions[use.instruction];
  const Operand& operand = kernel.operands_of(instruction)[use.position];
  if (operand.kind == Operand::Kind::Memory) return Demand::Low;
  if (operand.kind != Operand::Kind::Register) return Demand::All;
  if (keeps_low_half(instruction)) return Demand::AsResult;
  if (is<St>(instruction) && bits(instruction.type) <= 32) return Demand::Low;
  if (is<Cvt>(instruction) && !instruction.mods.has(Mod::Sat) && info(instruction.type).kind != TypeKind::Float)
    return bits(instruction.type) <= 32 ? Demand::Low : Demand::AsResult;
  return Demand::All;
}

}  // namespace

std::vector<bool> find_narrow(const Kernel& kernel, const RegisterFacts& facts) {
  // All that can be, until a use says otherwise; then whatever it was computed from.
  std::vector<bool> narrow(kernel.registers.size());
  std::vector<std::vector<uint32_t>> needed_for(kernel.registers.size());  // by result: sources that are as wide
  std::vector<uint32_t> work;
  for (uint32_t reg = 0; reg < kernel.registers.size(); ++reg) {
    if (!is_long(kernel.registers[reg].type)) continue;
    narrow[reg] = true;
    for (const Use& use : facts.uses(reg)) {
      Demand demanded = demand(kernel, use);
      uint32_t result = result_of(kernel, kernel.instructions[use.instruction]);
      if (demanded == Demand::AsResult && result != kNoIndex) {
        if (is_long(kernel.registers[result].type)) needed_for[result].push_back(reg);
      } else if (demanded != Demand::Low && narrow[reg]) {
        narrow[reg] = false;
        work.push_back(reg);
      }
    }
  }
  // The uses of values passed to a call or returned by a function are unknown here.
  auto keep = [&](const std::vector<Parameter>& parameters) {
    for (const Parameter& parameter : parameters) {
      if (!parameter.is_register || !narrow[parameter.index]) continue;
      narrow[parameter.index] = false;
      work.push_back(parameter.index);
    }
  };
  keep(kernel.results);
  keep(kernel.arguments);
  while (!work.empty()) {
    uint32_t reg = work.back();
    work.pop_back();
    for (uint32_t source : needed_for[reg]) {
      if (!narrow[source]) continue;
      narrow[source] = false;
      work.push_back(source);
    }
  }
  return narrow;
}

}  // namespace warptime::ptx
