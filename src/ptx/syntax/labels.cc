#include "ptx/syntax/labels.h"

#include <algorithm>

namespace warptime::ptx {

void Labels::define(NameId id, const Token& token, uint32_t index, bool is_table) {
  scopes_.back().definitions.push_back({id, index, is_table, token.begin});
  all_.push_back(fe_.names.text(id));
}

void Labels::close_scope(std::vector<Operand>& operands) {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  target_.resize(fe_.names.size(), 0);
  for (uint32_t i = 0; i < scope.definitions.size(); ++i) {
    const Definition& definition = scope.definitions[i];
    uint32_t& target = target_[definition.id];
    std::string_view name = fe_.names.text(definition.id);
    if (target != 0) {
      uint32_t end = definition.place + static_cast<uint32_t>(name.size());
      fe_.redeclared(fe_.tokens.span(definition.place, end), name, scope.definitions[target - 1].place);
    } else {
      target = i + 1;
    }
  }
  for (const Reference& reference : scope.references) {
    if (uint32_t target = target_[reference.id]) {
      const Definition& definition = scope.definitions[target - 1];
      Operand& operand = operands[reference.operand];
      operand.index = definition.index;
      // Where its name is in the source, for the printer.
      operand.bits = uint64_t{reference.where.begin} << 32 | reference.where.length;
      if (definition.is_table != (operand.kind == Operand::Kind::Table))
        fe_.tokens.error(reference.where,
                         fmt::format("\"{}\" is a {}", fe_.names.text(reference.id),
                                     definition.is_table ? "list of branch targets, not a label"
                                                         : "label, not a list of branch targets"),
                         definition.is_table ? "" : "name: .branchtargets label, label;");
    } else if (!scopes_.empty()) {
      scopes_.back().references.push_back(reference);
    } else {
      std::string_view name = fe_.names.text(reference.id);
      bool elsewhere = std::find(all_.begin(), all_.end(), name) != all_.end();
      fe_.tokens.error(reference.where, fmt::format("there is no label \"{}\" here", name),
                       elsewhere ? "the label is in a { } that this branch is not in" : did_you_mean(name, all_));
    }
  }
  for (const Definition& definition : scope.definitions) target_[definition.id] = 0;
}

}  // namespace warptime::ptx
