#include "base/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/ascii.h"
#include "base/nesting.h"
#include "base/parse_number.h"

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

// Recursive descent that computes as it goes; the first mistake stays, and everything after it counts for nothing.
class Evaluator {
 public:
  Evaluator(std::string_view text, const ExpressionNames& names, std::string_view noun, bool syntax_only)
      : text_(text), names_(names), noun_(noun), syntax_only_(syntax_only) {}

  Evaluated run() {
    ExpressionValue value = sum();
    skip_blanks();
    if (at_ < text_.size() && (text_[at_] == '<' || text_[at_] == '>')) {
      size_t place = at_;
      bool less = text_[at_++] == '<';
      double left = number(value, place), right = number(sum(), place);
      value = std::string((less ? left < right : left > right) ? "true" : "false");
    }
    skip_blanks();
    if (at_ < text_.size()) wrong(at_, fmt::format("\"{}\" is not expected here", text_[at_]));
    const double* result = std::get_if<double>(&value);
    if (!syntax_only_ && result != nullptr && !std::isfinite(*result))
      wrong(0, "the value is not a finite number (a division by zero?)");
    out_.value = std::move(value);
    return std::move(out_);
  }

 private:
  void wrong(size_t at, std::string sentence) {
    if (!out_.error.empty()) return;
    out_.error = std::move(sentence);
    out_.at = at;
  }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  /// Takes the next character if it is one of these.
  char take(std::string_view any_of) {
    skip_blanks();
    bool found = at_ < text_.size() && any_of.find(text_[at_]) != std::string_view::npos;
    return found ? text_[at_++] : '\0';
  }
  double number(const ExpressionValue& value, size_t place) {
    if (const double* found = std::get_if<double>(&value)) return *found;
    wrong(place, "a text cannot be calculated with");
    return 0;
  }

  ExpressionValue sum() {
    ExpressionValue value = product();
    while (char sign = take("+-")) {
      size_t place = at_ - 1;
      double left = number(value, place), right = number(product(), place);
      value = sign == '+' ? left + right : left - right;
    }
    return value;
  }
  ExpressionValue product() {
    ExpressionValue value = signed_power();
    while (char sign = take("*/%")) {
      size_t place = at_ - 1;
      double left = number(value, place), right = number(signed_power(), place);
      value = sign == '*' ? left * right : sign == '/' ? left / right : std::fmod(left, right);
    }
    return value;
  }
  // -n^2 is -(n^2), and 2^-1 a half.
  ExpressionValue signed_power() {
    if (take("-") == '\0') return power();
    Nesting level(depth_);
    if (level.too_deep()) return nested_too_deeply();
    return -number(signed_power(), at_);
  }
  ExpressionValue power() {
    ExpressionValue base = factor();
    if (take("^") == '\0') return base;
    size_t place = at_ - 1;
    Nesting level(depth_);
    if (level.too_deep()) return nested_too_deeply();
    double left = number(base, place), right = number(signed_power(), place);
    return std::pow(left, right);
  }
  ExpressionValue factor() {
    if (take("(") != '\0') {
      ExpressionValue value = nested();
      if (take(")") == '\0') wrong(at_, "a \")\" is missing");
      return value;
    }
    skip_blanks();
    size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    std::string word(text_.substr(begin, at_ - begin));
    if (word.empty()) {
      wrong(begin, "expected a number or a name");
      at_ = text_.size();
      return 0.0;
    }
    if (is_digit(word[0])) return literal(begin, std::move(word));
    if (take("(") != '\0') return call(begin, word);
    if (auto value = names_(word)) return *value;
    if (out_.error.empty()) out_.unknown = word;
    wrong(begin, fmt::format("there is no {} \"{}\"", noun_, word));
    return 0.0;
  }
  ExpressionValue literal(size_t begin, std::string word) {
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
    if (error == NumberError::NotANumber) wrong(begin, fmt::format("\"{}\" is not a number", word));
    if (error == NumberError::TooLarge) wrong(begin, fmt::format("\"{}\" is beyond what a number can be", word));
    return value;
  }
  ExpressionValue call(size_t begin, const std::string& word) {
    const auto* function = std::find_if(kExpressionFunctions.begin(), kExpressionFunctions.end(),
                                        [&](const ExpressionFunction& f) { return f.name == word; });
    if (function == kExpressionFunctions.end()) {
      std::string known;
      for (const ExpressionFunction& f : kExpressionFunctions)
        known += fmt::format("{}{}", known.empty() ? "" : ", ", f.name);
      wrong(begin, fmt::format("there is no function \"{}\": {}", word, known));
      at_ = text_.size();
      return 0.0;
    }
    std::array<double, 2> values{};
    for (size_t i = 0; i < function->arguments; ++i) {
      if (i > 0 && take(",") == '\0') wrong(at_, fmt::format("\"{}\" has {} values", word, function->arguments));
      values[i] = number(nested(), at_);
    }
    if (take(")") == '\0') wrong(at_, "a \")\" is missing");
    return function->compute(values[0], values[1]);
  }
  ExpressionValue nested() {
    Nesting level(depth_);
    return level.too_deep() ? nested_too_deeply() : sum();
  }
  ExpressionValue nested_too_deeply() {
    wrong(at_, "this expression is nested too deeply");
    at_ = text_.size();
    return 0.0;
  }

  std::string_view text_;
  const ExpressionNames& names_;
  std::string_view noun_;
  bool syntax_only_;
  size_t at_ = 0;
  uint32_t depth_ = 0;
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
