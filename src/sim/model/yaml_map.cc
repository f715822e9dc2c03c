// StrictMap, and expressions in the places where a form allows them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/assert.h"
#include "base/parse_number.h"
#include "sim/model/yaml_reader.h"

namespace warptime::yaml {

namespace {

std::vector<std::string_view> keys_of(const Form& form) {
  std::vector<std::string_view> keys;
  for (const Field& known : form.fields) keys.push_back(known.key);
  return keys;
}

/// An unknown key that is nearest to this one, which the node has not: it is this one, misspelled. nullptr: none.
const Entry* misspelled(const Node& node, const Form& form, std::string_view key) {
  for (const Entry& entry : node.entries)
    if (field_of(form, entry.key) == nullptr && nearest(entry.key, keys_of(form)) == key) return &entry;
  return nullptr;
}

bool has_key(const Node& node, std::string_view key) {
  return std::any_of(node.entries.begin(), node.entries.end(), [&](const Entry& entry) { return entry.key == key; });
}

}  // namespace

StrictMap::StrictMap(const Node& node, std::string_view what, const Form& form, Diagnostics& diagnostics)
    : node_(node), what_(what), form_(form), diagnostics_(diagnostics), ok_(node.kind == Node::Kind::Map) {
  SIM_ASSERT(form.kind == Form::Kind::Map, "{} is read as a map, but its form is not one", what);
  if (!ok_) diagnostics.error(node.where, fmt::format("{} must be a map, not {}", what, describe(node)));
}

const Field& StrictMap::field(std::string_view key) const {
  const Field* found = field_of(form_, key);
  SIM_ASSERT(found != nullptr, "the form of {} has no \"{}\"", what_, key);
  return *found;
}

const Node* StrictMap::find(std::string_view key) {
  const Field& known = field(key);
  const bool first = std::find(asked_.begin(), asked_.end(), key) == asked_.end();
  if (first) asked_.emplace_back(key);
  for (const Entry& entry : node_.entries)
    if (entry.key == key) return &entry.value;
  if (!known.required || !ok_ || !first) return nullptr;
  if (const Entry* entry = misspelled(node_, form_, key))
    report_unknown_key(entry->where, entry->key, what_, keys_of(form_), diagnostics_);
  else diagnostics_.error(node_.where, fmt::format("{} has no \"{}\"", what_, key));
  return nullptr;
}

std::optional<size_t> StrictMap::read_word(std::string_view key) {
  const Node* node = find(key);
  return node == nullptr ? std::nullopt : yaml::read_word(*node, key, field(key).form->words, diagnostics_);
}

bool StrictMap::follows(const KeyRule& rule) const {
  const auto there = static_cast<size_t>(std::count_if(node_.entries.begin(), node_.entries.end(), [&](const Entry& e) {
    return std::find(rule.keys.begin(), rule.keys.end(), e.key) != rule.keys.end();
  }));
  const std::string keys =
      fmt::format("{} and {}", fmt::join(rule.keys.begin(), rule.keys.end() - 1, ", "), rule.keys.back());
  using Kind = KeyRule::Kind;
  if (there > 1 && (rule.kind == Kind::AtMostOne || rule.kind == Kind::ExactlyOne)) {
    diagnostics_.error(node_.where, rule.sentence.empty() ? fmt::format("{} has more than one of {}", what_, keys)
                                                          : fmt::format("{} {}", what_, rule.sentence));
  } else if (there == 0 && (rule.kind == Kind::AtLeastOne || rule.kind == Kind::ExactlyOne)) {
    diagnostics_.error(node_.where, rule.sentence.empty() ? fmt::format("{} must have one of {}", what_, keys)
                                                          : fmt::format("{} {}", what_, rule.sentence));
  } else if (rule.kind == Kind::Together && there > 0 && there < rule.keys.size()) {
    diagnostics_.error(node_.where, fmt::format("{} has only one of {}", what_, keys), "give both, or neither");
  } else {
    return true;
  }
  return false;
}

bool StrictMap::finish() {
  if (!ok_) return false;
  bool good = true;
  std::vector<const Entry*> reported;  // where a required key was looked for
  for (const Field& known : form_.fields) {
    SIM_ASSERT(std::find(asked_.begin(), asked_.end(), known.key) != asked_.end(), "nothing reads \"{}\" of {}",
               known.key, what_);
    if (known.required && !has_key(node_, known.key)) reported.push_back(misspelled(node_, form_, known.key));
  }
  for (const Entry& entry : node_.entries) {
    if (field_of(form_, entry.key) != nullptr) continue;
    good = false;
    if (std::find(reported.begin(), reported.end(), &entry) != reported.end()) continue;
    report_unknown_key(entry.where, entry.key, what_, keys_of(form_), diagnostics_);
  }
  for (const KeyRule& rule : form_.rules) good = follows(rule) && good;
  return good;
}

const Form* chosen(const Form& choice, const Node& node) {
  using Kind = Form::Kind;
  const Form* best = nullptr;
  std::ptrdiff_t most = 0;
  for (const Form* form : choice.choices) {
    const bool is_map = form->kind == Kind::Map;
    if (node.kind == Node::Kind::Map && is_map) {
      auto common = std::count_if(node.entries.begin(), node.entries.end(),
                                  [&](const Entry& entry) { return field_of(*form, entry.key) != nullptr; });
      if (common > most) best = form;
      most = std::max(most, common);
    }
    if (node.kind == Node::Kind::Sequence && form->kind == Kind::List) return form;
    if (node.kind == Node::Kind::Scalar && !is_map && form->kind != Kind::Names && form->kind != Kind::List)
      return form;
  }
  return best;
}

namespace {

/// "12", "-1.5", and what only the reader of its type knows: 0x1f, the bits 0f3f800000, nan; also "12abc".
bool is_literal(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text == "nan" || text == "inf") return true;
  double number = 0;
  if (parse_number(text, number) != NumberError::NotANumber) return true;
  return text.empty() || (text[0] >= '0' && text[0] <= '9' && is_plain_name("a" + std::string(text)));
}

void compute_scalar(Node& node, const Form& form, const ExpressionNames& names,
                    const std::vector<std::string_view>& known, Diagnostics& diagnostics) {
  if (node.kind != Node::Kind::Scalar || is_literal(node.text)) return;
  Evaluated result = evaluate(node.text, names, "parameter");
  const double* value = std::get_if<double>(&result.value);
  // Without parameters a word is a mistake of another kind, which the typed readers tell better.
  if (known.empty() && (!result.error.empty() || value == nullptr)) return;
  SourceSpan where = node.where;
  if (!result.error.empty() || value == nullptr) {
    const bool as_written = where.length == node.text.size() && result.at < node.text.size();
    if (as_written) {
      where.begin += static_cast<uint32_t>(result.at);
      where.length = static_cast<uint32_t>(result.unknown.empty() ? 1 : result.unknown.size());
    }
    std::string hint = result.unknown.empty() ? std::string() : did_you_mean(result.unknown, known);
    if (hint.empty() && !result.unknown.empty()) hint = fmt::format("the file has {}", fmt::join(known, ", "));
    diagnostics.error(where, result.error.empty() ? fmt::format("\"{}\" is not a number", node.text) : result.error,
                      hint);
    node.text = "1";  // and no further message about it
    return;
  }
  if (form.kind == Form::Kind::Whole && *value != std::floor(*value)) {
    diagnostics.error(where, fmt::format("\"{}\" is {}, not a whole number", node.text, plain_number(*value)),
                      fmt::format("ceil({0}) or floor({0})", node.text));
    node.text = "1";
    return;
  }
  node.text = plain_number(*value);
  node.quoted = false;
}

}  // namespace

void compute(Node& node, const Form& form, const ExpressionNames& names, const std::vector<std::string_view>& known,
             Diagnostics& diagnostics) {
  if (form.computed) return compute_scalar(node, form, names, known, diagnostics);
  switch (form.kind) {
    case Form::Kind::Map:
      for (Entry& entry : node.entries)
        if (const Field* field = field_of(form, entry.key))
          compute(entry.value, *field->form, names, known, diagnostics);
      break;
    case Form::Kind::Names:
      for (Entry& entry : node.entries) compute(entry.value, *form.of, names, known, diagnostics);
      break;
    case Form::Kind::List:
      for (Node& item : node.items) compute(item, *form.of, names, known, diagnostics);
      break;
    case Form::Kind::Choice:
      if (const Form* own = chosen(form, node)) compute(node, *own, names, known, diagnostics);
      break;
    case Form::Kind::Text:
    case Form::Kind::Scalar:
    case Form::Kind::Word:
    case Form::Kind::Boolean:
    case Form::Kind::Whole:
    case Form::Kind::Number:
    case Form::Kind::Value:
    case Form::Kind::Expression: break;
  }
}

}  // namespace warptime::yaml
