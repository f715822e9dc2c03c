#include "cli/roofline/roofline_sweep.h"

#include <algorithm>
#include <optional>

#include "base/csv_line.h"
#include "base/parse_number.h"
#include "base/plural.h"
#include "cli/machine/machine_option.h"
#include "sim/model/machine_loader.h"
#include "sim/model/parameters.h"
#include "sim/model/renamed_keys.h"

namespace warptime::cli {

namespace {

class SweepRows {
 public:
  SweepRows(const ArgumentText& name, std::shared_ptr<const SourceText> source)
      : name_(name), source_(std::move(source)), columns_(read_csv_line(*source_, 1).cells) {
    auto status = find("status");
    if (!status) refuse("status");
    axes_ = *status;
    for (const sim::ParameterRow& row : sim::parameter_table())
      for (size_t i = 0; i < axes_; ++i)
        if (sim::current_path(columns_[i].text) == row.path) settings_.push_back(i);
  }

  uint32_t lines() const { return source_->line_count(); }
  /// The cells of a row; empty: an empty line.
  std::vector<CsvCell> row(uint32_t line) const {
    if (without_blanks(source_->line(line)).empty()) return {};
    std::vector<CsvCell> cells = read_csv_line(*source_, line).cells;
    if (cells.size() != columns_.size())
      fail(span_of(*source_, source_->line(line)),
           fmt::format("this row has {}, the first line has {}", plural(cells.size(), "cell"), columns_.size()));
    return cells;
  }
  double number(const std::vector<CsvCell>& row, std::string_view column) const {
    auto at = find(column);
    if (!at) refuse(column);
    const CsvCell& cell = row[*at];
    double value = 0;
    if (parse_number(cell.text, value) != NumberError::Ok || value < 0)
      fail(cell.where, fmt::format("{} must be a number of at least 0", column));
    return value;
  }
  /// 0 where an older sweep has no such column.
  double number_if_there(const std::vector<CsvCell>& row, std::string_view column) const {
    return find(column) ? number(row, column) : 0;
  }
  std::string point_name(const std::vector<CsvCell>& row) const {
    std::string out;
    for (size_t i = 0; i < axes_; ++i)
      out += fmt::format("{}{}={}", out.empty() ? "" : ", ", columns_[i].text, row[i].text);
    return out;
  }
  /// What the sweep changed of the machine.
  std::vector<std::string> settings(const std::vector<CsvCell>& row) const {
    std::vector<std::string> out;
    for (size_t i : settings_) out.push_back(columns_[i].text + "=" + row[i].text);
    return out;
  }
  /// The machine of a row, in a sweep over machines.
  std::optional<ArgumentText> machine(const std::vector<CsvCell>& row) const {
    auto at = find("machine");
    return at && *at < axes_ ? std::optional(ArgumentText{row[*at].text, row[*at].where}) : std::nullopt;
  }
  bool changes_machine() const { return !settings_.empty() || find("machine").value_or(axes_) < axes_; }

 private:
  std::optional<size_t> find(std::string_view column) const {
    auto found = std::find_if(columns_.begin(), columns_.end(), [&](const CsvCell& c) { return c.text == column; });
    return found == columns_.end() ? std::nullopt : std::optional(static_cast<size_t>(found - columns_.begin()));
  }
  [[noreturn]] void refuse(std::string_view column) const {
    fail(name_.where, fmt::format("{} is not the CSV of a sweep: it has no column \"{}\"", name_.text, column),
         "`warptime sweep TARGET ... --csv FILE` writes one");
  }

  const ArgumentText& name_;
  std::shared_ptr<const SourceText> source_;
  std::vector<CsvCell> columns_;
  size_t axes_ = 0;               // the first columns
  std::vector<size_t> settings_;  // those of them that are parameters of the machine
};

host::RooflineCounts counts_of(const SweepRows& sweep, const std::vector<CsvCell>& row) {
  return {.flops = sweep.number(row, "flops"),
          .flops_f64 = sweep.number_if_there(row, "flops_f64"),
          .flops_tensor = sweep.number_if_there(row, "flops_tensor"),
          .dram_bytes = sweep.number(row, "dram.read_bytes") + sweep.number(row, "dram.write_bytes"),
          .requested_bytes = sweep.number(row, "global.bytes_requested"),
          .time_us = sweep.number(row, "time_us")};
}

}  // namespace

RooflineInput read_sweep(const Arguments& arguments) {
  const ArgumentText& name = arguments.words().front();
  SweepRows sweep(name, read_file(name));
  RooflineInput out;
  out.machine = load_machine(arguments).machine;
  if (!out.machine.config.has_timing)
    fail(name.where, fmt::format("machine \"{}\" has no timing, and so no roofs", out.machine.name));
  size_t failed = 0;
  for (uint32_t line = 2; line <= sweep.lines(); ++line) {
    std::vector<CsvCell> row = sweep.row(line);
    if (row.empty()) continue;
    if (sweep.number(row, "status") > 1) {
      ++failed;
      continue;
    }
    std::vector<std::string> settings = arguments.texts("set");
    for (std::string& setting : sweep.settings(row)) settings.push_back(std::move(setting));
    std::string unwanted, why, point_name = sweep.point_name(row);
    std::optional<ArgumentText> machine = sweep.machine(row);
    sim::Machine own = load_machine(machine ? machine : arguments.value("machine"), settings, unwanted).machine;
    if (!own.config.has_timing) {
      out.notes.push_back(fmt::format("{} has no point: its machine has no timing", point_name));
      continue;
    }
    if (auto point = host::roofline_point(point_name, counts_of(sweep, row), own.config, why))
      out.points.push_back(*point);
    else out.notes.push_back(fmt::format("{} has no point: {}", point_name, why));
  }
  if (failed > 0) out.notes.push_back(fmt::format("rows of points that did not run: {}", failed));
  if (sweep.changes_machine())
    out.notes.push_back(
        "the sweep changed the machine: shares are of each row's own, the roofs are those without changes");
  return out;
}

}  // namespace warptime::cli
