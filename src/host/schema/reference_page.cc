#include "host/schema/reference_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace warptime::host {

using yaml::Field;
using yaml::Form;
using yaml::KeyRule;

namespace {

class PageWriter {
 public:
  std::string write(const Form& file) {
    sections_.push_back(&file);
    // A section may name further ones.
    for (size_t i = 0; i < sections_.size(); ++i) section(*sections_[i]);
    return std::move(out_);
  }

 private:
  void section(const Form& form) {
    out_ += fmt::format("\n## {}\n\n| key | value | without it | what it is |\n|---|---|---|---|\n", form.name);
    for (const Field& field : form.fields)
      if (!field.former)
        out_ += fmt::format("| `{}` | {} | {} | {} |\n", field.key, cell(value(*field.form)),
                            field.required           ? "required"
                            : field.standard.empty() ? ""
                                                     : cell(shown(field)),
                            cell(field.doc));
    for (const KeyRule& rule : form.rules) out_ += fmt::format("\n{}\n", sentence(rule, form));
  }

  static std::string shown(const Field& field) {
    return field.standard == "\"\"" || field.standard == "[]" ? "" : field.standard;
  }

  std::string value(const Form& form) {
    const std::string expression = form.computed ? ", or an expression" : "";
    switch (form.kind) {
      case Form::Kind::Text: return "text";
      case Form::Kind::Scalar: return "text or number";
      case Form::Kind::Word: return fmt::format("`{}`", fmt::join(form.words, "`, `"));
      case Form::Kind::Boolean: return "`true`, `false`";
      case Form::Kind::Whole: return limits("whole number", form.check) + expression;
      case Form::Kind::Number: return limits("number", form.check) + expression;
      case Form::Kind::Value: return "value of the type" + expression;
      case Form::Kind::Expression: return "expression";
      case Form::Kind::List: return list(form);
      case Form::Kind::Map: return link(form);
      case Form::Kind::Names: return fmt::format("map from names to {}", value(*form.of));
      case Form::Kind::Choice: {
        std::string out;
        for (const Form* one : form.choices) out += fmt::format("{}{}", out.empty() ? "" : "; or ", value(*one));
        return out;
      }
    }
    return "";
  }

  std::string list(const Form& form) {
    std::string of = value(*form.of);
    if (form.most != SIZE_MAX) return fmt::format("list of {} to {}: {}", form.least, form.most, of);
    return form.least > 0 ? fmt::format("list, at least {}: {}", form.least, of) : fmt::format("list: {}", of);
  }

  /// A map with a name has a section of its own; the keys of one without are listed here.
  std::string link(const Form& form) {
    if (form.name.empty()) {
      std::string keys;
      for (const Field& field : form.fields)
        keys += fmt::format("{}`{}`: {}", keys.empty() ? "" : ", ", field.key, value(*field.form));
      return fmt::format("map of {}", keys);
    }
    if (std::find(sections_.begin(), sections_.end(), &form) == sections_.end()) sections_.push_back(&form);
    std::string anchor;
    for (char c : form.name) {
      if (c >= 'A' && c <= 'Z') anchor += static_cast<char>(c - 'A' + 'a');
      else if (c == ' ') anchor += '-';
      else if (c != '.') anchor += c;
    }
    return fmt::format("[{}](#{})", form.name, anchor);
  }

  static std::string limits(const char* what, const ParamCheck& check) {
    const bool open = check.kind == ParamCheck::Kind::Any || check.high >= 1e300;
    if (open) return check.low == 0 && check.high >= 1e300 ? fmt::format("{}, not negative", what) : what;
    if (check.low == 0 && check.high >= 1.8e19) return fmt::format("{}, at most 64 bits", what);
    return check.kind == ParamCheck::Kind::PowerOfTwo ? check.describe()
                                                      : fmt::format("{}, {}", what, check.describe());
  }

  static std::string sentence(const KeyRule& rule, const Form& form) {
    if (rule.keys.size() == form.fields.size() && rule.keys.size() > 4) return "Exactly one of these keys.";
    std::string keys = fmt::format("`{}`", fmt::join(rule.keys, "`, `"));
    switch (rule.kind) {
      case KeyRule::Kind::AtMostOne: return fmt::format("At most one of {}.", keys);
      case KeyRule::Kind::AtLeastOne: return fmt::format("At least one of {}.", keys);
      case KeyRule::Kind::ExactlyOne: return fmt::format("Exactly one of {}.", keys);
      case KeyRule::Kind::Together: return fmt::format("All of {}, or none.", keys);
    }
    return "";
  }

  static std::string cell(std::string_view text) {
    std::string out;
    for (char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
    return out;
  }

  std::vector<const Form*> sections_;
  std::string out_;
};

}  // namespace

std::string reference_page(const Form& file, std::string_view title, std::string_view introduction) {
  return fmt::format("# {}\n\n{}", title, introduction) + PageWriter().write(file);
}

}  // namespace warptime::host
