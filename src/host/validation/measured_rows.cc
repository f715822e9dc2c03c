#include "host/validation/measured_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/csv_line.h"
#include "base/missing_file.h"
#include "base/parse_number.h"
#include "host/validation/measured_figure.h"
#include "host/validation/validation_form.h"

namespace warptime::host {

using yaml::Entry;
using yaml::Node;
using yaml::StrictMap;

namespace {

/// A part of a scalar that stands in its file as it is read, from `at` on; the whole of another one.
SourceSpan part_of(const Node& node, size_t at, size_t length) {
  const size_t quote = node.quoted ? 1 : 0;
  if (node.where.length != node.text.size() + 2 * quote) return node.where;
  return {node.where.source, node.where.begin + static_cast<uint32_t>(at + quote), static_cast<uint32_t>(length)};
}

class MeasuredReader {
 public:
  MeasuredReader(const Entry& entry, const std::string& source, ValidationTable& table, Diagnostics& diagnostics)
      : entry_(entry),
        source_(source),
        table_(table),
        diagnostics_(diagnostics),
        map_(entry.value, fmt::format("measured \"{}\"", entry.key), validation_forms().measured, diagnostics) {}

  void read() {
    if (!map_.ok() || !read_keys() || !open_csv() || !read_head()) return;
    bool known = true;
    for (const Node* text : {name_, target_, param_, launch_})
      if (text != nullptr) known = check_columns(*text) && known;
    if (!check_expression() || !check_where() || !known) return;
    for (uint32_t number = 2; number <= csv_->line_count(); ++number)
      if (!without_blanks(csv_->line(number)).empty()) read_line(read_csv_line(*csv_, number));
    if (rows_.empty() && !diagnostics_.has_errors())
      diagnostics_.error(where_ == nullptr ? csv_node_->where : where_->where,
                         fmt::format("{} has no such row", csv_->name()));
    report_unused(roles_);
    report_unused(notes_);
  }

 private:
  using Cells = std::vector<CsvCell>;

  bool read_keys() {
    csv_node_ = map_.find("csv");
    where_ = map_.find("where");
    name_ = map_.find("name");
    target_ = map_.find("target");
    param_ = map_.find("param");
    launch_ = map_.find("launch");
    published_ = map_.find("published");
    unit_ = map_.read_word("quantity").value_or(kMicroseconds);
    const Node* figure = map_.find("figure");
    if (figure != nullptr) figure_ = read_figure(*figure, diagnostics_);
    machine_ = map_.find("machine");
    read_conditions(map_.find("conditions"));
    if (auto role = map_.read_word("role")) role_ = static_cast<Role>(*role);
    roles_ = map_.find("roles");
    notes_ = map_.find("notes");
    if (map_.find("source") == nullptr && source_.empty())
      diagnostics_.error(entry_.where, fmt::format("measured \"{}\" has no \"source\"", entry_.key),
                         "one of the file is for all rows without one");
    map_.read("source", source_);
    bool good = map_.finish() && (figure == nullptr || figure_);
    const std::array<std::pair<const char*, const Node*>, 7> texts{{{"csv", csv_node_},
                                                                    {"name", name_},
                                                                    {"target", target_},
                                                                    {"param", param_},
                                                                    {"launch", launch_},
                                                                    {"published", published_},
                                                                    {"machine", machine_}}};
    for (const auto& [key, node] : texts)
      if (std::string text; node != nullptr) good = yaml::read(*node, key, text, any(), diagnostics_) && good;
    for (const Node* node : {where_, roles_, notes_}) good = read_map(node) && good;
    return good && csv_node_ != nullptr && name_ != nullptr && target_ != nullptr && launch_ != nullptr &&
           published_ != nullptr;
  }

  /// Nothing, or a map of scalars.
  bool read_map(const Node* node) {
    if (node == nullptr) return true;
    if (node->kind != Node::Kind::Map) {
      diagnostics_.error(node->where, fmt::format("this must be a map, not {}", yaml::describe(*node)));
      return false;
    }
    std::string text;
    bool good = true;
    for (const Entry& each : node->entries) good = yaml::read(each.value, each.key, text, any(), diagnostics_) && good;
    return good;
  }

  void read_conditions(const Node* node) {
    if (!read_map(node) || node == nullptr) return;
    for (const Entry& each : node->entries) conditions_.push_back(each.key + "=" + each.value.text);
  }

  bool open_csv() {
    namespace fs = std::filesystem;
    const std::string path = (fs::path(table_.source->name()).parent_path() / csv_node_->text).string();
    std::string why;
    csv_ = SourceText::read_file(path, &why);
    if (csv_ == nullptr) {
      diagnostics_.add(cannot_read(path, why, csv_node_->where));
      return false;
    }
    diagnostics_.keep(csv_);
    table_.csv_files.push_back(csv_);
    return true;
  }

  bool read_head() {
    const CsvLine head = read_csv_line(*csv_, 1);
    if (is_cut(head)) return false;
    for (const CsvCell& cell : head.cells) {
      const bool again = std::find(columns_.begin(), columns_.end(), cell.text) != columns_.end();
      if (again || cell.text.empty())
        diagnostics_.error(cell.where.length > 0 ? cell.where : span_of(*csv_, csv_->line(1)),
                           again ? fmt::format("two columns are called \"{}\"", cell.text) : "a column has no name",
                           "the first line has the names of the columns");
      columns_.push_back(cell.text);
      if (again || cell.text.empty()) return false;
    }
    return true;
  }

  bool is_cut(const CsvLine& line) {
    if (line.open_quote.source == nullptr) return false;
    diagnostics_.error(line.open_quote, "this quote has no end in its line");
    return true;
  }

  std::optional<size_t> column(std::string_view name) const {
    auto found = std::find(columns_.begin(), columns_.end(), name);
    return found == columns_.end() ? std::nullopt : std::optional<size_t>(found - columns_.begin());
  }

  void report_unknown_column(SourceSpan where, std::string_view name) {
    const std::vector<std::string_view> known(columns_.begin(), columns_.end());
    std::string hint = did_you_mean(name, known);
    if (hint.empty()) hint = fmt::format("columns: {:.200}", fmt::format("{}", fmt::join(known, ", ")));
    diagnostics_.error(where, fmt::format("{} has no column \"{}\"", csv_node_->text, name), hint);
  }

  /// "a {b} c": calls text(" a ") and column("b", its place) in order; false for a brace alone.
  template <class OnText, class OnColumn>
  static bool parts_of(std::string_view text, OnText&& on_text, OnColumn&& on_column) {
    for (size_t at = 0; at < text.size();) {
      const size_t open = std::min(text.find('{', at), text.size());
      on_text(text.substr(at, open - at));
      if (open == text.size()) return true;
      const size_t close = text.find('}', open);
      if (close == std::string_view::npos) return false;
      on_column(text.substr(open + 1, close - open - 1), open + 1);
      at = close + 1;
    }
    return true;
  }

  bool check_columns(const Node& node) {
    bool good = true;
    const bool closed = parts_of(
        node.text, [](std::string_view) {},
        [&](std::string_view name, size_t at) {
          if (column(name)) return;
          report_unknown_column(part_of(node, at, std::max<size_t>(1, name.size())), name);
          good = false;
        });
    if (!closed)
      diagnostics_.error(node.where, fmt::format("\"{}\" has a {{ without a }}", node.text), "{COLUMN} is its cell");
    return good && closed;
  }

  bool check_expression() {
    std::string error;
    size_t at = 0;
    const std::vector<std::string> names = names_in(published_->text, error, at);
    if (!error.empty()) {
      diagnostics_.error(published_->where, fmt::format("\"{}\": {}", published_->text, error));
      return false;
    }
    for (const std::string& name : names)
      if (!column(name)) {
        report_unknown_column(part_of(*published_, published_->text.find(name), name.size()), name);
        return false;
      }
    return true;
  }

  bool check_where() {
    bool good = true;
    if (where_ != nullptr)
      for (const Entry& each : where_->entries)
        if (!column(each.key)) {
          report_unknown_column(each.where, each.key);
          good = false;
        }
    return good;
  }

  std::string filled(const Node& node, const Cells& cells) const {
    std::string out;
    parts_of(
        node.text, [&](std::string_view text) { out += text; },
        [&](std::string_view name, size_t) { out += cells[*column(name)].text; });
    return out;
  }

  void read_line(const CsvLine& line) {
    if (is_cut(line)) return;
    const Cells& cells = line.cells;
    const SourceSpan where = cells.front().where;
    if (cells.size() != columns_.size())
      return diagnostics_.error(
          where, fmt::format("a row of {} cells, and there are {} columns", cells.size(), columns_.size()));
    if (where_ != nullptr)
      for (const Entry& each : where_->entries)
        if (cells[*column(each.key)].text != each.value.text) return;
    ValidationRow row;
    row.name = filled(*name_, cells);
    row.quantity = figure_ ? figure_->quantity : std::string(kTimeUnits[unit_]);
    row.role = role_;
    row.source = source_;
    row.launch = filled(*launch_, cells);
    row.value_where = where;
    if (!read_published(cells, row)) return;
    const size_t run = find_run(cells);
    row.runs = {run};
    const std::string launch = fmt::format("{}.launches.{}.", table_.runs[run].name, row.launch);
    row.value = figure_ ? with_prefix(figure_->value, launch) : fmt::format("{}time_us{}", launch, kFromUs[unit_]);
    if (!check_row(row, where)) return;
    apply_exceptions(row);
    rows_.push_back(row.name);
    table_.rows.push_back(std::move(row));
  }

  bool check_row(const ValidationRow& row, SourceSpan where) {
    std::string error;
    size_t at = 0;
    const std::vector<std::string> names = names_in(row.value, error, at);
    if (!error.empty() || names.empty() || row.launch.empty() || row.launch.find('.') != std::string::npos) {
      diagnostics_.error(where, fmt::format("\"{}\" is neither a kernel nor the number of a launch", row.launch));
      return false;
    }
    const bool again = std::any_of(table_.rows.begin(), table_.rows.end(),
                                   [&](const ValidationRow& other) { return other.name == row.name; });
    if (again)
      diagnostics_.error(where, fmt::format("two rows are called \"{}\"", row.name),
                         "add a {COLUMN} to \"name\" that tells them apart");
    return !again;
  }

  /// False: the row is left out, or an error is in the diagnostics.
  bool read_published(const Cells& cells, ValidationRow& row) {
    bool reported = false;
    Evaluated time = evaluate(published_->text, [&](std::string_view name) -> std::optional<ExpressionValue> {
      const CsvCell& cell = cells[*column(name)];
      double value = 0;
      if (parse_number(cell.text, value) == NumberError::Ok) return value;
      if (!std::exchange(reported, true))
        diagnostics_.error(cell.where.length > 0 ? cell.where : cells.front().where,
                           fmt::format("\"{}\" is not a number", cell.text),
                           fmt::format("\"published\" of the table computes with the column \"{}\"", name));
      return std::nullopt;
    });
    if (reported) return false;
    const double* value = std::get_if<double>(&time.value);
    const bool is_number = time.error.empty() && value != nullptr;
    if (is_number && figure_ && (*value == 0 || *value < figure_->at_least)) return false;
    if (!is_number || !(*value > 0)) {
      diagnostics_.error(cells.front().where,
                         fmt::format("\"{}\" of this row is not a time{}", published_->text,
                                     time.error.empty() ? "" : ": " + time.error),
                         "a time is more than 0");
      return false;
    }
    row.published = *value;
    return true;
  }

  /// The run of the line's target and parameters: a new one, unless the table has it.
  size_t find_run(const Cells& cells) {
    ValidationRun run;
    run.target = filled(*target_, cells);
    run.target_where = target_->where;
    run.machine = machine_ == nullptr ? "geforce-8800-gtx" : machine_->text;
    run.machine_where = machine_ == nullptr ? entry_.where : machine_->where;
    run.conditions = conditions_;
    if (param_ != nullptr) read_parameters(filled(*param_, cells), cells.front().where, run);
    const auto same = std::find_if(table_.runs.begin(), table_.runs.end(), [&](const ValidationRun& other) {
      return other.target == run.target && other.parameters == run.parameters && other.machine == run.machine &&
             other.conditions == run.conditions && other.overrides.empty();
    });
    if (same != table_.runs.end()) return static_cast<size_t>(same - table_.runs.begin());
    run.name = fmt::format("{}_{}", entry_.key, ++runs_);
    table_.runs.push_back(std::move(run));
    return table_.runs.size() - 1;
  }

  void read_parameters(std::string_view text, SourceSpan where, ValidationRun& run) {
    while (!(text = without_blanks(text)).empty()) {
      const std::string_view word = text.substr(0, std::min(text.find_first_of(" \t"), text.size()));
      text.remove_prefix(word.size());
      if (const size_t equals = word.find('='); equals == 0 || equals == std::string_view::npos)
        diagnostics_.error(where, fmt::format("the parameter \"{}\" of this row is not NAME=VALUE", word));
      run.parameters.emplace_back(word);
      run.parameter_places.push_back({where, where});
    }
  }

  void apply_exceptions(ValidationRow& row) {
    if (const Node* note = find_exception(notes_, row.name)) row.note = note->text;
    if (const Node* role = find_exception(roles_, row.name))
      if (auto index = yaml::read_word(*role, "role", {kRoles.begin(), kRoles.end()}, diagnostics_))
        row.role = static_cast<Role>(*index);
  }
  static const Node* find_exception(const Node* map, std::string_view name) {
    if (map != nullptr)
      for (const Entry& each : map->entries)
        if (each.key == name) return &each.value;
    return nullptr;
  }

  /// Names of "roles" and "notes" that no row has.
  void report_unused(const Node* map) {
    if (map == nullptr) return;
    for (const Entry& each : map->entries)
      if (std::find(rows_.begin(), rows_.end(), each.key) == rows_.end())
        diagnostics_.error(each.where, fmt::format("measured \"{}\" has no row \"{}\"", entry_.key, each.key),
                           did_you_mean(each.key, {rows_.begin(), rows_.end()}));
  }

  static constexpr std::array<std::string_view, 3> kFromUs{" * 1000", "", " / 1000"};  // by unit

  const Entry& entry_;
  std::string source_;
  ValidationTable& table_;
  Diagnostics& diagnostics_;
  StrictMap map_;
  const Node *csv_node_ = nullptr, *where_ = nullptr, *name_ = nullptr, *target_ = nullptr, *param_ = nullptr;
  const Node *launch_ = nullptr, *published_ = nullptr, *machine_ = nullptr, *roles_ = nullptr, *notes_ = nullptr;
  size_t unit_ = kMicroseconds;
  Role role_ = Role::Predicted;
  std::vector<std::string> conditions_;
  std::shared_ptr<const SourceText> csv_;
  std::vector<std::string> columns_;
  std::optional<MeasuredFigure> figure_;  // nullopt: the time
  size_t runs_ = 0;                       // new ones
  std::vector<std::string> rows_;         // their names
};

}  // namespace

void read_measured(const Entry& entry, const std::string& source, ValidationTable& table, Diagnostics& diagnostics) {
  if (!is_plain_name(entry.key))
    return diagnostics.error(entry.where, fmt::format("\"{}\" cannot be the name of measured launches", entry.key),
                             "letters, digits and _, no digit first");
  MeasuredReader(entry, source, table, diagnostics).read();
}

}  // namespace warptime::host
