#include "base/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/ascii.h"
#include "base/parse_number.h"
#include "base/precedence_parser.h"

namespace warptime {

namespace {

struct ExpressionFunction {
  std::string_view name;
  size_t arguments;
  double (*compute)(double, double);
};
constexpr std::array kExpressionFunctions{
    ExpressionFunction{"ceil", 1, [](double a, double) { return std::ceil(a); }},
    ExpressionFunction{"floor", 1, [](double a, double) { return std::floor(a); }},
    ExpressionFunction{"round", 1, [](double a, double) { return std::round(a); }},
    ExpressionFunction{"abs", 1, [](double a, double) { return std::abs(a); }},
    ExpressionFunction{"sqrt", 1, [](double a, double) { return std::sqrt(a); }},
    ExpressionFunction{"log2", 1, [](double a, double) { return std::log2(a); }},
    ExpressionFunction{"min", 2, [](double a, double b) { return std::min(a, b); }},
    ExpressionFunction{"max", 2, [](double a, double b) { return std::max(a, b); }},
};

using ascii::is_digit;
bool is_word(char c) { return ascii::is_letter_or_digit(c) || c == '_' || c == '.'; }

// Computes as it goes, up to the first mistake.
class Evaluator : public TextExpressionParser<Evaluator, ExpressionValue, Notation::Arithmetic> {
 public:
  Evaluator(std::string_view text, const ExpressionNames& names, std::string_view noun, bool syntax_only)
      : TextExpressionParser(text, " "), names_(names), noun_(noun), syntax_only_(syntax_only) {}

  Evaluated run() {
    ExpressionValue value;
    if (whole(&value)) out_.value = std::move(value);
    return std::move(out_);
  }

  std::optional<size_t> take_sign() { return take('-') ? std::optional(at_) : std::nullopt; }
  bool apply_sign(std::optional<size_t> behind, ExpressionValue* value) {
    if (!is_number(*value, *behind)) return false;
    *value = -std::get<double>(*value);
    return true;
  }
  bool begin_right(const Operator&, size_t place, const ExpressionValue& left) { return is_number(left, place); }
  bool apply(const Operator& found, size_t place, ExpressionValue* left, const ExpressionValue& right) {
    if (!is_number(right, place)) return false;
    const double a = std::get<double>(*left), b = std::get<double>(right);
    *left = found.op == Op::Rem ? std::fmod(a, b) : found.op == Op::Power ? std::pow(a, b) : *compute(found.op, a, b);
    return true;
  }
  bool too_deep() { return wrong(at_, "this expression is nested too deeply"); }
  bool primary(ExpressionValue* out) {
    if (take('(')) return nested(kAboveComparisons, out) && close();
    skip_blanks();
    size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    std::string word(text_.substr(begin, at_ - begin));
    if (word.empty()) return wrong(begin, "expected a number or a name");
    if (is_digit(word[0])) return literal(begin, std::move(word), out);
    if (take('(')) return call(begin, word, out);
    if (auto value = names_(word)) {
      *out = std::move(*value);
      return true;
    }
    out_.unknown = word;
    return wrong(begin, fmt::format("there is no {} \"{}\"", noun_, word));
  }

 private:
  bool wrong(size_t at, std::string sentence) {
    out_.error = std::move(sentence);
    out_.at = at;
    return false;
  }
  bool is_number(const ExpressionValue& value, size_t place) {
    return std::holds_alternative<double>(value) || wrong(place, "a text cannot be calculated with");
  }
  bool close() { return take(')') || wrong(at_, "a \")\" is missing"); }

  bool whole(ExpressionValue* value) {
    if (!climb(kAboveComparisons, value)) return false;
    if (const Operator* found = operator_here(); found != nullptr && is_truth(found->op)) {
      const size_t place = take(*found);
      ExpressionValue right;
      if (!is_number(*value, place) || !climb(kAboveComparisons, &right) || !apply(*found, place, value, right))
        return false;
      *value = std::string(std::get<double>(*value) != 0 ? "true" : "false");
    }
    skip_blanks();
    if (at_ < text_.size()) return wrong(at_, fmt::format("\"{}\" is not expected here", text_[at_]));
    const double* result = std::get_if<double>(value);
    return syntax_only_ || result == nullptr || std::isfinite(*result) ||
           wrong(0, "the value is not a finite number (a division by zero?)");
  }
  bool literal(size_t begin, std::string word, ExpressionValue* out) {
    // "2e-3": the sign is not a subtraction.
    bool exponent = (word.back() == 'e' || word.back() == 'E') && at_ + 1 < text_.size();
    if (exponent && (text_[at_] == '-' || text_[at_] == '+') && is_digit(text_[at_ + 1])) {
      word += text_[at_++];
      while (at_ < text_.size() && is_word(text_[at_])) word += text_[at_++];
    }
    double value = 0;
    uint64_t whole = 0;
    NumberError error = NumberError::Ok;
    if (word.starts_with("0x") || word.starts_with("0X")) {
      error = parse_number(word, whole);
      value = static_cast<double>(whole);
    } else {
      error = parse_number(word, value);
    }
    if (error == NumberError::NotANumber) return wrong(begin, fmt::format("\"{}\" is not a number", word));
    if (error == NumberError::TooLarge) return wrong(begin, fmt::format("\"{}\" is beyond what a number can be", word));
    *out = value;
    return true;
  }
  bool call(size_t begin, const std::string& word, ExpressionValue* out) {
    const auto* function = std::find_if(kExpressionFunctions.begin(), kExpressionFunctions.end(),
                                        [&](const ExpressionFunction& f) { return f.name == word; });
    if (function == kExpressionFunctions.end()) {
      std::string known;
      for (const ExpressionFunction& f : kExpressionFunctions)
        known += fmt::format("{}{}", known.empty() ? "" : ", ", f.name);
      return wrong(begin, fmt::format("there is no function \"{}\": {}", word, known));
    }
    std::array<double, 2> values{};
    for (size_t i = 0; i < function->arguments; ++i) {
      if (i > 0 && !take(',')) return wrong(at_, fmt::format("\"{}\" has {} values", word, function->arguments));
      const size_t place = at_;
      if (!nested(kAboveComparisons, out) || !is_number(*out, place)) return false;
      values[i] = std::get<double>(*out);
    }
    *out = function->compute(values[0], values[1]);
    return close();
  }

  const ExpressionNames& names_;
  std::string_view noun_;
  bool syntax_only_;
  Evaluated out_;
};

}  // namespace

Evaluated evaluate(std::string_view text, const ExpressionNames& names, std::string_view noun) {
  return Evaluator(text, names, noun, false).run();
}

std::vector<std::string> names_in(std::string_view text, std::string& error, size_t& at) {
  std::vector<std::string> found;
  ExpressionNames collect = [&](std::string_view name) {
    found.emplace_back(name);
    return std::optional<ExpressionValue>(1.0);
  };
  Evaluated result = Evaluator(text, collect, "figure", true).run();
  error = std::move(result.error);
  at = result.at;
  return found;
}

bool is_plain_name(std::string_view text) {
  return !text.empty() && !is_digit(text[0]) && text.find('.') == std::string_view::npos &&
         std::all_of(text.begin(), text.end(), is_word);
}

std::string plain_number(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e18) return fmt::format("{:.0f}", value);
  return fmt::format("{}", value);
}

}  // namespace warptime
