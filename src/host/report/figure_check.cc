#include "host/report/figure_check.h"

#include <fmt/format.h>

namespace warptime::host {

std::vector<std::pair<std::string_view, std::string>> summary_rows(const std::vector<FigureCheck>& checks) {
  std::vector<std::pair<std::string_view, std::string>> out;
  size_t met = 0;
  for (const FigureCheck& check : checks) {
    met += check.outcome == FigureCheck::Outcome::Passed ? 1 : 0;
    if (check.failed())
      out.emplace_back("figure MISSED", fmt::format("{}: {}, expected {}", check.name, check.measured, check.asked));
  }
  if (met != 0) out.emplace_back("figures", fmt::format("{} as expected", met));
  return out;
}

}  // namespace warptime::host
