#include "host/validation/published.h"

#include <fmt/format.h>

#include <cmath>

#include "base/parse_number.h"

namespace warptime::host {

namespace {

std::string_view trimmed(std::string_view text) {
  size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// Both numbers around the sign; nullopt: one of them is none.
std::optional<std::pair<double, double>> two_numbers(std::string_view text, size_t at, size_t length) {
  std::pair<double, double> out;
  bool ok = parse_number(trimmed(text.substr(0, at)), out.first) == NumberError::Ok &&
            parse_number(trimmed(text.substr(at + length)), out.second) == NumberError::Ok;
  return ok ? std::optional(out) : std::nullopt;
}

bool begins_like_number(std::string_view text) {
  return !text.empty() && text.find_first_of("0123456789") < 2 && text.find_first_not_of("-.0123456789") != 0;
}

}  // namespace

std::optional<PublishedNumber> published_number(std::string_view text) {
  PublishedNumber out;
  text = trimmed(text);
  if (parse_number(text, out.value) == NumberError::Ok) return out;
  for (std::string_view sign : {"+-", "±", "+/-"}) {
    size_t at = text.find(sign);
    if (at == std::string_view::npos) continue;
    auto numbers = two_numbers(text, at, sign.size());
    if (!numbers && !begins_like_number(text)) return std::nullopt;
    if (!numbers || numbers->second < 0) {
      out.mistake = "an uncertainty is written as 100 +- 5: two numbers in the row's unit";
      return out;
    }
    out.value = numbers->first;
    out.range = FigureRange{numbers->first - numbers->second, numbers->first + numbers->second};
    return out;
  }
  size_t at = text.find("..");
  if (at == std::string_view::npos || !begins_like_number(text)) return std::nullopt;
  auto numbers = two_numbers(text, at, 2);
  if (!numbers || numbers->first > numbers->second) {
    out.mistake = "a range is written as 90..110: two numbers, the smaller one first";
    return out;
  }
  out.value = (numbers->first + numbers->second) / 2;
  out.range = FigureRange{numbers->first, numbers->second};
  return out;
}

PublishedNumber published_samples(const std::vector<double>& samples) {
  PublishedNumber out;
  auto count = static_cast<double>(samples.size());
  for (double sample : samples) out.value += sample / count;
  double squares = 0;
  for (double sample : samples) squares += (sample - out.value) * (sample - out.value);
  double deviation = std::sqrt(squares / (count - 1));
  out.range = FigureRange{out.value - deviation, out.value + deviation, samples.size()};
  return out;
}

}  // namespace warptime::host
