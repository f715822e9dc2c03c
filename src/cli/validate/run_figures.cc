#include "cli/validate/run_figures.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/parse_number.h"

namespace warptime::cli {

namespace {

using Json = nlohmann::ordered_json;

/// What an object of a list is called: by its name; a launch by its kernel.
std::string item_name(const Json& item) {
  if (!item.is_object()) return "";
  for (const char* key : {"name", "kernel"})
    if (item.contains(key) && item[key].is_string()) return item[key];
  return "";
}

/// The first object of this name in a list.
const Json* find_named_item(const Json& list, const std::string& name) {
  for (const Json& item : list)
    if (!name.empty() && item_name(item) == name) return &item;
  return nullptr;
}

/// A member of an object; of a list, by its index or name.
const Json* member_of(const Json& at, const std::string& key) {
  if (at.is_object()) return at.contains(key) ? &at.at(key) : nullptr;
  if (!at.is_array()) return nullptr;
  uint64_t index = 0;
  bool is_index = !key.starts_with("0x") && parse_number(key, index) == NumberError::Ok && index < at.size();
  return is_index ? &at.at(index) : find_named_item(at, key);
}

/// What a dotted name leads to; nullptr: nothing. `reached`: how much of the name is there, with its dot; `last`: what
/// that leads to.
const Json* follow(const Json& from, const std::string& name, size_t& reached, const Json*& last) {
  const Json* at = &from;
  for (size_t begin = 0; begin <= name.size();) {
    reached = begin;
    last = at;
    size_t end = std::min(name.find('.', begin), name.size());
    at = member_of(*at, name.substr(begin, end - begin));
    if (at == nullptr) return nullptr;
    begin = end + 1;
  }
  return at;
}

std::vector<std::string> keys_of(const Json& at) {
  std::vector<std::string> out;
  if (at.is_object())
    for (const auto& [key, value] : at.items()) out.push_back(key);
  else if (at.is_array())
    for (const Json& item : at)
      if (std::string name = item_name(item); !name.empty()) out.push_back(std::move(name));
  return out;
}

/// Every dotted name of a number or text below an object.
void add_names(const Json& at, const std::string& prefix, std::vector<std::string>& out) {
  for (const auto& [key, value] : at.items()) {
    if (value.is_object()) add_names(value, prefix + key + ".", out);
    else if (value.is_number() || value.is_string()) out.push_back(prefix + key);
  }
}

}  // namespace

RunFigure::RunFigure(std::string_view text) {
  size_t dot = std::min(text.find('.'), text.size());
  run = text.substr(0, dot);
  name = text.substr(std::min(dot + 1, text.size()));
}

std::optional<host::FigureValue> find_figure(const Json& report, const std::string& name) {
  for (const Json& figure : report.at("figures"))
    if (figure.at("name") == name) return figure.at("value").get<double>();
  for (const Json* from : {&report.at("total"), &report}) {
    size_t reached = 0;
    const Json* last = nullptr;
    const Json* at = follow(*from, name, reached, last);
    if (at != nullptr && at->is_number()) return at->get<double>();
    if (at != nullptr && at->is_string()) return at->get<std::string>();
  }
  return std::nullopt;
}

void report_unknown_figure(const host::ValidationRow& row, const host::Evaluated& value, const Json& report,
                           Diagnostics& mistakes) {
  const RunFigure figure(value.unknown);
  std::vector<std::string> known, figures = keys_of(report.at("figures"));
  add_names(report.at("total"), "", known);
  known.insert(known.end(), figures.begin(), figures.end());
  std::string inside;  // where the name is known up to its last parts
  for (const Json* from : {&report.at("total"), &report}) {
    size_t reached = 0;
    const Json* last = nullptr;
    const Json* at = follow(*from, figure.name, reached, last);
    if (at != nullptr && at->is_null()) return;  // it has no value in this run
    if (at != nullptr) inside = fmt::format("it has the parts {}", fmt::join(keys_of(*at), ", "));
    else
      for (const std::string& key : keys_of(*last)) {
        // Behind the name of a list's item, the figure's goes on.
        const size_t end =
            last->is_array() ? std::min(figure.name.find('.', reached), figure.name.size()) : figure.name.size();
        known.push_back(figure.name.substr(0, reached) + key + figure.name.substr(end));
      }
  }
  SourceSpan where = row.value_where;
  const auto quote = static_cast<uint32_t>(where.length == row.value.size() + 2 ? 1 : 0);
  if (where.length == row.value.size() + 2 * quote && value.at + value.unknown.size() <= row.value.size()) {
    const auto of_run = static_cast<uint32_t>(value.unknown.size() - figure.name.size());
    where.begin += static_cast<uint32_t>(value.at) + quote + of_run;
    where.length = static_cast<uint32_t>(std::max<size_t>(1, figure.name.size()));
  }
  std::string hint = inside;
  if (hint.empty()) hint = did_you_mean(figure.name, {known.begin(), known.end()});
  if (hint.empty())
    hint = "`warptime list statistics` has their names" +
           (figures.empty() ? std::string() : fmt::format("; the run also has {}", fmt::join(figures, ", ")));
  mistakes.error(where, fmt::format("run \"{}\" has no figure \"{}\"", figure.run, figure.name), hint);
}

}  // namespace warptime::cli
