// One instruction: mnemonic and suffix words, operands, ';'.
#pragma once

#include <set>
#include <span>
#include <string_view>

#include "ptx/syntax/operand_checker.h"

namespace warptime::ptx {

struct Guard {
  uint32_t predicate = kNoIndex;
  bool negated = false;
};

class InstructionParser {
 public:
  InstructionParser(FrontEnd& fe, Kernel& kernel, Labels& labels)
      : fe_(fe), kernel_(kernel), checker_(fe, kernel, labels) {}

  /// @p or @!p, if there is one. False after a diagnostic.
  bool parse_guard(Guard* out);
  /// `mnemonic`: its first word, already taken. Appends the instruction; false after a diagnostic (not skipped yet).
  bool parse(const Token& mnemonic, const Guard& guard);

 private:
  const std::vector<Spelling>* spell(const Token& mnemonic, uint32_t end, const std::vector<SuffixWord>& words);
  bool unknown(const Token& mnemonic, uint32_t end, const std::vector<SuffixWord>& words);
  /// The place of what is parsed, and who executes it.
  struct Written {
    SourceSpan where;
    std::string_view spelled;
    uint32_t line = 0;
    Guard guard;
  };
  /// The first form of a spelling that takes as many operands as there are: its forms differ in them.
  const Spelling& choose(const std::vector<Spelling>& spellings, const RawOperands& raw) const;
  bool fits_predicates(const Spelling& spelling, const RawOperands& all) const;
  bool append(const Spelling& spelling, const Written& as, const RawOperands& raw);
  // rewriting.cc: forms that the front end writes in other instructions
  bool rewrite(const Spelling& spelling, const Written& as);
  bool by_elements(const Spelling& spelling, const Written& as);
  bool by_pairs(const Spelling& spelling, const Written& as);
  bool swap_pairs(const Spelling& spelling, const Written& as);
  bool move_pairs(const Written& as);
  bool reads_explicit_cluster(NameId name) const;
  bool compare_cluster(const RawOperand& to, bool negated, const Written& as);
  bool guard_by_cluster(const Token& name, Guard* out);
  bool copy_operand(size_t number, RawOperand& operand, const Written& as);
  bool add_constants(const Spelling& spelling, const Written& as);
  bool emit(std::string_view mnemonic, std::span<const std::string_view> words, const RawOperands& raw,
            const Written& as);
  bool is_pair(const RawOperand& raw);
  bool move_half(const RawOperand& to, const RawOperand& from, const Written& as);
  // dynamic_stack.cc: claimed local memory
  bool claim(const Spelling& spelling, const Written& as);
  bool keep_stack(const Spelling& spelling, const Written& as);
  NameId made_name(std::string_view text);
  RawOperand stack_register(std::string_view text, uint8_t depth, SourceSpan where);
  RawOperand stack_variable(SourceSpan where);
  RawOperand made_register(size_t operand, Type type, const RawOperand& as);
  bool check_version(const Spelling& spelling, std::string_view spelled, SourceSpan where);
  bool check_columns(const Spelling& spelling, SourceSpan where);

  FrontEnd& fe_;
  Kernel& kernel_;
  OperandChecker checker_;
  RawOperands raw_;
  std::vector<SuffixWord> words_;
  std::string spelled_;
  std::set<std::string_view> outside_;  // families of instructions that are not there, as reported
};

}  // namespace warptime::ptx
