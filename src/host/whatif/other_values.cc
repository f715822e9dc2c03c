#include "host/whatif/other_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

namespace warptime::host {

namespace {

constexpr double kLess = 0.8, kMore = 1.2;

/// Those that the row allows and that differ from the parameter's own.
Alternatives allowed(const sim::Parameter& parameter, double own, const std::vector<double>& values) {
  Alternatives out;
  for (double value : values) {
    std::string text = value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
    if (value == own || !parameter.check.accepts(value)) continue;
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
  }
  return out;
}

/// A whole number changes by one at least.
std::vector<Alternatives> other_numbers(const sim::Parameter& parameter, double own, bool whole) {
  using Kind = ParamCheck::Kind;
  std::vector<double> less, more;
  if (parameter.check.kind == Kind::PowerOfTwo) {
    less = {own / 2};
    more = {own * 2};
  } else if (whole) {
    less = {std::min(std::round(own * kLess), own - 1), std::floor(own / 2)};
    more = {std::max(std::round(own * kMore), own + 1), own * 2};
  } else {
    less = {own * kLess};
    more = {own == 0 ? 1 : own * kMore};
  }
  std::vector<Alternatives> out;
  for (const std::vector<double>& values : {less, more}) {
    Alternatives found = allowed(parameter, own, values);
    if (!found.empty()) out.push_back(std::move(found));
  }
  return out;
}

std::vector<Alternatives> other_words(const std::vector<std::string>& words, const std::string& own) {
  std::vector<Alternatives> out;
  for (const std::string& word : words)
    if (word != own) out.push_back({word});
  return out;
}

}  // namespace

std::vector<Alternatives> other_values(const sim::Parameter& parameter) {
  if (!parameter.check.timed) return {};
  if (const auto* flag = std::get_if<bool*>(&parameter.value)) return {{**flag ? "false" : "true"}};
  if (const auto* word = std::get_if<sim::EnumRef>(&parameter.value))
    return other_words(split_enum_names(word->names), sim::value_text(parameter));
  if (const auto* text = std::get_if<std::string*>(&parameter.value))
    return other_words(parameter.check.one_of_words(), **text);
  if (const auto* number = std::get_if<uint32_t*>(&parameter.value)) return other_numbers(parameter, **number, true);
  if (const auto* number = std::get_if<uint64_t*>(&parameter.value))
    return other_numbers(parameter, static_cast<double>(**number), true);
  if (const auto* number = std::get_if<double*>(&parameter.value)) return other_numbers(parameter, **number, false);
  return {};  // a list
}

}  // namespace warptime::host
