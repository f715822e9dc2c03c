// Labels of one kernel, and its lists of branch targets, which are named like labels. A label is visible in the { }
// that defines it and in those inside, before and after its place; branches wait in a list until their scope closes.
#pragma once

#include <vector>

#include "ptx/syntax/front_end.h"

namespace warptime::ptx {

class Labels {
 public:
  explicit Labels(FrontEnd& fe) : fe_(fe) { open_scope(); }

  void open_scope() { scopes_.emplace_back(); }
  /// Gives the branches of this scope their targets, or hands them to the scope around; in the outermost one what is
  /// left is an error.
  void close_scope(std::vector<Operand>& operands);

  void define(NameId id, const Token& token, uint32_t instruction) { define(id, token, instruction, false); }
  void define_table(NameId id, const Token& token, uint32_t table) { define(id, token, table, true); }
  /// kernel.operands[operand] is a Label or a Table whose index is to be filled in.
  void refer(NameId id, SourceSpan where, uint32_t operand) {
    scopes_.back().references.push_back({id, where, operand});
  }

 private:
  struct Definition {
    NameId id;
    uint32_t index;  // instruction, or table
    bool is_table;
    uint32_t place;
  };
  struct Reference {
    NameId id;
    SourceSpan where;
    uint32_t operand;
  };
  struct Scope {
    std::vector<Definition> definitions;
    std::vector<Reference> references;
  };

  void define(NameId id, const Token& token, uint32_t index, bool is_table);

  FrontEnd& fe_;
  std::vector<Scope> scopes_;
  std::vector<uint32_t> target_;       // by name, while a scope closes: index of its definition + 1
  std::vector<std::string_view> all_;  // every label so far, for "did you mean"
};

}  // namespace warptime::ptx
