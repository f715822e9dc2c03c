#include "cli/sweep/sweep_table.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/output.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

namespace {

std::string line_of(const std::vector<std::string>& cells) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ",") + host::csv_cell(cells[i]);
  return line + "\n";
}

/// A line without its end, as RFC 4180 quotes it (csv_cell is the way back).
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') cells.back() += line[++i];
    else if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) cells.emplace_back();
    else cells.back() += c;
  }
  return cells;
}

/// A report with every number that a point's may have: only caches are there on some machines and not on others.
host::RunReport shape_of(const SweepPlan& plan) {
  auto may_be_there = [&](const sim::CacheLevel& level) {
    return level.of(plan.machine().config).bytes != 0 ||
           std::any_of(plan.axes().begin(), plan.axes().end(), [&](const SweepAxis& axis) {
             return axis.name == fmt::format("{}.bytes", level.path) && axis.values != std::vector<std::string>{"0"};
           });
  };
  host::RunReport shape;
  shape.launches.emplace_back().caches.reported = sim::reported_caches(may_be_there);
  return shape;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> numbers_of_total(const host::RunReport& report) {
  auto cells = host::cells_of_total(report);
  std::erase_if(cells, [](const auto& cell) { return cell.first == "divergence.active_lanes_histogram"; });  // a list
  return cells;
}

SweepTable::SweepTable(const SweepPlan& plan) : plan_(plan) {
  for (const SweepAxis& axis : plan.axes()) columns_.push_back(axis.name);
  columns_.insert(columns_.end(), {"status", "launches"});
  for (const auto& [name, cell] : numbers_of_total(shape_of(plan))) columns_.push_back(name);
  columns_.emplace_back("sweep");
}

void SweepTable::check(const std::string& why) const {
  if (!why.empty()) fail(name_.where, fmt::format("cannot write {}: {}", name_.text, why));
}

void SweepTable::open(const ArgumentText& file, const Arguments& arguments) {
  name_ = file;
  check_output(file, "--csv", arguments);
  std::string why = file_.open(file.text), text;
  if (file_.busy())
    fail(file.where, fmt::format("another sweep is writing {}", file.text), "each sweep needs a file of its own");
  check(why);
  if (arguments.has("resume")) {
    check(file_.read(text));
    read_rows(text);
  }
  if (size_t whole = text.rfind('\n') + 1; whole > 0) check(file_.cut(whole));
  else check(file_.begin_anew(line_of(columns_)));
}

void SweepTable::read_rows(std::string_view text) {
  auto refuse = [&](const std::string& reason) {
    fail(name_.where, fmt::format("{} belongs to another sweep: {}", name_.text, reason),
         "without --resume it is begun anew");
  };
  std::string header = line_of(columns_);
  size_t whole = text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1;
  if (whole == 0 && !header.starts_with(text)) refuse("its first line is not this sweep's");
  for (size_t begin = 0, line = 0; begin < whole; ++line) {
    size_t end = text.find('\n', begin);
    std::string_view content = text.substr(begin, end - begin);
    begin = end + 1;
    if (line == 0) {
      if (content != std::string_view(header).substr(0, header.size() - 1)) refuse("it has other columns");
      continue;
    }
    if (line > plan_.points()) refuse(fmt::format("it has more than {} rows", plan_.points()));
    std::vector<std::string> cells = cells_of(content), values = plan_.values(line - 1);
    if (cells.size() != columns_.size()) refuse(fmt::format("line {} has {} cells", line + 1, cells.size()));
    if (!std::equal(values.begin(), values.end(), cells.begin()))
      refuse(fmt::format("line {} is another point", line + 1));
    if (cells.back() != plan_.identity())
      refuse(fmt::format("line {} has another target, machine or options", line + 1));
    rows_.push_back(std::move(cells));
  }
}

void SweepTable::append(const SweepRow& row) {
  std::vector<std::string> cells = plan_.values(rows_.size());
  cells.push_back(fmt::format("{}", row.status));
  cells.push_back(row.launches);
  for (size_t i = cells.size(); i + 1 < columns_.size(); ++i) {
    auto found = row.total.find(columns_[i]);
    cells.push_back(found == row.total.end() ? "" : found->second);
  }
  cells.push_back(plan_.identity());
  if (file_.is_open()) check(file_.append(line_of(cells)));
  rows_.push_back(std::move(cells));
}

void SweepTable::close() { check(file_.close()); }

std::string SweepTable::to_csv() const {
  std::string out = line_of(columns_);
  for (const auto& row : rows_) out += line_of(row);
  return out;
}

std::string SweepTable::to_json(const std::string& target) const {
  Json out{{"schema", 1}, {"target", target}, {"machine", plan_.machine().name}, {"sweep", plan_.identity()}};
  out["axes"] = Json::array();
  for (const SweepAxis& axis : plan_.axes())
    out["axes"].push_back(
        {{"kind", axis.kind == SweepAxis::Kind::Set ? "set" : "param"}, {"name", axis.name}, {"values", axis.values}});
  out["rows"] = Json::array();
  for (const auto& cells : rows_) {
    Json row;
    for (size_t i = 0; i + 1 < columns_.size(); ++i) {
      // Values of axes stay text, as they were given; the rest are numbers.
      if (i < plan_.axes().size()) row[columns_[i]] = cells[i];
      else row[columns_[i]] = cells[i].empty() ? Json() : Json::parse(cells[i], nullptr, false);
    }
    out["rows"].push_back(std::move(row));
  }
  return json_text(out);
}

}  // namespace warptime::cli
