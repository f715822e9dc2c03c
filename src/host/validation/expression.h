// Arithmetic expressions over named figures in the rows of a validation table: numbers, names (letters, digits, _ and
// dots), + - * / and parentheses, and at most one < or > at the top level, whose value is the text "true" or "false".
//
//   (long.cycles - short.cycles) / 64        a.gflops < b.gflops
//
// Left out: functions, precedence of anything else, units.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace warptime::host {

/// A number, or a text.
using FigureValue = std::variant<double, std::string>;

/// The value of a name; nullopt: unknown.
using FigureNames = std::function<std::optional<FigureValue>(std::string_view name)>;

struct Evaluated {
  FigureValue value = 0.0;
  std::string error;  // one sentence; empty: no error
  size_t at = 0;      // position of the error in the text
};

Evaluated evaluate(std::string_view text, const FigureNames& names);

/// The names in an expression, in order; `error` and `at` as for evaluate, for errors of syntax.
std::vector<std::string> names_in(std::string_view text, std::string& error, size_t& at);

}  // namespace warptime::host
