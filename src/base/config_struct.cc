#include "base/config_struct.h"

#include <fmt/format.h>

#include <cmath>

namespace warptime {

namespace {

std::string number_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{}", value);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

bool ParamCheck::accepts(double value) const {
  switch (kind) {
    case Kind::Any: return true;
    case Kind::Range: return value >= low && value <= high;
    case Kind::PowerOfTwo: {
      if (!(value >= low && value <= high) || value < 1) return false;
      int exponent = 0;
      return std::frexp(value, &exponent) == 0.5;
    }
    case Kind::OneOf: return false;
  }
  return false;
}

bool ParamCheck::accepts(std::string_view word) const {
  if (kind != Kind::OneOf) return kind == Kind::Any;
  for (std::string_view legal : split(words, '|'))
    if (legal == word) return true;
  return false;
}

std::vector<std::string> ParamCheck::one_of_words() const {
  std::vector<std::string> out;
  if (kind == Kind::OneOf)
    for (std::string_view word : split(words, '|')) out.emplace_back(word);
  return out;
}

std::string ParamCheck::describe() const {
  switch (kind) {
    case Kind::Any: return "";
    case Kind::Range: return fmt::format("{} to {}", number_text(low), number_text(high));
    case Kind::PowerOfTwo: return fmt::format("a power of two from {} to {}", number_text(low), number_text(high));
    case Kind::OneOf: {
      std::vector<std::string_view> legal = split(words, '|');
      std::string out;
      for (size_t i = 0; i < legal.size(); ++i) {
        if (i > 0) out += i + 1 == legal.size() ? " or " : ", ";
        out += legal[i];
      }
      return out;
    }
  }
  return "";
}

std::vector<std::string> split_enum_names(std::string_view names) {
  std::vector<std::string> out;
  for (std::string_view name : split(names, ',')) {
    while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    if (name.ends_with('_')) name.remove_suffix(1);
    out.emplace_back(name);
  }
  return out;
}

}  // namespace warptime
