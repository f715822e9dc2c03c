#include "host/report/value_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace warptime::host {

namespace {

constexpr size_t kPiece = 1 << 18;  // is handed over at once

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

/// Bytes that are not UTF-8 become U+FFFD.
void append_quoted(std::string& out, std::string_view text) {
  if (!is_plain(text)) {
    out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

}  // namespace

void write_json(ValueWriter& out, std::string_view key, const nlohmann::ordered_json& value) {
  if (value.is_object()) {
    out.begin_object(key);
    for (const auto& [name, member] : value.items()) write_json(out, name, member);
    out.end();
  } else if (value.is_array()) {
    out.begin_list(key);
    for (const nlohmann::ordered_json& item : value) write_json(out, {}, item);
    out.end();
  } else if (value.is_string()) {
    out.text(key, value.get_ref<const std::string&>());
  } else if (value.is_null()) {
    out.null(key);
  } else {
    out.json(key, value.dump());
  }
}

std::string real_text(double value) { return nlohmann::json(value).dump(); }

void JsonText::new_line() {
  if (out_.size() >= kPiece) flush();
  if (has_items_.back()) out_ += ',';
  has_items_.back() = true;
  if (ends_.empty()) return;  // the whole
  out_ += '\n';
  out_.append(2 * ends_.size(), ' ');
}

std::string& JsonText::begin_value(std::string_view key) {
  new_line();
  if (!ends_.empty() && ends_.back() == '}') {
    append_quoted(out_, key);
    out_ += ": ";
  }
  return out_;
}

void JsonText::begin_object(std::string_view key) {
  begin_value(key) += '{';
  has_items_.push_back(false);
  ends_.push_back('}');
}

void JsonText::begin_list(std::string_view key) {
  begin_value(key) += '[';
  has_items_.push_back(false);
  ends_.push_back(']');
}

void JsonText::end() {
  char end = ends_.back();
  ends_.pop_back();
  if (has_items_.back()) {
    out_ += '\n';
    out_.append(2 * ends_.size(), ' ');
  }
  has_items_.pop_back();
  out_ += end;
}

void JsonText::number(std::string_view key, uint64_t value) {
  fmt::format_int digits(value);
  begin_value(key).append(digits.data(), digits.size());
}
void JsonText::real(std::string_view key, double value) { begin_value(key) += real_text(value); }
void JsonText::text(std::string_view key, std::string_view value) { append_quoted(begin_value(key), value); }

void JsonText::items(std::string_view text) {
  if (text.empty()) return;
  flush();
  has_items_.back() = true;
  write_(text);
}

void JsonText::flush() {
  write_(out_);
  out_.clear();
}

void FlatCells::begin_object(std::string_view key) {
  Part part;
  if (!open_.back().is_list) part.prefix = fmt::format("{}{}.", open_.back().prefix, key);
  open_.push_back(std::move(part));
}

void FlatCells::begin_list(std::string_view key) {
  Part part;
  part.is_list = true;
  part.name = open_.back().prefix + std::string(key);
  open_.back().is_left_out |= open_.back().is_list;  // a list of lists
  open_.push_back(std::move(part));
}

void FlatCells::end() {
  Part part = std::move(open_.back());
  open_.pop_back();
  Part& outer = open_.back();
  if (!part.is_list && outer.is_list) {
    outer.is_left_out |= part.name.empty();
    outer.named.emplace_back(std::move(part.name), std::move(part.cells));
  } else if (!part.is_list) {
    std::move(part.cells.begin(), part.cells.end(), std::back_inserter(outer.cells));
  } else if (!part.is_left_out && part.named.empty()) {
    outer.cells.emplace_back(std::move(part.name), std::move(part.cell));
  } else if (!part.is_left_out) {
    std::sort(part.named.begin(), part.named.end());
    for (auto& [name, cells] : part.named)
      for (auto& [member, value] : cells)
        outer.cells.emplace_back(fmt::format("{}.{}.{}", part.name, name, member), std::move(value));
  }
}

void FlatCells::cell(std::string_view key, std::string_view value) {
  Part& part = open_.back();
  if (!part.is_list) {
    part.cells.emplace_back(part.prefix + std::string(key), value);
    return;
  }
  if (part.has_items) part.cell += ' ';
  part.has_items = true;
  part.cell += value;
}

void FlatCells::number(std::string_view key, uint64_t value) {
  fmt::format_int digits(value);
  cell(key, {digits.data(), digits.size()});
}
void FlatCells::real(std::string_view key, double value) { cell(key, real_text(value)); }

void FlatCells::text(std::string_view key, std::string_view value) {
  bool is_item = open_.size() > 1 && open_[open_.size() - 2].is_list && !open_.back().is_list;
  if (is_item && key == "name") open_.back().name = value;
  else cell(key, value);
}

}  // namespace warptime::host
