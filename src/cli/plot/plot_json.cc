// The rows of a JSON file: objects become dotted names, lists of named objects the names in them.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "base/json_value.h"
#include "cli/plot/plot_table.h"

namespace warptime::cli {

namespace {

using Json = nlohmann::ordered_json;

/// The project's reader says where JSON is wrong and bounds its nesting; the values are read afterwards.
struct NoEvents : JsonEvents {
  void begin_object(std::string_view) override {}
  void begin_list(std::string_view) override {}
  void end() override {}
  void number(std::string_view, double, std::string_view) override {}
  void text(std::string_view, std::string_view) override {}
  void word(std::string_view, std::string_view) override {}
};

Json json_of_file(const ArgumentText& file, const SourceText& source) {
  NoEvents nothing;
  size_t at = 0;
  auto read = [&](char* to, size_t most) {
    size_t count = source.text().copy(to, most, at);
    at += count;
    return count;
  };
  if (auto mistake = read_json(read, nothing)) {
    auto offset = static_cast<uint32_t>(std::min<uint64_t>(mistake->offset, source.text().size()));
    fail({&source, offset, 1}, fmt::format("this is not JSON: {}", mistake->what));
  }
  std::optional<Json> out = parse_json(source.text());
  if (!out) fail(file.where, fmt::format("{} is not JSON", file.text));
  return std::move(*out);
}

class JsonRows {
 public:
  JsonRows(const ArgumentText& file, PlotTable& table) : file_(file), table_(table) {
    for (const std::string& column : table.columns) places_.emplace(column, places_.size());
  }

  void add(const Json& object) {
    begin_row();
    flatten(object, "");
  }
  void add_total(const Json& statistics) {
    begin_row();
    set("file", file_.text);
    set("target", text_of(statistics.value("target", Json())));
    set("machine", statistics["machine"].is_object() ? text_of(statistics["machine"].value("name", Json())) : "");
    flatten(statistics["total"], "");
  }
  /// Rows of before a column was known get empty cells.
  void finish() {
    for (auto& row : table_.rows) row.resize(table_.columns.size(), {"", file_.where});
  }

 private:
  void begin_row() { table_.rows.emplace_back(); }
  void set(const std::string& column, std::string text) {
    auto [found, is_new] = places_.emplace(column, table_.columns.size());
    if (is_new) table_.columns.push_back(column);
    std::vector<PlotCell>& row = table_.rows.back();
    if (row.size() <= found->second) row.resize(found->second + 1, {"", file_.where});
    row[found->second].text = std::move(text);
  }
  static std::string text_of(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    return value.is_null() || value.is_structured() ? std::string() : value.dump();
  }
  // One level of the stack per level of the file, of which the reader allows 256.
  void flatten(const Json& value, const std::string& name) {
    auto below = [&](const std::string& key) { return name.empty() ? key : name + "." + key; };
    if (value.is_object()) {
      for (const auto& [key, member] : value.items())
        if (key != "instructions") flatten(member, below(key));  // a table of its own
    } else if (value.is_array()) {
      for (size_t i = 0; i < value.size(); ++i) {
        bool named = value[i].is_object() && value[i].contains("name") && value[i]["name"].is_string();
        flatten(value[i], below(named ? value[i]["name"].get<std::string>() : fmt::format("{}", i)));
      }
    } else {
      set(name, text_of(value));
    }
  }

  const ArgumentText& file_;
  PlotTable& table_;
  std::map<std::string, size_t> places_;
};

const Json* list_of_objects(const Json& document, const char* key) {
  if (!document.is_object() || !document.contains(key)) return nullptr;
  const Json& list = document[key];
  bool objects = list.is_array() && std::all_of(list.begin(), list.end(), [](const Json& v) { return v.is_object(); });
  return objects ? &list : nullptr;
}

bool is_statistics(const Json& document) {
  return list_of_objects(document, "launches") != nullptr && document.contains("total") &&
         document["total"].is_object() && document.contains("machine");
}

}  // namespace

void add_json_rows(const ArgumentText& file, const SourceText& source, bool alone, PlotTable& table) {
  const Json document = json_of_file(file, source);
  JsonRows rows(file, table);
  if (!alone) {
    if (!is_statistics(document))
      fail(file.where, fmt::format("{} is not a statistics file", file.text),
           "of several files each is the statistics of a run (`warptime run TARGET --stats FILE.json`)");
    rows.add_total(document);
  } else if (const Json* list = list_of_objects(document, "rows"); list != nullptr) {
    for (const Json& row : *list) rows.add(row);
  } else if (const Json* launches = list_of_objects(document, "launches"); launches != nullptr) {
    for (const Json& launch : *launches) rows.add(launch);
  } else if (document.is_array() && !document.empty() &&
             std::all_of(document.begin(), document.end(), [](const Json& v) { return v.is_object(); })) {
    for (const Json& item : document) is_statistics(item) ? rows.add_total(item) : rows.add(item);
  } else {
    fail(file.where, fmt::format("{} has nothing to draw: neither \"rows\" nor \"launches\"", file.text),
         "`plot` draws the JSON of sweep, validate and whatif, statistics files, and lists of objects");
  }
  rows.finish();
}

}  // namespace warptime::cli
