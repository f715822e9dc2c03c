#include "host/validation/measured_figure.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/expression.h"
#include "host/validation/validation_form.h"

namespace warptime::host {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '.';
}

}  // namespace

std::optional<MeasuredFigure> read_figure(const yaml::Node& node, Diagnostics& diagnostics) {
  yaml::StrictMap map(node, "\"figure\"", validation_forms().figure, diagnostics);
  MeasuredFigure out;
  const yaml::Node* value = map.find("value");
  bool good = map.read("value", out.value);
  good = map.read("quantity", out.quantity) && good;
  good = map.read("at_least", out.at_least) && good;
  good = map.finish() && map.ok() && good && value != nullptr && !out.quantity.empty();
  if (!good) return std::nullopt;
  std::string error;
  size_t at = 0;
  if (!names_in(out.value, error, at).empty() && error.empty()) return out;
  diagnostics.error(value->where, fmt::format("\"{}\" is not an expression over figures of a launch{}", out.value,
                                              error.empty() ? "" : ": " + error));
  return std::nullopt;
}

std::string with_prefix(std::string_view expression, std::string_view prefix) {
  std::string out;
  for (size_t at = 0; at < expression.size();) {
    size_t end = at;
    while (end < expression.size() && is_of_name(expression[end])) ++end;
    if (end > at && !is_digit(expression[at]) && expression[at] != '.') out += prefix;
    end = std::max(end, at + 1);
    out += expression.substr(at, end - at);
    at = end;
  }
  return out;
}

}  // namespace warptime::host
