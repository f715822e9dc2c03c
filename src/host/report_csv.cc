// The flat form of a report: dotted names and cells, and CSV made of them.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "host/report.h"

namespace warptime::host {

using nlohmann::ordered_json;

namespace {

std::string cell_text(const ordered_json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  return value.dump();
}

using Cells = std::vector<std::pair<std::string, std::string>>;
void flatten_into(const std::string& prefix, const ordered_json& value, Cells& out);

/// A list of objects that have a name each, which stands for their place: sorted, so that the columns are the same
/// whatever the order.
void flatten_named(const std::string& prefix, const ordered_json& list, Cells& out) {
  std::map<std::string, const ordered_json*> named;
  for (const ordered_json& item : list) named.emplace(item.at("name").get<std::string>(), &item);
  for (const auto& [name, item] : named) {
    ordered_json rest = *item;
    rest.erase("name");
    flatten_into(prefix + "." + name, rest, out);
  }
}

void flatten_into(const std::string& prefix, const ordered_json& value, Cells& out) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items())
      flatten_into(prefix.empty() ? key : prefix + "." + key, member, out);
  } else if (value.is_array()) {
    std::string cell;
    for (const ordered_json& item : value) {
      if (item.is_object() && item.contains("name")) {
        flatten_named(prefix, value, out);
        return;
      }
      if (item.is_structured()) return;
      if (!cell.empty()) cell += ' ';
      cell += cell_text(item);
    }
    out.emplace_back(prefix, cell);
  } else {
    out.emplace_back(prefix, cell_text(value));
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> flatten(const ordered_json& value) {
  std::vector<std::pair<std::string, std::string>> out;
  flatten_into("", value, out);
  return out;
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string to_csv(const RunReport& report) {
  ordered_json json = to_json(report);
  ordered_json& launches = json["launches"];
  bool sampled =
      std::any_of(launches.begin(), launches.end(), [](const ordered_json& l) { return !l["sampling"].is_null(); });
  std::vector<std::vector<std::pair<std::string, std::string>>> rows;
  std::vector<std::string> columns;
  for (ordered_json& launch : launches) {
    launch.erase("instructions");
    launch.erase("issue_by_sm");
    // Not every launch of a sampled run need be sampled; else launches have the same parts.
    if (sampled && launch["sampling"].is_null()) launch.erase("sampling");
    ordered_json row;
    row["machine"] = json["machine"];
    row["target"] = json["target"];
    row.update(launch);
    rows.push_back(flatten(row));
    if (rows.size() > 1 && rows.back().size() <= columns.size()) continue;
    columns.clear();
    for (const auto& [name, cell] : rows.back()) columns.push_back(name);
  }
  std::string out;
  for (size_t i = 0; i < columns.size(); ++i) out += (i > 0 ? "," : "") + csv_cell(columns[i]);
  if (!columns.empty()) out += '\n';
  for (const auto& cells : rows) {
    for (size_t i = 0; i < columns.size(); ++i) {
      auto found = std::find_if(cells.begin(), cells.end(), [&](const auto& cell) { return cell.first == columns[i]; });
      out += (i > 0 ? "," : "") + (found == cells.end() ? "" : csv_cell(found->second));
    }
    out += '\n';
  }
  return out;
}

}  // namespace warptime::host
