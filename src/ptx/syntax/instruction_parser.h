// One instruction: mnemonic and suffix words, operands, ';'.
#pragma once

#include <set>
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
  bool fits_predicates(const Spelling& spelling);
  bool check_version(const Spelling& spelling, std::string_view spelled, SourceSpan where);

  FrontEnd& fe_;
  Kernel& kernel_;
  OperandChecker checker_;
  RawOperands raw_;
  std::vector<SuffixWord> words_;
  std::string spelled_;
  std::set<std::string_view> outside_;  // families of instructions that are not there, as reported
};

}  // namespace warptime::ptx
