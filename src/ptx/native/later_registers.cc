#include "ptx/native/later_registers.h"

#include "ptx/native/native_registers.h"

namespace warptime::ptx {

namespace {

// What the compiler uses beyond the most live values. Assumed; docs/native-cost.md compares the estimate with an
// assembler's.
constexpr uint32_t kBeyondLive = 1;

class LaterRegisters {
 public:
  explicit LaterRegisters(const Kernel& kernel)
      : kernel_(kernel),
        facts_(kernel),
        wide_(kernel.registers.size(), false),
        origins_(kernel, facts_, wide_, OperandWidth::Any) {}

  uint32_t registers() const {
    size_t registers = kernel_.registers.size();
    AddressRegisters none{std::vector<bool>(registers), std::vector<bool>(registers), std::vector<bool>(registers)};
    return live_native_registers(kernel_, {facts_, wide_, origins_, none, operands_in_constant_memory(), code()}) +
           (kernel_.is_entry ? kBeyondLive : 0);
  }

 private:
  /// The first operand of an instruction that is in constant memory; there is room for one.
  Folding operands_in_constant_memory() const {
    Folding out;
    out.reads.resize(kernel_.instructions.size());
    for (uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
      if (effect_of(kernel_.instructions[i]) != Effect::None) continue;
      auto operands = kernel_.operands_of(kernel_.instructions[i]);
      for (uint8_t o = 0; o < operands.size(); ++o) {
        if (operands[o].destination || operands[o].kind != Operand::Kind::Register) continue;
        Origin::Kind origin = origins_[operands[o].index].kind;
        if (origin != Origin::Kind::Parameter && origin != Origin::Kind::Constant) continue;
        out.reads[i].constant = {o, true};
        break;
      }
    }
    return out;
  }

  /// Each instruction is one, but for copies and for what fills a register with a value that is at hand.
  NativeCode code() const {
    NativeCode out;
    out.instructions.resize(kernel_.instructions.size());
    for (uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
      uint32_t result = result_of(kernel_, kernel_.instructions[i]);
      if (result == kNoIndex || facts_.definition(result) != i) continue;
      bool at_hand = origins_[result].kind != Origin::Kind::Register;
      if (at_hand || origins_.is_copy(kernel_.instructions[i])) out.instructions[i].sp = 0;
    }
    return out;
  }

  const Kernel& kernel_;
  RegisterFacts facts_;
  std::vector<bool> wide_;
  Origins origins_;
};

}  // namespace

uint32_t later_registers(const Kernel& kernel) { return LaterRegisters(kernel).registers(); }

}  // namespace warptime::ptx
