// Arithmetic expressions over named numbers: the values of a validation table's rows, the numeric fields and figures of
// a launch file. Numbers, names (letters, digits, _ and dots), + - * / % ^ and parentheses, the functions ceil, floor,
// round, abs, sqrt, log2, min and max, and at most one < or > at the top level, whose value is the text "true" or
// "false".
//
//   (long.cycles - short.cycles) / 64        a.gflops < b.gflops        ceil(n / 256)        2*n^3 / time_ns
//
// All numbers are double: 7 / 2 is 3.5. ^ is a power, binds closest and to the right; % has the sign of its left side.
// Left out: conditions, units, texts in quotes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace warptime {

/// A number, or a text.
using ExpressionValue = std::variant<double, std::string>;

/// The value of a name; nullopt: unknown.
using ExpressionNames = std::function<std::optional<ExpressionValue>(std::string_view name)>;

struct Evaluated {
  ExpressionValue value = 0.0;
  std::string error;    // one sentence; empty: no error
  size_t at = 0;        // position of the error in the text
  std::string unknown;  // the name that has no value, if that is the error
};

/// `noun`: what a name is called in errors.
Evaluated evaluate(std::string_view text, const ExpressionNames& names, std::string_view noun = "figure");

/// The names in an expression, in order; `error` and `at` as for evaluate, for errors of syntax.
std::vector<std::string> names_in(std::string_view text, std::string& error, size_t& at);

/// Whether a text can be a name in expressions of a file's own: letters, digits and _, no digit first.
bool is_plain_name(std::string_view text);

/// A number as an expression or a field takes it: a whole one without point or exponent.
std::string plain_number(double value);

}  // namespace warptime
