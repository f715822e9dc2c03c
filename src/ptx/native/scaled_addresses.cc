#include "ptx/native/scaled_addresses.h"

#include <algorithm>

#include "ptx/isa/cards.h"

namespace warptime::ptx {

namespace {

constexpr uint64_t kLeastShift = 2, kMostShift = 4;

class ScaledAddresses {
 public:
  ScaledAddresses(const Kernel& kernel, const RegisterFacts& facts, const Origins& origins)
      : kernel_(kernel), facts_(facts), origins_(origins) {}

  std::vector<bool> run() const {
    std::vector<bool> out(kernel_.instructions.size(), false);
    for (uint32_t i = 0; i < out.size(); ++i) out[i] = is_sum(i) || is_scale(i);
    return out;
  }

 private:
  const Instruction& at(uint32_t i) const { return kernel_.instructions[i]; }

  /// The register that only `i` writes, which keeps its source: kNoIndex otherwise.
  uint32_t only_result(uint32_t i) const {
    const uint32_t reg = result_of(kernel_, at(i));
    const bool is_only = reg != kNoIndex && at(i).guard == kNoIndex && facts_.definition(reg) == i;
    return is_only && !facts_.uses(reg).empty() ? reg : kNoIndex;
  }
  bool is_address(const Use& use) const {
    const Instruction& in = at(use.instruction);
    return in.space == Space::Shared && kernel_.operands_of(in)[use.position].kind == Operand::Kind::Memory;
  }
  bool is_constant(const Operand& operand) const {
    return operand.kind == Operand::Kind::Immediate ||
           (operand.kind == Operand::Kind::Register && origins_[operand.index].kind == Origin::Kind::Immediate);
  }
  bool stays(const Operand& operand) const {
    return operand.kind == Operand::Kind::Register && facts_.definition(operand.index) != kSeveral;
  }

  /// A constant and a register that stays as it is.
  bool is_sum(uint32_t i) const {
    const uint32_t reg = is<Add>(at(i)) && bits(at(i).type) == 32 ? only_result(i) : kNoIndex;
    if (reg == kNoIndex) return false;
    const auto operands = kernel_.operands_of(at(i));
    const bool is_one = (is_constant(operands[1]) && stays(operands[2]) && !is_constant(operands[2])) ||
                        (is_constant(operands[2]) && stays(operands[1]) && !is_constant(operands[1]));
    return is_one && std::all_of(facts_.uses(reg).begin(), facts_.uses(reg).end(),
                                 [&](const Use& use) { return is_address(use); });
  }
  bool is_scale(uint32_t i) const {
    const uint32_t reg = is<Shl>(at(i)) && bits(at(i).type) == 32 ? only_result(i) : kNoIndex;
    if (reg == kNoIndex) return false;
    const auto operands = kernel_.operands_of(at(i));
    const bool fits = operands[2].kind == Operand::Kind::Immediate && operands[2].bits >= kLeastShift &&
                      operands[2].bits <= kMostShift && stays(operands[1]);
    return fits && std::all_of(facts_.uses(reg).begin(), facts_.uses(reg).end(),
                               [&](const Use& use) { return is_address(use) || is_sum(use.instruction); });
  }

  const Kernel& kernel_;
  const RegisterFacts& facts_;
  const Origins& origins_;
};

}  // namespace

std::vector<bool> find_scaled_addresses(const Kernel& kernel, const RegisterFacts& facts, const Origins& origins) {
  return ScaledAddresses(kernel, facts, origins).run();
}

}  // namespace warptime::ptx
