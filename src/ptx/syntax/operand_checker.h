// Operands as written -> operands resolved and checked against the rules of the instruction's form (PTX ISA 9.0, 6.4
// and 9.4: types must agree; ld, st and cvt take registers wider than the type).
#pragma once

#include <unordered_set>

#include "ptx/syntax/labels.h"
#include "ptx/syntax/raw_operand.h"

namespace warptime::ptx {

/// What a function declares for a value that a call passes.
struct PassedAs {
  std::string function;
  Type type = Type::None;
  uint64_t size = 0;  // bytes; not of a variadic argument
  uint32_t alignment = 1;
  bool variadic = false;
};

class OperandChecker {
 public:
  OperandChecker(FrontEnd& fe, Kernel& kernel, Labels& labels) : fe_(fe), kernel_(kernel), labels_(labels) {}

  /// Appends the instruction's operands to the kernel's; false after a diagnostic (the kernel's are as before).
  bool check(const Spelling& spelling, std::string_view spelled, SourceSpan where, const RawOperands& raw,
             Instruction& instruction);

  /// A value of a call: an argument, or where a result goes.
  bool passed(const PassedAs& as, bool destination, const RawOperand& raw, Operand& out);

  /// Components that a name without .x stands for: those of a vector register, else 1.
  uint32_t width_of_whole(const RawOperand& raw);

  /// The predicate of a guard (@p); kNoIndex after a diagnostic.
  uint32_t guard(NameId name, SourceSpan where);

  /// The register that a call goes through.
  bool call_address(const RawOperand& raw, Operand& out);

 private:
  bool check_count(const Spelling& spelling, std::string_view spelled, SourceSpan where, const RawOperands& raw);
  bool operand(const OperandRule& rule, const RawOperand& raw, const RawOperands& all, Operand& out);
  bool scalar(const OperandRule& rule, Type type, const RawOperand& raw, Operand& out);
  bool within(OperandRule::Limit limit, const RawOperand& raw, uint64_t value);
  bool within_map(OperandRule::Limit limit, const RawOperand& raw, uint64_t value);
  bool named(const OperandRule& rule, Type type, const RawOperand& raw, Operand& out);
  bool reg(const OperandRule& rule, Type type, const RawOperand& raw, const Binding& binding, Operand& out);
  bool special(const OperandRule& rule, Type type, const RawOperand& raw, const Binding& binding, Operand& out);
  bool zero(const OperandRule& rule, Type type, const RawOperand& raw, const Binding& binding, Operand& out);
  bool function_address(const OperandRule& rule, Type type, const RawOperand& raw, const Binding& binding,
                        Operand& out);
  bool symbol_address(const OperandRule& rule, Type type, const RawOperand& raw, const Binding& binding, Operand& out);
  bool selector(const OperandRule& rule, const RawOperand& raw, Operand& out);
  bool check_signs(const OperandRules& rules, const RawOperands& raw);
  bool vector(const OperandRule& rule, Type type, const RawOperand& raw, const RawOperands& all, Operand& out);
  uint32_t width_with_specials(const RawOperand& raw);
  bool check_elements(const OperandRule& rule, const RawOperand& raw, std::span<const Operand> elements);
  bool is_accumulator(const RawOperand& raw, Operand& element);
  bool check_pack(std::span<const Operand> operands, SourceSpan where);
  bool memory(Type type, Space space, const RawOperand& raw, Operand& out);
  bool memory_symbol(Type type, Space space, const RawOperand& raw, const Binding& binding, Operand& out);
  bool within_copy(std::span<const Operand> operands, std::span<const SourceSpan> places);
  bool passed_variable(const PassedAs& as, const RawOperand& raw, const Binding& binding, Operand& out);
  bool within_parameter(Type type, const RawOperand& raw, const Symbol& symbol, Effect effect, const Operand& out);
  /// Whether the address of a parameter of this function was taken before.
  bool has_addressed_argument() const;
  bool target(const RawOperand& raw, Operand::Kind kind, Operand& out);

  /// The registers behind a binding, made on first use.
  uint32_t first_register(Binding& binding, NameId name);
  /// The symbol behind a binding; a module-scope .shared or .local variable gets its place in this kernel on first use.
  const Symbol& symbol_of(Binding& binding, Operand& out);
  bool undeclared(NameId name, SourceSpan where);
  std::string spelled_of(const RawOperand& raw) const;

  FrontEnd& fe_;
  Kernel& kernel_;
  Labels& labels_;
  const Spelling* spelling_ = nullptr;
  std::string_view spelled_;
  bool wider_registers_ = false;         // ld, st, cvt
  Space space_ = Space::None;            // of the current instruction, or of the variable that its address names
  std::vector<Operand> elements_;        // of a brace list
  std::unordered_set<NameId> reported_;  // names that are not declared: one error each
  std::vector<uint32_t> own_symbols_;    // by module symbol: the kernel's index + 1
};

}  // namespace warptime::ptx
