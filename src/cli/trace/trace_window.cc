#include "cli/trace/trace_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace warptime::cli {

namespace {

constexpr Cycle kDefaultWindow = 100'000;

}  // namespace

void read_window(const Arguments& arguments, sim::TraceLog& log) {
  log.to = kDefaultWindow;
  auto given = arguments.value("window");
  if (!given) return;
  auto number = [&](std::string_view text) {
    Cycle cycle = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cycle);
    if (error != std::errc() || end != text.data() + text.size())
      fail(given->where, fmt::format("--window is two cycles A:B, not \"{}\"", given->text),
           "as in --window 1000:1400");
    return cycle;
  };
  std::string_view text = given->text;
  size_t colon = std::min(text.find(':'), text.size());
  log.from = number(text.substr(0, colon));
  log.to = number(text.substr(std::min(colon + 1, text.size())));
  if (log.from >= log.to)
    fail(given->where, fmt::format("--window {} is empty: it ends where it begins, or before", given->text),
         "the second cycle is the first one that is left out");
}

}  // namespace warptime::cli
