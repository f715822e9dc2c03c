#include "host/validation/expression.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <cstdlib>

#include "base/nesting.h"

namespace warptime::host {

namespace {

// Recursive descent that computes as it goes; the first mistake stays, and everything after it counts for nothing.
class Evaluator {
 public:
  Evaluator(std::string_view text, const FigureNames& names) : text_(text), names_(names) {}

  Evaluated run() {
    FigureValue value = sum();
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
    if (result != nullptr && !std::isfinite(*result))
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
  double number(const FigureValue& value, size_t place) {
    if (const double* found = std::get_if<double>(&value)) return *found;
    wrong(place, "a text cannot be calculated with");
    return 0;
  }

  FigureValue sum() {
    FigureValue value = product();
    while (char sign = take("+-")) {
      size_t place = at_ - 1;
      double left = number(value, place), right = number(product(), place);
      value = sign == '+' ? left + right : left - right;
    }
    return value;
  }
  FigureValue product() {
    FigureValue value = factor();
    while (char sign = take("*/")) {
      size_t place = at_ - 1;
      double left = number(value, place), right = number(factor(), place);
      value = sign == '*' ? left * right : left / right;
    }
    return value;
  }
  FigureValue factor() {
    if (take("-") != '\0') {
      Nesting level(depth_);
      if (level.too_deep()) return nested_too_deeply();
      return -number(factor(), at_);
    }
    if (take("(") != '\0') {
      FigureValue value = nested();
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
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
      char* end = nullptr;
      double value = std::strtod(word.c_str(), &end);
      if (*end != '\0') wrong(begin, fmt::format("\"{}\" is not a number", word));
      return value;
    }
    if (auto value = names_(word)) return *value;
    wrong(begin, fmt::format("there is no figure \"{}\"", word));
    return 0.0;
  }
  FigureValue nested() {
    Nesting level(depth_);
    return level.too_deep() ? nested_too_deeply() : sum();
  }
  FigureValue nested_too_deeply() {
    wrong(at_, "this expression is nested too deeply");
    at_ = text_.size();
    return 0.0;
  }
  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

  std::string_view text_;
  const FigureNames& names_;
  size_t at_ = 0;
  uint32_t depth_ = 0;
  Evaluated out_;
};

}  // namespace

Evaluated evaluate(std::string_view text, const FigureNames& names) { return Evaluator(text, names).run(); }

std::vector<std::string> names_in(std::string_view text, std::string& error, size_t& at) {
  std::vector<std::string> found;
  // Every name counts as a new prime-like number, so that no difference of two is zero.
  FigureNames collect = [&](std::string_view name) {
    found.emplace_back(name);
    return std::optional<FigureValue>(std::sqrt(2.0 + static_cast<double>(found.size())));
  };
  Evaluated result = evaluate(text, collect);
  error = std::move(result.error);
  at = result.at;
  return found;
}

}  // namespace warptime::host
