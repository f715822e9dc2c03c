#include "cli/plan/plan_table.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/output_target.h"
#include "base/plural.h"
#include "cli/cli.h"
#include "cli/commit.h"
#include "cli/output.h"

namespace warptime::cli {

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

}  // namespace

PlanTable::PlanTable(const RunPlan& plan, std::string noun, std::vector<std::string> columns, size_t status)
    : plan_(plan), noun_(std::move(noun)), columns_(std::move(columns)), status_(status) {}

bool PlanTable::is_crash(size_t point) const { return rows_[point][status_] == fmt::format("{}", kOwnFault); }

size_t PlanTable::crashed() const {
  size_t count = 0;
  for (size_t point = 0; point < rows_.size(); ++point) count += is_crash(point) ? 1 : 0;
  return count;
}

std::vector<size_t> PlanTable::missing() const {
  std::vector<size_t> points;
  for (size_t point = 0; point < plan_.points(); ++point)
    if (point >= rows_.size() || is_crash(point)) points.push_back(point);
  return points;
}

void PlanTable::check(const std::string& why) const {
  if (!why.empty()) fail(name_.where, fmt::format("cannot write {}: {}", name_.text, why));
}

void PlanTable::open(const ArgumentText& file, const Arguments& arguments) {
  name_ = file;
  check_output(file, "--csv", arguments);
  std::string why = file_.open(file.text), text;
  if (file_.busy())
    fail(file.where, fmt::format("another {} is writing {}", noun_, file.text),
         fmt::format("each {} needs a file of its own", noun_));
  check(why);
  if (arguments.has("resume")) {
    check(file_.read(text));
    read_rows(text);
  }
  if (size_t whole = text.rfind('\n') + 1; whole > 0) check(file_.cut(whole));
  else check(file_.begin_anew(line_of(columns_)));
}

void PlanTable::read_rows(std::string_view text) {
  auto refuse = [&](const std::string& reason) {
    fail(name_.where, fmt::format("{} was written by a different {}: {}", name_.text, noun_, reason),
         "choose another FILE for --csv");
  };
  std::string header = line_of(columns_);
  size_t whole = text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1;
  if (whole == 0 && !header.starts_with(text)) refuse(fmt::format("its first line is not this {}'s", noun_));
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
    if (cells.size() != columns_.size()) refuse(fmt::format("line {} has {}", line + 1, plural(cells.size(), "cell")));
    if (!std::equal(values.begin(), values.end(), cells.begin()))
      refuse(fmt::format("line {} is another point", line + 1));
    const std::string &is = cells.back(), &own = plan_.identity();
    if (is != own && is.substr(0, kPlanDigits) == own.substr(0, kPlanDigits))
      fail(name_.where,
           fmt::format("line {} of {} was written by another build of warptime than this, {}", line + 1, name_.text,
                       program_build()),
           fmt::format("one build runs all of a {}; --force begins it anew", noun_));
    if (is != own) refuse(fmt::format("line {} has another target, machine or options", line + 1));
    rows_.push_back(std::move(cells));
  }
}

void PlanTable::put(size_t point, std::vector<std::string> cells) {
  std::vector<std::string> row = plan_.values(point);
  row.insert(row.end(), std::make_move_iterator(cells.begin()), std::make_move_iterator(cells.end()));
  row.push_back(plan_.identity());
  if (point < rows_.size()) {
    rows_[point] = std::move(row);
    has_replaced_ = true;
    return;
  }
  write_replaced();
  if (file_.is_open()) check(file_.append(line_of(row)));
  rows_.push_back(std::move(row));
}

void PlanTable::write_replaced() {
  if (std::exchange(has_replaced_, false) && file_.is_open()) check(file_.begin_anew(to_csv()));
}

void PlanTable::close() {
  write_replaced();
  check(file_.close());
}

std::string PlanTable::to_csv() const {
  std::string out = line_of(columns_);
  for (const auto& row : rows_) out += line_of(row);
  return out;
}

void refuse_existing(const Arguments& arguments, std::string_view option, bool resumes) {
  auto file = arguments.value(option);
  if (!file || arguments.has("force") || arguments.has("resume")) return;
  std::error_code error;
  OutputTarget place = find_output_target(file->text);
  if (place.kind != OutputTarget::Kind::File || std::filesystem::file_size(place.path, error) == 0 || error) return;
  fail(file->where, fmt::format("{} exists", file->text),
       option == "csv" && resumes ? "--force replaces it, --resume continues it" : "--force replaces it");
}

void write_new(const Arguments& arguments, std::string_view option, const std::string& text) {
  ArgumentText file = *arguments.value(option);
  if (find_output_target(file.text).kind == OutputTarget::Kind::File) {
    std::ifstream in(file.text, std::ios::binary);
    std::string there((std::istreambuf_iterator<char>(in)), {});
    if (in.good() || in.eof())
      if (there == text) return;
    refuse_existing(arguments, option);
  }
  Output(file, fmt::format("--{}", option), arguments).write_all(text);
}

std::optional<ArgumentText> plan_file(const Arguments& arguments, std::string_view noun) {
  std::optional<ArgumentText> csv = arguments.value("csv");
  if (csv && csv->text.empty()) fail(csv->where, "--csv needs a file name");
  if (csv && csv->text == "-") csv.reset();
  if (arguments.has("resume") && !csv)
    fail(arguments.all("resume").front().where, fmt::format("--resume needs the file of the interrupted {}", noun),
         "--csv FILE");
  return csv;
}

}  // namespace warptime::cli
