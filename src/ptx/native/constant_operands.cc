#include "ptx/native/constant_operands.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ptx/isa/cards.h"

namespace warptime::ptx {

namespace {

class ConstantFinder {
 public:
  ConstantFinder(const Kernel& kernel, const RegisterFacts& facts, const Origins& origins)
      : kernel_(kernel), facts_(facts), origins_(origins), taken_(kernel.instructions.size(), false) {}

  ConstantOperands run() {
    std::vector<ConstantFetch> out(kernel_.instructions.size(), ConstantFetch::None);
    for (uint32_t i = 0; i < out.size(); ++i) {
      if (!fetches(at(i))) continue;
      const uint32_t reg = result_of(kernel_, at(i));
      std::vector<uint32_t> readers;
      const bool all = reg != kNoIndex && facts_.definition(reg) == i && find_readers(reg, readers);
      for (uint32_t reader : readers)
        if (all) taken_[reader] = true;
      out[i] = all ? ConstantFetch::Operand : ConstantFetch::Register;
    }
    return {std::move(out), std::move(taken_)};
  }

 private:
  const Instruction& at(uint32_t i) const { return kernel_.instructions[i]; }

  bool fetches(const Instruction& in) const {
    const auto operands = kernel_.operands_of(in);
    if (effect_of(in) == Effect::Load && in.space == Space::Param)
      return operands[0].kind != Operand::Kind::Vector && kernel_.is_entry;
    if (!is<Mov>(in) || operands[1].kind != Operand::Kind::Special) return false;
    constexpr std::array kSizes{Special::NtidX,   Special::NtidY,   Special::NtidZ,
                                Special::NctaidX, Special::NctaidY, Special::NctaidZ};
    return std::find(kSizes.begin(), kSizes.end(), static_cast<Special>(operands[1].index)) != kSizes.end();
  }

  /// Those that read the register or a copy of it; whether each has room for an operand in constant memory.
  bool find_readers(uint32_t reg, std::vector<uint32_t>& out) const {
    return std::all_of(facts_.uses(reg).begin(), facts_.uses(reg).end(), [&](const Use& use) {
      const Instruction& in = at(use.instruction);
      if (origins_.is_copy(in)) {
        const uint32_t copy = result_of(kernel_, in);
        return copy != kNoIndex && facts_.definition(copy) == use.instruction && find_readers(copy, out);
      }
      if (std::find(out.begin(), out.end(), use.instruction) != out.end()) return false;  // it reads it twice
      out.push_back(use.instruction);
      return has_room(use.instruction);
    });
  }
  bool has_room(uint32_t i) const {
    if (effect_of(at(i)) != Effect::None || taken_[i]) return false;
    if (is<Cvt, Shl, Shr, Mov>(at(i))) return false;
    const auto operands = kernel_.operands_of(at(i));
    return std::none_of(operands.begin(), operands.end(),
                        [](const Operand& operand) { return operand.kind == Operand::Kind::Immediate; });
  }

  const Kernel& kernel_;
  const RegisterFacts& facts_;
  const Origins& origins_;
  std::vector<bool> taken_;  // an operand in constant memory: there is room for one
};

}  // namespace

ConstantOperands find_constant_operands(const Kernel& kernel, const RegisterFacts& facts, const Origins& origins) {
  return ConstantFinder(kernel, facts, origins).run();
}

}  // namespace warptime::ptx
