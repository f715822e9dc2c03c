#include "cli/sweep_table.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
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
  auto sweeps = [&](std::string_view path) {
    return std::any_of(plan.axes().begin(), plan.axes().end(), [&](const SweepAxis& axis) {
      return axis.name == path && axis.values != std::vector<std::string>{"0"};
    });
  };
  const sim::MachineConfig& machine = plan.machine().config;
  host::RunReport shape;
  sim::LaunchStatistics& launch = shape.launches.emplace_back();
  launch.caches.has_l1 = machine.l1.cache.bytes != 0 || sweeps("l1.cache.bytes");
  launch.caches.has_l2 = machine.l2.cache.bytes != 0 || sweeps("l2.cache.bytes");
  return shape;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> numbers_of_total(const host::RunReport& report) {
  Json total = host::to_json(report)["total"];
  total["divergence"].erase("active_lanes_histogram");  // a list, no number
  return host::flatten(total);
}

SweepTable::SweepTable(const SweepPlan& plan) : plan_(plan) {
  for (const SweepAxis& axis : plan.axes()) columns_.push_back(axis.name);
  columns_.insert(columns_.end(), {"status", "launches"});
  for (const auto& [name, cell] : numbers_of_total(shape_of(plan))) columns_.push_back(name);
  columns_.emplace_back("sweep");
}

void SweepTable::open(const Given& file, bool resume) {
  check_writable(file);
  file_ = file;
  if (resume) read_rows(file);
  int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (resume ? 0 : O_TRUNC);
  descriptor_ = ::open(file.text.c_str(), flags, 0666);
  if (descriptor_ < 0) fail(file.where, fmt::format("cannot write {}: {}", file.text, std::strerror(errno)));
  if (lseek(descriptor_, 0, SEEK_END) == 0) write(line_of(columns_));
}

void SweepTable::read_rows(const Given& file) {
  std::error_code error;
  if (!std::filesystem::exists(file.text, error)) return;
  auto source = read_file(file);
  std::string_view text = source->text();
  auto refuse = [&](const std::string& reason) {
    fail(file.where, fmt::format("{} belongs to another sweep: {}", file.text, reason),
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
  if (whole < text.size()) std::filesystem::resize_file(file.text, whole, error);
  if (error) fail(file.where, fmt::format("cannot write {}: {}", file.text, error.message()));
}

void SweepTable::write(const std::string& line) {
  // A single write of a whole line: whoever reads the file, or resumes it, sees whole rows but for a broken last one.
  ssize_t written = ::write(descriptor_, line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size()))
    fail(file_.where, fmt::format("cannot write {}: {}", file_.text, std::strerror(written < 0 ? errno : ENOSPC)));
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
  if (descriptor_ >= 0) write(line_of(cells));
  rows_.push_back(std::move(cells));
}

void SweepTable::close() {
  if (descriptor_ >= 0 && ::close(descriptor_) != 0)
    fail(file_.where, fmt::format("cannot write {}: {}", file_.text, std::strerror(errno)));
  descriptor_ = -1;
}

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
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warptime::cli
