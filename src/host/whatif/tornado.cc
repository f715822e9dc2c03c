#include "host/whatif/tornado.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace warptime::host {

namespace {

constexpr size_t kHalf = 12;  // letters of the picture on each side

/// "1620  -16.6 %"; empty: no value does this.
std::string value_cell(const TornadoValue& value) {
  return value.change == 0 ? std::string() : fmt::format("{} {:>8}", value.value, change_text(value.change));
}

size_t letters(double change, double largest) {
  return static_cast<size_t>(std::ceil(std::abs(change) / largest * static_cast<double>(kHalf) - 1e-9));
}

std::string picture(const TornadoValue& faster, const TornadoValue& slower, double largest) {
  size_t won = letters(faster.change, largest), lost = letters(slower.change, largest);
  return std::string(kHalf - won, ' ') + std::string(won, '<') + "|" + std::string(lost, '>') +
         std::string(kHalf - lost, ' ');
}

}  // namespace

void TornadoBar::add(const TornadoValue& value) {
  if (value.change == 0) return;
  TornadoValue& end = value.change < 0 ? won : lost;
  TornadoValue smaller = value;
  if (std::abs(value.change) > std::abs(end.change)) smaller = std::exchange(end, value);
  if (smaller.change != 0) others.push_back(std::move(smaller));
}

std::vector<TornadoBar> ranked(std::vector<TornadoBar> bars) {
  std::erase_if(bars, [](const TornadoBar& bar) { return bar.size() == 0; });
  std::stable_sort(bars.begin(), bars.end(),
                   [](const TornadoBar& a, const TornadoBar& b) { return a.size() > b.size(); });
  return bars;
}

std::string change_text(double change) {
  double percent = 100 * change;
  if (std::abs(percent) < 0.05) return percent < 0 ? "-0.0 %" : percent > 0 ? "+0.0 %" : "0 %";
  return std::abs(percent) < 999.5 ? fmt::format("{:+.1f} %", percent) : fmt::format("{:+.0f} %", percent);
}

std::string tornado_text(const std::vector<TornadoBar>& bars, size_t top) {
  size_t shown = std::min(top, bars.size());
  if (shown == 0) return {};
  size_t name = std::string_view("parameter").size(), own = std::string_view("value").size();
  size_t won = std::string_view("faster").size();
  for (size_t i = 0; i < shown; ++i) {
    name = std::max(name, bars[i].parameter.size());
    own = std::max(own, bars[i].own.size());
    won = std::max(won, value_cell(bars[i].won).size());
    for (const TornadoValue& other : bars[i].others)
      if (other.change < 0) won = std::max(won, value_cell(other).size());
  }
  std::string out;
  auto line = [&](const auto& a, const auto& b, const auto& c, const auto& middle, const auto& d) {
    std::string text = fmt::format("{:<{}}  {:<{}}  {:>{}}  {}  {}", a, name, b, own, c, won, middle, d);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line("parameter", "value", "faster", std::string(2 * kHalf + 1, ' '), "slower");
  const double largest = bars.front().size();
  auto values = [&](const std::string& parameter, const std::string& own_value, const TornadoValue& faster,
                    const TornadoValue& slower) {
    line(parameter, own_value, value_cell(faster), picture(faster, slower, largest), value_cell(slower));
  };
  for (size_t i = 0; i < shown; ++i) {
    values(bars[i].parameter, bars[i].own, bars[i].won, bars[i].lost);
    for (const TornadoValue& other : bars[i].others)
      values("", "", other.change < 0 ? other : TornadoValue{}, other.change > 0 ? other : TornadoValue{});
  }
  return out;
}

}  // namespace warptime::host
