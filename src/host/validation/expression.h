// Arithmetic over named figures, as the rows of a validation table write it: numbers, names (letters, digits, _ and
// dots), + - * / and parentheses, and at most one < or > around it all, whose value is the text "true" or "false".
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

/// What a name stands for; nullopt: nothing.
using FigureNames = std::function<std::optional<FigureValue>(std::string_view name)>;

struct Evaluated {
  FigureValue value = 0.0;
  std::string error;  // one sentence; empty: there is a value
  size_t at = 0;      // where in the text the error is
};

Evaluated evaluate(std::string_view text, const FigureNames& names);

/// The names in an expression, in its order; `error` and `at` as of evaluate, for what is wrong with its form.
std::vector<std::string> names_in(std::string_view text, std::string& error, size_t& at);

}  // namespace warptime::host
