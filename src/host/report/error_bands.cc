#include "host/report/error_bands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/csv_line.h"
#include "base/parse_number.h"
#include "base/plural.h"
#include "host/report/kernel_class.h"

namespace warptime::host {

namespace {

constexpr std::array<std::string_view, 7> kBandColumns{
    "machine", "class", "launches", "median_abs_error", "mean_abs_error", "p80_abs_error", "bias"};
enum BandColumn : uint8_t { Machine, Class, Launches, Median, Mean, P80, Bias };

class BandReader {
 public:
  BandReader(const SourceText& source, Diagnostics& diagnostics) : source_(source), diagnostics_(diagnostics) {}

  std::vector<ErrorBandRow> read() {
    if (!read_head()) return {};
    for (uint32_t number = 2; number <= source_.line_count(); ++number)
      if (!without_blanks(source_.line(number)).empty()) read_row(read_csv_line(source_, number));
    for (const auto& [machine, where] : machines_)
      if (!seen_.contains({machine, std::string(kAllLaunches)}))
        diagnostics_.error(where, fmt::format("{} has no row \"{}\"", machine, kAllLaunches),
                           "it has the errors of all its launches");
    return std::move(rows_);
  }

 private:
  bool read_head() {
    const CsvLine head = read_csv_line(source_, 1);
    std::vector<std::string_view> names;
    for (const CsvCell& cell : head.cells) names.push_back(cell.text);
    if (std::equal(names.begin(), names.end(), kBandColumns.begin(), kBandColumns.end())) return true;
    diagnostics_.error(span_of(source_, source_.line(1)), "these are not the columns of error bands",
                       fmt::format("they are {}", fmt::join(kBandColumns, ",")));
    return false;
  }

  void read_row(const CsvLine& line) {
    if (line.cells.size() != kBandColumns.size())
      return diagnostics_.error(
          line.cells.front().where,
          fmt::format("{}, and there are {} columns", plural(line.cells.size(), "cell"), kBandColumns.size()));
    ErrorBandRow row{.machine = line.cells[Machine].text, .kernel_class = line.cells[Class].text};
    if (!is_class(line.cells[Class])) return;
    const auto share = [&](BandColumn column, double& value) { return read_share(line.cells[column], column, value); };
    if (!read_launches(line.cells[Launches], row.launches) || !share(Median, row.median) || !share(Mean, row.mean) ||
        !share(P80, row.p80) || !share(Bias, row.bias))
      return;
    if (!seen_.insert({row.machine, row.kernel_class}).second)
      return diagnostics_.error(line.cells[Class].where,
                                fmt::format("{} has two rows \"{}\"", row.machine, row.kernel_class));
    machines_.try_emplace(row.machine, line.cells[Machine].where);
    rows_.push_back(std::move(row));
  }

  bool is_class(const CsvCell& cell) {
    std::vector<std::string_view> known{kAllLaunches};
    for (const KernelClassInfo& each : kKernelClasses) known.push_back(each.name);
    if (std::find(known.begin(), known.end(), cell.text) != known.end()) return true;
    std::string hint = did_you_mean(cell.text, known);
    if (hint.empty()) hint = fmt::format("classes: {}", fmt::join(known, ", "));
    diagnostics_.error(cell.where, fmt::format("\"{}\" is not a class of kernels", cell.text), hint);
    return false;
  }

  bool read_launches(const CsvCell& cell, uint64_t& value) {
    if (parse_number(cell.text, value) == NumberError::Ok && value > 0) return true;
    diagnostics_.error(cell.where, fmt::format("\"{}\" is not a number of launches", cell.text), "1 or more");
    return false;
  }

  bool read_share(const CsvCell& cell, BandColumn column, double& value) {
    if (parse_number(cell.text, value) == NumberError::Ok && std::isfinite(value) && (value >= 0 || column == Bias))
      return true;
    diagnostics_.error(cell.where, fmt::format("{} is not a share: \"{}\"", kBandColumns[column], cell.text),
                       "0.12 is 12 %");
    return false;
  }

  const SourceText& source_;
  Diagnostics& diagnostics_;
  std::vector<ErrorBandRow> rows_;
  std::set<std::pair<std::string, std::string>> seen_;  // machine and class
  std::map<std::string, SourceSpan> machines_;          // each where it is first named
};

const ErrorBandRow* find_band_row(const std::vector<ErrorBandRow>& rows, std::string_view machine,
                                  std::string_view of) {
  for (const ErrorBandRow& row : rows)
    if (row.machine == machine && row.kernel_class == of) return &row;
  return nullptr;
}

/// Whole percents, rounded up: a band must not be narrower than what was measured.
double band_percent(const ErrorBandRow& row) { return std::ceil(100 * row.p80 - 1e-9); }

}  // namespace

std::vector<ErrorBandRow> read_error_bands(const std::shared_ptr<const SourceText>& source, Diagnostics& diagnostics) {
  diagnostics.keep(source);
  return BandReader(*source, diagnostics).read();
}

ErrorBands::ErrorBands(std::vector<ErrorBandRow> rows, const std::vector<std::string>& names, bool changed) {
  if (names.empty()) return;
  measured_ = find_band_row(rows, names.front(), kAllLaunches) != nullptr;
  changed_ = measured_ && changed;
  if (changed_) note_ = "changed machine: no launch was measured on one with these values";
  for (size_t i = 1; !measured_ && i < names.size() && note_.empty(); ++i)
    if (const ErrorBandRow* all = find_band_row(rows, names[i], kAllLaunches))
      note_ = fmt::format(
          "no measured rows for {}; {}, its nearest measured relative, has a mean error of {:.0f} % over {}",
          names.front(), names[i], 100 * all->mean, plural(all->launches, "launch", "launches"));
  std::erase_if(rows, [&](const ErrorBandRow& row) { return row.machine != names.front(); });
  rows_ = std::move(rows);
}

const ErrorBandRow* ErrorBands::of(const sim::LaunchStatistics& launch) const {
  const std::optional<KernelClass> its = kernel_class(launch);
  if (!measured_ || changed_ || !its) return nullptr;
  const std::string& machine = rows_.front().machine;
  const ErrorBandRow* row = find_band_row(rows_, machine, class_name(*its));
  return row != nullptr ? row : find_band_row(rows_, machine, kAllLaunches);
}

std::string ErrorBands::text(const sim::LaunchStatistics& launch) const {
  const ErrorBandRow* row = of(launch);
  if (row == nullptr) return "";
  const std::string measured = plural(row->launches, "measured launch", "measured launches");
  if (row->kernel_class == kAllLaunches)
    return fmt::format("+-{:.0f} % for all kinds of kernels ({})", band_percent(*row), measured);
  return fmt::format("+-{:.0f} % for kernels like it ({}: {})", band_percent(*row), row->kernel_class, measured);
}

void ErrorBands::write(ValueWriter& out, const sim::LaunchStatistics& launch) const {
  if (!measured_) return;
  const ErrorBandRow* row = of(launch);
  if (row == nullptr) return out.null("error_band");
  out.begin_object("error_band");
  out.text("class", row->kernel_class);
  out.real("percent", band_percent(*row));
  out.number("launches", row->launches);
  out.text("machine", row->machine);
  out.end();
}

}  // namespace warptime::host
