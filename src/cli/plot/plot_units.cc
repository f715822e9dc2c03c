#include "cli/plot/plot_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace warptime::cli {

namespace {

/// The end of a name, or all of it after its last dot; the unit, and what a thousand, a million, ... of it are called.
struct ColumnUnit {
  std::string_view end;
  std::array<std::string_view, 4> units;
};

constexpr std::array kColumnUnits{
    ColumnUnit{"ns", {"ns", "µs", "ms", "s"}},
    ColumnUnit{"us", {"µs", "ms", "s", "thousand s"}},
    ColumnUnit{"ms", {"ms", "s", "thousand s", "million s"}},
    ColumnUnit{"seconds", {"s", "thousand s", "million s", "10⁹ s"}},
    ColumnUnit{"mhz", {"MHz", "GHz", "THz", "thousand THz"}},
    ColumnUnit{"gb_s", {"GB/s", "TB/s", "thousand TB/s", "million TB/s"}},
    ColumnUnit{"gflops", {"GFLOP/s", "TFLOP/s", "thousand TFLOP/s", "million TFLOP/s"}},
    ColumnUnit{"bytes", {"bytes", "kB", "MB", "GB"}},
    ColumnUnit{"bytes_requested", {"bytes", "kB", "MB", "GB"}},
    ColumnUnit{"percent", {"%", "thousand %", "million %", "10⁹ %"}},
    ColumnUnit{"cycles", {"cycles", "thousand cycles", "million cycles", "10⁹ cycles"}},
    ColumnUnit{"per_second", {"per second", "thousand per second", "million per second", "10⁹ per second"}},
};
/// Beginnings of names of statistics that count cycles.
constexpr std::array<std::string_view, 3> kCyclesBegin{"issue.", "sm_cycles.", "warp_cycles."};
constexpr std::array<std::string_view, 4> kPlainUnits{"", "thousands", "millions", "10⁹"};

const ColumnUnit* find_unit(const std::string& column) {
  std::string last = column.substr(column.rfind('.') + 1);
  for (const ColumnUnit& unit : kColumnUnits)
    if (last == unit.end || last.ends_with("_" + std::string(unit.end))) return &unit;
  for (std::string_view begin : kCyclesBegin)
    if (column.starts_with(begin)) return find_unit("cycles");
  return nullptr;
}

}  // namespace

std::string unit_of_column(const std::string& column) {
  const ColumnUnit* unit = find_unit(column);
  return unit == nullptr ? std::string() : std::string(unit->units[0]);
}

std::string words_of_column(const std::string& column) {
  std::string out = column;
  if (const ColumnUnit* unit = find_unit(column); unit != nullptr && out.ends_with("_" + std::string(unit->end)))
    out.erase(out.size() - unit->end.size() - 1);
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

bool have_one_unit(const std::vector<std::string>& columns) {
  return std::all_of(columns.begin(), columns.end(),
                     [&](const std::string& name) { return find_unit(name) == find_unit(columns.front()); });
}

std::string name_with_unit(const std::string& column) {
  std::string words = words_of_column(column), unit = unit_of_column(column);
  return unit.empty() || words == unit ? words : fmt::format("{} ({})", words, unit);
}

PlotAxis plot_axis(const std::vector<std::string>& columns, double most, bool scaled) {
  PlotAxis out;
  bool one = have_one_unit(columns);
  size_t prefix = 0;
  for (double left = most; scaled && one && prefix < 3 && left >= 1e4; left /= 1000) {
    ++prefix;
    out.scale *= 1000;
  }
  if (!one) return out;
  const ColumnUnit* unit = find_unit(columns.front());
  std::string name(unit == nullptr ? kPlainUnits[prefix] : unit->units[prefix]);
  if (columns.size() > 1) {
    out.label = name;
    return out;
  }
  std::string words = words_of_column(columns.front());
  // "cycles (cycles)" and "gflops (GFLOP/s)" say one thing twice.
  bool is_unit = unit != nullptr && columns.front() == unit->end;
  out.label = name.empty() || words == name ? words : is_unit ? name : fmt::format("{} ({})", words, name);
  return out;
}

}  // namespace warptime::cli
