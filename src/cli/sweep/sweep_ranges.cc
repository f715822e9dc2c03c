#include "cli/sweep/sweep_ranges.h"

#include <optional>

#include "base/parse_number.h"
#include "cli/sweep/sweep_axes.h"

namespace warptime::cli {

namespace {

struct RangeText {
  std::string first, last, step;
  char operation = 0;
};

std::optional<RangeText> parts_of(const std::string& text) {
  size_t one = text.find(':'), two = text.find(':', one + 1);
  RangeText range{text.substr(0, one), text.substr(one + 1, two == std::string::npos ? two : two - one - 1), "", 0};
  if (two == std::string::npos) return range;
  if (two + 2 > text.size()) return std::nullopt;
  range.operation = text[two + 1];
  range.step = text.substr(two + 2);
  if (range.operation != '+' && range.operation != '*') return std::nullopt;
  return range;
}

template <typename Number>
std::string number_text(Number value) {
  if constexpr (std::is_floating_point_v<Number>) return fmt::format("{:.10g}", value);
  else return fmt::format("{}", value);
}

/// nullopt: these are not such numbers. `why`: they are, but not a range.
template <typename Number>
std::optional<std::vector<std::string>> expand(const RangeText& range, std::string& why) {
  Number first = 0, last = 0, step = 1;
  if (parse_number(range.first, first) != NumberError::Ok || parse_number(range.last, last) != NumberError::Ok)
    return std::nullopt;
  if (range.operation != 0 && parse_number(range.step, step) != NumberError::Ok) return std::nullopt;
  constexpr bool kReal = std::is_floating_point_v<Number>;
  bool times = range.operation == '*';
  if (first > last) why = fmt::format("{} is larger than {}", range.first, range.last);
  else if (times && (step <= 1 || first <= 0)) why = "a factor above 1, and a first value above 0";
  else if (!times && step <= 0) why = "the step must be above 0";
  std::vector<std::string> values;
  if (!why.empty()) return values;
  // Decimal steps are not exact: the last value may be met up to a rounding.
  Number end = last;
  if constexpr (kReal) end += step * 1e-9;
  for (Number value = first; value <= end;) {
    if (values.size() == kMostPoints) {
      why = fmt::format("it has more than {} values", kMostPoints);
      return values;
    }
    values.push_back(number_text(value));
    if constexpr (kReal) {
      value = times ? value * step : first + static_cast<Number>(values.size()) * step;
    } else {
      bool wrapped = times ? __builtin_mul_overflow(value, step, &value) : __builtin_add_overflow(value, step, &value);
      if (wrapped) break;
    }
  }
  return values;
}

}  // namespace

std::vector<std::string> expand_range(const std::string& text, const SourceSpan& where, bool random) {
  size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0 || text.find_first_not_of("-.0123456789") < colon) return {text};
  constexpr const char* kForms = "16:128:+16 adds 16 until 128, 16:128:*2 doubles; --random also takes 16:128";
  std::optional<RangeText> range = parts_of(text);
  std::optional<std::vector<std::string>> values;
  std::string why;
  if (range && (range->operation != 0 || random)) {
    values = expand<int64_t>(*range, why);
    // Every decimal number of an interval is not a list.
    if (!values && range->operation != 0) values = expand<double>(*range, why);
  }
  if (!values || !why.empty())
    fail(where, fmt::format("\"{}\" is not a range{}", text, why.empty() ? "" : ": " + why), kForms);
  return *values;
}

}  // namespace warptime::cli
