// Reads a validation table: `runs`, a map of what to run, `rows`, a map of published figures, and perhaps `source`,
// where they were published.
#include <fmt/format.h>

#include <algorithm>

#include "host/validation/measured_rows.h"
#include "host/validation/validation.h"
#include "host/validation/validation_form.h"
#include "sim/model/yaml_reader.h"

namespace warptime::host {

using yaml::Entry;
using yaml::Node;
using yaml::StrictMap;

namespace {

class TableReader {
 public:
  TableReader(ValidationTable& table, Diagnostics& diagnostics) : table_(table), diagnostics_(diagnostics) {}

  void read() {
    auto root = yaml::parse(table_.source, diagnostics_);
    if (!root) return;
    if (is_launch_file(*root)) {
      diagnostics_.error(root->where, "this is a launch file, not a validation table",
                         "`warptime run` runs it; a validation table has \"runs\" and \"rows\" (docs/user-guide.md)");
      return;
    }
    StrictMap map(*root, "a validation table", forms_.file, diagnostics_);
    map.read("source", source_);
    const Node* runs = map.find("runs");
    const Node* rows = map.find("rows");
    const Node* measured = map.find("measured");
    map.read("only_if_named", table_.only_if_named);
    map.finish();
    if (runs != nullptr)
      for (const Entry& entry : entries(*runs, "runs")) read_run(entry);
    if (rows != nullptr)
      for (const Entry& entry : entries(*rows, "rows")) read_row(entry);
    if (measured != nullptr)
      for (const Entry& entry : entries(*measured, "measured")) read_measured(entry, source_, table_, diagnostics_);
  }

 private:
  /// It has a part that only launch files have, and none of a validation table.
  static bool is_launch_file(const Node& root) {
    auto has = [&](std::initializer_list<std::string_view> keys) {
      return std::any_of(root.entries.begin(), root.entries.end(), [&](const Entry& entry) {
        return std::find(keys.begin(), keys.end(), entry.key) != keys.end();
      });
    };
    return root.kind == Node::Kind::Map && has({"module", "launches"}) && !has({"runs", "rows", "measured"});
  }

  const std::vector<Entry>& entries(const Node& node, const char* what) {
    if (node.kind != Node::Kind::Map)
      diagnostics_.error(node.where, fmt::format("\"{}\" must be a map, not {}", what, yaml::describe(node)));
    return node.entries;
  }

  // {n: 4096} as "n=4096".
  std::vector<std::string> assignments(const Node* node, const char* what,
                                       std::vector<SettingPlace>* places = nullptr) {
    std::vector<std::string> out;
    if (node == nullptr) return out;
    for (const Entry& entry : entries(*node, what)) {
      std::string value;
      if (!yaml::read(entry.value, entry.key, value, any(), diagnostics_)) continue;
      out.push_back(entry.key + "=" + value);
      if (places != nullptr) places->push_back({entry.where, entry.value.where});
    }
    return out;
  }

  void read_run(const Entry& entry) {
    ValidationRun run;
    run.name = entry.key;
    run.machine = "geforce-8800-gtx";
    run.machine_where = entry.where;
    std::string error;
    size_t at = 0;
    if (names_in(entry.key, error, at) != std::vector<std::string>{entry.key} ||
        entry.key.find('.') != std::string::npos)
      diagnostics_.error(entry.where, fmt::format("\"{}\" cannot be a run's name", entry.key),
                         "letters, digits and _ can stand in the rows' values");
    StrictMap map(entry.value, fmt::format("run \"{}\"", entry.key), forms_.run, diagnostics_);
    if (!map.ok()) return;
    if (const Node* target = map.find("target")) {
      yaml::read(*target, "target", run.target, any(), diagnostics_);
      run.target_where = target->where;
    }
    run.parameters = assignments(map.find("param"), "param", &run.parameter_places);
    if (const Node* machine = map.find("machine")) {
      yaml::read(*machine, "machine", run.machine, any(), diagnostics_);
      run.machine_where = machine->where;
    }
    run.overrides = assignments(map.find("set"), "set");
    if (const Node* cpu = map.find("cpu")) read_cpu(*cpu, run.cpu);
    map.finish();
    table_.runs.push_back(std::move(run));
  }

  void read_cpu(const Node& node, CpuBaselineSpec& cpu) {
    StrictMap map(node, "cpu", forms_.cpu, diagnostics_);
    if (!map.ok()) return;
    if (const Node* processor = map.find("processor")) {
      yaml::read(*processor, "processor", cpu.processor, any(), diagnostics_);
      cpu.where = processor->where;
    }
    cpu.simd = map.read_word("code") == size_t{1};
    map.read("kernel_share", cpu.kernel_share);
    map.finish();
  }

  void read_row(const Entry& entry) {
    ValidationRow row;
    row.name = entry.key;
    StrictMap map(entry.value, fmt::format("row \"{}\"", entry.key), forms_.row, diagnostics_);
    if (!map.ok()) return;
    if (const Node* published = map.find("published")) read_published(*published, row);
    row.source = source_;
    map.read("quantity", row.quantity);
    if (map.find("source") == nullptr && source_.empty())
      diagnostics_.error(entry.value.where, fmt::format("row \"{}\" has no \"source\"", entry.key),
                         "one of the file is for all rows without one");
    map.read("source", row.source);
    map.read("note", row.note);
    if (auto index = map.read_word("role")) row.role = static_cast<Role>(*index);
    if (const Node* value = map.find("value")) read_value(*value, row);
    map.finish();
    table_.rows.push_back(std::move(row));
  }

  // A number, perhaps with an uncertainty, or samples of one; or a text where there is none.
  void read_published(const Node& node, ValidationRow& row) {
    if (node.kind == Node::Kind::Sequence) {
      if (!read_samples(node, row)) return;
    } else {
      std::string text;
      if (!yaml::read(node, "published", text, any(), diagnostics_)) return;
      auto number = published_number(text);
      if (number && !number->mistake.empty())
        return diagnostics_.error(node.where, fmt::format("\"{}\" is not a figure", text), number->mistake);
      row.published = text;
      // "4" in quotes is a text; nothing else is meant by "4 +- 1".
      if (number && (!node.quoted || number->range)) {
        row.published = number->value;
        row.range = number->range;
      }
    }
    if (row.published == FigureValue(0.0))
      diagnostics_.error(node.where, "an error relative to 0 means nothing", "give a figure that is not 0, or a text");
  }

  bool read_samples(const Node& node, ValidationRow& row) {
    std::vector<double> samples;
    for (const Node& item : node.items) {
      double sample = 0;
      if (!yaml::read(item, "a sample", sample, any(), diagnostics_)) return false;
      samples.push_back(sample);
    }
    if (samples.size() < 2) {
      diagnostics_.error(node.where,
                         fmt::format("\"published\" has {} sample{}: their spread needs two", samples.size(),
                                     samples.size() == 1 ? "" : "s"),
                         "[98.5, 101, 103], or a number alone");
      return false;
    }
    PublishedNumber of_samples = published_samples(samples);
    row.published = of_samples.value;
    row.range = of_samples.range;
    return true;
  }

  void read_value(const Node& node, ValidationRow& row) {
    if (!yaml::read(node, "value", row.value, any(), diagnostics_)) return;
    row.value_where = node.where;
    std::string error;
    size_t at = 0;
    std::vector<std::string> names = names_in(row.value, error, at);
    if (!error.empty()) return diagnostics_.error(node.where, fmt::format("\"{}\": {}", row.value, error));
    for (const std::string& name : names) use_run(name, node.where, row);
    if (names.empty()) diagnostics_.error(node.where, "a value must name a run's figure", "RUN.gflops, say");
  }

  void use_run(const std::string& name, SourceSpan where, ValidationRow& row) {
    std::string run_name = name.substr(0, name.find('.'));
    std::vector<std::string_view> known;
    for (size_t i = 0; i < table_.runs.size(); ++i) {
      known.push_back(table_.runs[i].name);
      if (known.back() != run_name) continue;
      if (std::find(row.runs.begin(), row.runs.end(), i) == row.runs.end()) row.runs.push_back(i);
      return;
    }
    diagnostics_.error(where, fmt::format("there is no run \"{}\"", run_name), did_you_mean(run_name, known));
  }

  ValidationTable& table_;
  const ValidationForms& forms_ = validation_forms();
  Diagnostics& diagnostics_;
  std::string source_;  // of every row that names no other
};

}  // namespace

ValidationTable load_validation_table(std::shared_ptr<const SourceText> source, std::string group,
                                      Diagnostics& diagnostics) {
  ValidationTable table;
  table.group = std::move(group);
  table.source = std::move(source);
  diagnostics.keep(table.source);
  TableReader(table, diagnostics).read();
  return table;
}

}  // namespace warptime::host
