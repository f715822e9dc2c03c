#include "cli/plot/plot_data.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/parse_number.h"

namespace warptime::cli {

namespace {

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  return parse_number(text, value) == NumberError::Ok ? std::optional(value) : std::nullopt;
}

bool all_numbers(const PlotTable& table, size_t column) {
  return std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return row[column].text.empty() || number_of(row[column].text); });
}

/// The values of a column, each once: numbers by size, words as they come.
std::vector<std::string> values_of(const PlotTable& table, size_t column) {
  std::vector<std::string> out;
  std::map<std::string, bool> seen;
  for (const auto& row : table.rows)
    if (!row[column].text.empty() && seen.emplace(row[column].text, true).second) out.push_back(row[column].text);
  if (all_numbers(table, column))
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return *number_of(a) < *number_of(b); });
  return out;
}

class PlotPoints {
 public:
  PlotPoints(const PlotTable& table, const PlotRequest& request) : table_(table), request_(request) {
    bool words = request.kind == PlotKind::Bar || request.kind == PlotKind::Heat || !all_numbers(table, request.x);
    if (words) out_.categories = values_of(table, request.x);
    check_count(out_.categories.size(), kMostCategories, request.x, "values");
    if (request.by) out_.by_values = values_of(table, *request.by);
    for (size_t i = 0; i < out_.categories.size(); ++i) place_of_category_.emplace(out_.categories[i], i);
    for (size_t i = 0; i < out_.by_values.size(); ++i) place_of_by_.emplace(out_.by_values[i], i);
  }

  PlotData build() {
    size_t each = request_.y.size(), count = each * (request_.by ? out_.by_values.size() : 1);
    if (request_.kind == PlotKind::Heat) check_count(count, kMostCategories, *request_.by, "values");
    else if (count > kMostSeries)
      fail(request_.by_where, fmt::format("{} series are too many to tell apart: at most {}", count, kMostSeries),
           request_.by ? "--kind heat shows a --by column of many values" : "-y takes several columns; name fewer");
    out_.series.resize(count);
    for (size_t i = 0; i < count; ++i) out_.series[i].name = name_of(i / each, i % each);
    for (const auto& row : table_.rows) {
      std::optional<double> x = x_of(row);
      bool by_missing = request_.by && row[*request_.by].text.empty();
      bool any = false;
      if (x && !by_missing) {
        size_t by = request_.by ? place_of_by_.at(row[*request_.by].text) : 0;
        for (size_t i = 0; i < each; ++i) any |= add(out_.series[by * each + i], *x, y_of(row, request_.y[i]));
        if (request_.reference_column && any) add(out_.reference, *x, y_of(row, *request_.reference_column));
      }
      if (!any) ++out_.left_out;
    }
    finish();
    return std::move(out_);
  }

 private:
  void check_count(size_t count, size_t most, size_t column, const char* what) const {
    if (count > most)
      fail(request_.by_where, fmt::format("column \"{}\" has {} {}: at most {} can be drawn side by side",
                                          table_.columns[column], count, what, most));
  }
  std::string name_of(size_t by, size_t y) const {
    const std::string& column = table_.columns[request_.y[y]];
    if (!request_.by) return column;
    return request_.y.size() == 1 ? out_.by_values[by] : fmt::format("{}, {}", column, out_.by_values[by]);
  }
  std::optional<double> x_of(const std::vector<PlotCell>& row) const {
    const PlotCell& cell = row[request_.x];
    if (cell.text.empty()) return std::nullopt;
    if (!out_.categories.empty()) return static_cast<double>(place_of_category_.at(cell.text));
    double x = *number_of(cell.text);
    if (request_.log_x && !(x > 0)) not_above_zero(cell, request_.x, "--log x");
    check_size(cell, request_.x, x, request_.log_x);
    return x;
  }
  std::optional<double> y_of(const std::vector<PlotCell>& row, size_t column) const {
    const PlotCell& cell = row[column];
    if (cell.text.empty()) return std::nullopt;
    std::optional<double> y = number_of(cell.text);
    if (!y)
      fail(cell.where, fmt::format("\"{}\" in column \"{}\" is not a number", cell.text, table_.columns[column]),
           "-y takes columns of numbers; words can stand on -x and in --by");
    if (request_.log_y && !(*y > 0)) not_above_zero(cell, column, "--log y");
    check_size(cell, column, *y, request_.log_y);
    return y;
  }
  void check_size(const PlotCell& cell, size_t column, double value, bool log) const {
    if (std::string why = why_not_drawn(value, log); !why.empty())
      fail(cell.where, fmt::format("{} in column \"{}\" {}", cell.text, table_.columns[column], why));
  }
  [[noreturn]] void not_above_zero(const PlotCell& cell, size_t column, const char* option) const {
    fail(cell.where,
         fmt::format("{} in column \"{}\" has no place on a logarithmic axis", cell.text, table_.columns[column]),
         fmt::format("leave {} out", option));
  }

  bool add(PlotSeries& series, double x, std::optional<double> y) {
    if (!y) return false;
    bool as_it_is = request_.kind == PlotKind::Scatter && &series != &out_.reference;
    auto found = series.points.end();
    if (!as_it_is)
      found = std::find_if(series.points.begin(), series.points.end(), [&](const auto& p) { return p.x == x; });
    if (found == series.points.end()) {
      series.points.push_back({x, *y, *y, *y, 1});
      return true;
    }
    found->y += (*y - found->y) / ++found->rows;
    found->low = std::min(found->low, *y);
    found->high = std::max(found->high, *y);
    return true;
  }

  void finish() {
    auto by_x = [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; };
    if (request_.kind != PlotKind::Scatter)
      for (PlotSeries& series : out_.series) std::sort(series.points.begin(), series.points.end(), by_x);
    std::sort(out_.reference.points.begin(), out_.reference.points.end(), by_x);
    if (request_.kind != PlotKind::Heat)
      std::erase_if(out_.series, [](const PlotSeries& series) { return series.points.empty(); });
    bool first = true;
    auto widen = [&](const PlotPoint& point) {
      out_.low = first ? point.low : std::min(out_.low, point.low);
      out_.high = first ? point.high : std::max(out_.high, point.high);
      out_.low_x = first ? point.x : std::min(out_.low_x, point.x);
      out_.high_x = first ? point.x : std::max(out_.high_x, point.x);
      out_.has_means |= point.low != point.high;
      first = false;
    };
    for (const PlotSeries& series : out_.series)
      for (const PlotPoint& point : series.points) widen(point);
    if (first) fail({}, fmt::format("no row of {} has a value to draw", table_.name), "its cells are empty");
    for (const PlotPoint& point : out_.reference.points) widen(point);
    if (request_.reference_value) {
      out_.low = std::min(out_.low, *request_.reference_value);
      out_.high = std::max(out_.high, *request_.reference_value);
    }
  }

  const PlotTable& table_;
  const PlotRequest& request_;
  PlotData out_;
  std::map<std::string, size_t> place_of_category_, place_of_by_;
};

}  // namespace

std::string why_not_drawn(double value, bool log) {
  if (std::abs(value) > kMostDrawn) return fmt::format("is too large to be drawn: at most {:g}", kMostDrawn);
  if (log && value < kLeastDrawn) return fmt::format("is too small to be drawn: at least {:g}", kLeastDrawn);
  return {};
}

PlotKind default_kind(const PlotTable& table, size_t x) {
  return all_numbers(table, x) ? PlotKind::Line : PlotKind::Bar;
}

PlotData plot_data(const PlotTable& table, const PlotRequest& request) { return PlotPoints(table, request).build(); }

}  // namespace warptime::cli
