#include "analysis/program/address_steps.h"

#include <cmath>

#include "analysis/program/code_loops.h"
#include "ptx/analysis/register_uses.h"
#include "ptx/isa/cards.h"

namespace warptime::analysis {

using ptx::kNoIndex, ptx::Operand;

namespace {

class StepFinder {
 public:
  StepFinder(const ptx::Kernel& kernel, const std::vector<std::vector<uint32_t>>& writers, const CodeLoop& loop)
      : kernel_(kernel), writers_(writers), loop_(loop) {}

  /// The step of a register per iteration; nullopt: not known.
  std::optional<double> of(uint32_t reg, int depth = 0) const {
    constexpr int kDeepest = 16;
    if (depth > kDeepest) return std::nullopt;
    uint32_t writer = kNoIndex;
    for (uint32_t i : writers_[reg]) {
      if (!loop_.holds(i)) continue;
      if (writer != kNoIndex) return std::nullopt;
      writer = i;
    }
    if (writer == kNoIndex) return 0;  // the same in all iterations
    return of_result(reg, kernel_.instructions[writer], depth);
  }

 private:
  std::optional<double> of_result(uint32_t reg, const ptx::Instruction& in, int depth) const {
    const auto operands = kernel_.operands_of(in);
    auto step = [&](size_t at) { return of(operands[at], depth); };
    if (ptx::is<ptx::Mov, ptx::Cvta, ptx::Cvt>(in) && operands.size() == 2) return step(1);
    if (ptx::is<ptx::Add, ptx::Sub>(in)) {
      const double sign = ptx::is<ptx::Sub>(in) ? -1 : 1;
      const bool steps_itself = operands[1].kind == Operand::Kind::Register && operands[1].index == reg;
      if (steps_itself) return in.guard == kNoIndex ? constant(operands[2], sign) : std::nullopt;
      return sum(step(1), step(2), sign);
    }
    if (ptx::is<ptx::Mul, ptx::Mul24>(in)) return product(step(1), operands[2]);
    if (ptx::is<ptx::Mad, ptx::Mad24>(in)) return sum(product(step(1), operands[2]), step(3), 1);
    if (ptx::is<ptx::Shl>(in)) {
      const std::optional<double> places = constant(operands[2], 1);
      const std::optional<double> a = step(1);
      if (a && places) return *a * std::exp2(*places);
      return a == 0.0 ? a : std::nullopt;
    }
    return std::nullopt;
  }

  std::optional<double> of(const Operand& operand, int depth) const {
    switch (operand.kind) {
      case Operand::Kind::Register: return of(operand.index, depth + 1);
      case Operand::Kind::Immediate:
      case Operand::Kind::Special:
      case Operand::Kind::SymbolAddress: return 0;
      case Operand::Kind::None:
      case Operand::Kind::Memory:
      case Operand::Kind::Vector:
      case Operand::Kind::Label:
      case Operand::Kind::Table:
      case Operand::Kind::Function:
      case Operand::Kind::FunctionAddress:
      case Operand::Kind::Parameter:
      case Operand::Kind::Sink: break;
    }
    return std::nullopt;
  }

  static std::optional<double> constant(const Operand& operand, double sign) {
    if (operand.kind != Operand::Kind::Immediate) return std::nullopt;
    const bool narrow = ptx::bits(operand.type) <= 32;
    return sign * (narrow ? static_cast<double>(static_cast<int32_t>(operand.bits))
                          : static_cast<double>(static_cast<int64_t>(operand.bits)));
  }
  static std::optional<double> sum(std::optional<double> a, std::optional<double> b, double sign) {
    if (!a || !b) return std::nullopt;
    return *a + sign * *b;
  }
  static std::optional<double> product(std::optional<double> a, const Operand& factor) {
    const std::optional<double> by = constant(factor, 1);
    if (a && by) return *a * *by;
    return a == 0.0 ? a : std::nullopt;
  }

  const ptx::Kernel& kernel_;
  const std::vector<std::vector<uint32_t>>& writers_;
  const CodeLoop& loop_;
};

uint32_t address_register(const ptx::Kernel& kernel, uint32_t i) {
  for (const Operand& operand : kernel.operands_of(kernel.instructions[i]))
    if (operand.kind == Operand::Kind::Memory && operand.base == Operand::Base::Register) return operand.index;
  return kNoIndex;
}

}  // namespace

std::vector<std::optional<AddressStep>> address_steps(const ptx::Kernel& kernel) {
  std::vector<std::optional<AddressStep>> out(kernel.instructions.size());
  std::vector<std::vector<uint32_t>> writers(kernel.registers.size());
  for (uint32_t i = 0; i < kernel.instructions.size(); ++i)
    ptx::for_each_register(kernel, kernel.instructions[i], [&](uint32_t reg, bool written) {
      if (written) writers[reg].push_back(i);
    });
  std::vector<bool> done(kernel.instructions.size(), false);
  for (const CodeLoop& loop : loops_of(kernel)) {
    const StepFinder steps(kernel, writers, loop);
    for (uint32_t i = loop.begin; i < loop.end; ++i) {
      const uint32_t reg = address_register(kernel, i);
      if (done[i] || reg == kNoIndex) continue;
      done[i] = true;
      const std::optional<double> bytes = steps.of(reg);
      if (!bytes) continue;
      uint32_t same = 0;
      for (uint32_t j = loop.begin; j < loop.end; ++j) same += address_register(kernel, j) == reg ? 1 : 0;
      out[i] = AddressStep{*bytes, same};
    }
  }
  return out;
}

}  // namespace warptime::analysis
