// The output of `ncu --csv` in both of its forms: one row for each metric of a launch (columns "Metric Name",
// "Metric Unit", "Metric Value"), or with `--page raw` one row for each launch, its metrics as columns and their units
// in the row below the header. Lines before and between them are those of ncu ("==PROF== ...") and of the program.
// The format is what the Nsight Compute CLI documentation describes, and what its version 2025.3 writes.
#include <algorithm>
#include <array>
#include <map>

#include "base/csv_line.h"
#include "base/plural.h"
#include "cli/compare/profile.h"

namespace warptime::cli {

namespace {

constexpr size_t kNoColumn = ~size_t{0};

bool is_whole_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

class NcuReader {
 public:
  explicit NcuReader(Profile& profile) : profile_(profile), source_(*profile.source) {}

  void read() {
    for (uint32_t line = 1; line <= source_.line_count(); ++line) {
      std::string_view text = source_.line(line);
      if (text.starts_with("==ERROR==")) error_ = span_of(source_, text);
      if (without_blanks(text).empty() || text.starts_with("==")) continue;
      if (is_ncu_header(source_, line)) {
        begin_table(read_csv_line(source_, line));
      } else if (has_table_) {
        CsvLine row = read_csv_line(source_, line);
        // What the program printed has no quotes, or no number of a launch.
        if (row.is_quoted != is_quoted_ || id_ >= row.cells.size()) continue;
        std::string_view id = row.cells[id_].text;
        if (is_whole_number(id) || (expects_units_ && id.empty())) add(row, text);
      }
    }
    if (profile_.launches.empty() && error_.source != nullptr)
      fail(error_, "Nsight Compute recorded nothing: it ended with this error",
           "run `ncu --csv` again once the cause is removed");
    if (!has_table_)
      fail(profile_.where, fmt::format("{} has no table with a column \"Kernel Name\"", profile_.file),
           "`ncu --csv --metrics ... PROGRAM` or `ncu --csv --page raw --import FILE` writes one");
    profile_.device = device_;
  }

 private:
  void begin_table(const CsvLine& header) {
    check_quotes(header);
    header_.clear();
    for (const CsvCell& cell : header.cells) header_.push_back(cell.text);
    is_quoted_ = header.is_quoted;
    has_table_ = true;
    id_ = column("ID"), kernel_ = column("Kernel Name"), process_ = column("Process ID");
    name_ = column("Metric Name"), unit_ = column("Metric Unit"), value_ = column("Metric Value");
    SourceSpan whole = span_of(source_, text_of_line(header));
    if (id_ == kNoColumn)
      fail(whole, "this table has no column \"ID\", so it has no launches",
           column("Invocations") != kNoColumn ? "it is a summary: run ncu without --print-summary" : "");
    if ((name_ == kNoColumn) != (value_ == kNoColumn))
      fail(whole, fmt::format("this table has no column \"{}\"", name_ == kNoColumn ? "Metric Name" : "Metric Value"));
    is_wide_ = name_ == kNoColumn;
    expects_units_ = is_wide_;
    units_.assign(header_.size(), profile_.text_number(""));
    metrics_.clear();
    for (size_t i = 0; i < header_.size(); ++i)
      if (is_wide_ && header_[i].find("__") != std::string::npos && !header_[i].starts_with("device__attribute_"))
        metrics_.emplace_back(i, profile_.text_number(header_[i]));
    if (is_wide_ && metrics_.empty())
      fail(whole, "this table has no metric",
           "a metric's name has two underscores in a row, as gpu__time_duration.sum");
  }

  std::string_view text_of_line(const CsvLine& line) const {
    return source_.line(source_.place_of(line.cells.front().where.begin).line);
  }
  size_t column(std::string_view name) const {
    for (size_t i = 0; i < header_.size(); ++i)
      if (header_[i] == name) return i;
    return kNoColumn;
  }
  void check_quotes(const CsvLine& line) const {
    if (line.open_quote.source != nullptr)
      fail(line.open_quote, "this cell has no closing quote", "the line is cut off, or was edited");
  }

  void add(const CsvLine& row, std::string_view text) {
    check_quotes(row);
    size_t needed = is_wide_ ? header_.size() : 0;
    for (size_t at : {kernel_, process_, name_, unit_, value_})
      if (at != kNoColumn) needed = std::max(needed, at + 1);
    // Rows of metrics have fewer cells than the header where that also has columns for rules.
    if (row.cells.size() < needed)
      fail(span_of(source_, text),
           fmt::format("this row has {}; the header has {}", plural(row.cells.size(), "cell"), header_.size()),
           "the line is cut off, or was edited");
    if (expects_units_) {
      expects_units_ = false;
      if (row.cells[id_].text.empty()) {
        for (size_t i = 0; i < header_.size(); ++i) units_[i] = profile_.text_number(row.cells[i].text);
        return;
      }
    }
    Profile::Launch& launch = launch_of(row);
    if (is_wide_) {
      for (auto [i, name] : metrics_)
        if (!row.cells[i].text.empty()) launch.counters.push_back({name, units_[i], row.cells[i].where});
    } else if (!row.cells[name_].text.empty()) {
      uint32_t unit = unit_ == kNoColumn ? profile_.text_number("") : profile_.text_number(row.cells[unit_].text);
      launch.counters.push_back({profile_.text_number(row.cells[name_].text), unit, row.cells[value_].where});
    }
  }

  Profile::Launch& launch_of(const CsvLine& row) {
    std::string key = row.cells[id_].text;
    if (process_ != kNoColumn) key += "/" + row.cells[process_].text;
    auto [known, is_new] = launches_.try_emplace(std::move(key), profile_.launches.size());
    if (!is_new) return profile_.launches[known->second];
    Profile::Launch& launch = profile_.launches.emplace_back();
    launch.kernel = profile_.text_number(row.cells[kernel_].text);
    add_extent(launch, row, "Grid Size", {"launch__grid_dim_x", "launch__grid_dim_y", "launch__grid_dim_z"});
    add_extent(launch, row, "Block Size", {"launch__block_dim_x", "launch__block_dim_y", "launch__block_dim_z"});
    if (device_.empty()) name_device(row);
    return launch;
  }

  /// "(256, 1, 1)" as the metrics of the same numbers, which a table has only where they were asked for.
  void add_extent(Profile::Launch& launch, const CsvLine& row, std::string_view title,
                  const std::array<const char*, 3>& names) {
    size_t at = column(title);
    if (at == kNoColumn || at >= row.cells.size()) return;
    constexpr std::string_view kDigits = "0123456789";
    std::string_view rest = warptime::text_of(row.cells[at].where);
    for (const char* name : names) {
      size_t begin = rest.find_first_of(kDigits);
      if (begin == std::string_view::npos) return;
      size_t end = std::min(rest.find_first_not_of(kDigits, begin), rest.size());
      launch.counters.push_back(
          {profile_.text_number(name), profile_.text_number(""), span_of(source_, rest.substr(begin, end - begin))});
      rest.remove_prefix(end);
    }
  }

  void name_device(const CsvLine& row) {
    auto cell = [&](std::string_view title) {
      size_t at = column(title);
      return at == kNoColumn || at >= row.cells.size() ? std::string() : row.cells[at].text;
    };
    device_ = cell("device__attribute_display_name");
    std::string capability = cell("CC");
    if (!capability.empty()) device_ += fmt::format("{}compute capability {}", device_.empty() ? "" : ", ", capability);
  }

  Profile& profile_;
  const SourceText& source_;
  std::vector<std::string> header_;
  std::vector<uint32_t> units_;
  std::vector<std::pair<size_t, uint32_t>> metrics_;  // of the form with one row for each launch: column and name
  size_t id_ = 0, kernel_ = 0, process_ = 0, name_ = 0, unit_ = 0, value_ = 0;
  bool has_table_ = false, is_wide_ = false, is_quoted_ = false, expects_units_ = false;
  std::map<std::string, size_t> launches_;
  std::string device_;
  SourceSpan error_ = {};
};

}  // namespace

bool is_ncu_header(const SourceText& source, uint32_t line) {
  if (source.line(line).find("Kernel Name") == std::string_view::npos) return false;
  for (const CsvCell& cell : read_csv_line(source, line).cells)
    if (cell.text == "Kernel Name") return true;
  return false;
}

void read_ncu_csv(Profile& profile) { NcuReader(profile).read(); }

}  // namespace warptime::cli
