// A machine program as text and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/plural.h"
#include "host/native_view/native_view.h"

namespace warptime::host {

using nlohmann::ordered_json;
using ptx::kNoIndex;

namespace {

std::string at_least(uint32_t cycles, bool may_be_more) { return fmt::format("{}{}", cycles, may_be_more ? "+" : ""); }
std::string issue_text(const NativeRow& row) { return at_least(row.issue_cycles, row.may_issue_longer); }
std::string pipe_text(const NativeRow& row) { return at_least(row.pipe_cycles, row.may_take_longer); }

/// "-" for an instruction without a result.
std::string latency_text(const NativeRow& row) {
  if (row.off_chip) return "memory";
  return row.latency ? at_least(*row.latency, row.may_take_longer) : "-";
}

// The columns of the table. What a row without native instructions has of them is its reason, in place of the native
// instructions, and its PTX.
constexpr size_t kColumns = 11, kNative = 6, kSource = 10;
using Cells = std::array<std::string, kColumns>;
constexpr std::array<bool, kColumns> kRight{true, true, false, true, true, true, false, false, false, true, false};

}  // namespace

std::string NativeView::numbers(const NativeRow& row) const {
  return row.count > 1 ? fmt::format("{}-{}", row.first, row.first + row.count - 1) : fmt::to_string(row.first);
}

/// Behind the last instruction is an exit.
uint32_t NativeView::target_number(const NativeRow& row) const {
  return row.target < rows_.size() ? rows_[row.target].first : native_;
}

std::string NativeView::line(size_t instruction) const {
  if (instruction >= rows_.size()) return {};
  const NativeRow& row = rows_[instruction];
  if (row.count == 0) {
    if (row.anchor == kNoIndex) return fmt::format("no native instruction: {}", row.why);
    const NativeRow& whole = rows_[row.anchor];
    return fmt::format("in #{} of line {}: {}", numbers(whole), whole.line, row.why);
  }
  std::string out = fmt::format("#{} {}: {}", numbers(row), row.unit, row.text);
  if (row.target != kNoIndex) out += fmt::format(" to #{}", target_number(row));
  out += fmt::format("; issue {}, pipe {}", issue_text(row), pipe_text(row));
  if (row.off_chip || row.latency) out += fmt::format(", latency {}", latency_text(row));
  if (!row.writes.empty()) out += fmt::format("; writes {}", fmt::join(row.writes, ", "));
  if (!row.waits.empty()) out += fmt::format("; waits for {}", fmt::join(row.waits, ", "));
  if (!row.parts.empty()) {
    std::vector<uint32_t> lines;
    for (uint32_t part : row.parts) lines.push_back(rows_[part].line);
    out += fmt::format("; with line{} {}", lines.size() == 1 ? "" : "s", fmt::join(lines, ", "));
  }
  return out;
}

std::string NativeView::heading(const std::string& machine) const {
  std::string out = fmt::format("\nkernel {} on {}: {}, {} native, {} per thread", kernel_, machine,
                                plural(ptx_, "PTX instruction"), native_, plural(registers_, "register"));
  if (spilled_ != 0) out += fmt::format(", {} spilled to {} of local memory", spilled_, plural(spill_bytes_, "byte"));
  return out + (is_scheduled_ ? "; in the order of native.schedule: list\n" : "; in the order of the PTX\n");
}

std::string NativeView::table(const std::string& machine) const {
  std::vector<Cells> lines{
      {"number", "count", "unit", "issue", "pipe", "latency", "native", "writes", "waits for", "line", "PTX"}};
  std::vector<std::string> sources{"CUDA"}, functions{""};
  auto add = [&](Cells cells, const NativeRow& row) {
    if (row.line != 0) cells[kSource - 1] = fmt::to_string(row.line);
    cells[kSource] = row.ptx;
    lines.push_back(std::move(cells));
    sources.push_back(row.source);
    functions.push_back(row.function);
  };
  for (const NativeRow& row : rows_) {
    if (row.count == 0) {
      if (row.anchor == kNoIndex) add({"-", "0", "", "", "", "", row.why}, row);
      continue;
    }
    std::string text = row.text;
    if (row.target != kNoIndex) text += fmt::format(" to #{}", target_number(row));
    add({numbers(row), fmt::to_string(row.count), std::string(row.unit), issue_text(row), pipe_text(row),
         latency_text(row), std::move(text), fmt::format("{}", fmt::join(row.writes, " ")),
         fmt::format("{}", fmt::join(row.waits, " "))},
        row);
    for (uint32_t part : row.parts) add({"", "", "", "", "", "", "  " + rows_[part].why}, rows_[part]);
  }
  std::array<size_t, kColumns> widths{};
  for (const Cells& cells : lines)
    for (size_t c = 0; c < kColumns; ++c) {
      // The reason may be longer than the column, and goes on into those that it leaves empty.
      if (c == kNative && cells[0].empty()) continue;
      widths[c] = std::max(widths[c], cells[c].size());
    }
  size_t source_width = 0;
  for (size_t i = 1; i < sources.size(); ++i) source_width = std::max(source_width, sources[i].size());
  if (source_width != 0) source_width = std::max(source_width, sources[0].size());

  std::string out = heading(machine);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0 && functions[i] != functions[i - 1]) out += fmt::format("  function {}\n", functions[i]);
    std::string text;
    for (size_t c = 0; c < kColumns; ++c) {
      if (c == kSource && source_width != 0) text += fmt::format("  {:<{}}", sources[i], source_width);
      if (c == kNative && lines[i][0].empty() && i > 0) {
        const size_t room = widths[kNative] + widths[kNative + 1] + widths[kNative + 2] + 4;
        text += fmt::format("  {:<{}}", lines[i][c], room);
        c += 2;
        continue;
      }
      if (kRight[c]) text += fmt::format("  {:>{}}", lines[i][c], widths[c]);
      else text += fmt::format("  {:<{}}", lines[i][c], widths[c]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

ordered_json NativeView::json(size_t instruction) const {
  const NativeRow& row = rows_.at(instruction);
  auto text = [](const std::string& given) { return given.empty() ? ordered_json() : ordered_json(given); };
  ordered_json out{{"line", row.line}, {"source", text(row.source)}, {"ptx", row.ptx}, {"native_count", row.count}};
  if (!row.function.empty()) out["function"] = row.function;
  if (!row.why.empty()) out["why"] = row.why;
  if (row.count == 0) {
    out["issues_with_line"] = row.anchor == kNoIndex ? ordered_json() : ordered_json(rows_[row.anchor].line);
    return out;
  }
  out["number"] = row.first;
  out["unit"] = row.unit;
  out["native"] = row.text;
  out["issue_cycles"] = row.issue_cycles;
  out["pipe_cycles"] = row.pipe_cycles;
  out["latency"] = row.latency ? ordered_json(*row.latency) : ordered_json();
  out["may_issue_longer"] = row.may_issue_longer;
  out["may_take_longer"] = row.may_take_longer;
  out["writes"] = row.writes;
  out["waits_for"] = row.waits;
  out["shared_operand"] = text(row.shared_operand);
  out["constant_operand"] = text(row.constant_operand);
  if (row.target != kNoIndex) out["target"] = target_number(row);
  out["parts"] = ordered_json::array();
  for (uint32_t part : row.parts) out["parts"].push_back(json(part));
  return out;
}

/// In the order in which they issue; what issues with another is among its parts.
ordered_json NativeView::json() const {
  ordered_json out{{"order", is_scheduled_ ? "list" : "source"},
                   {"physical_registers", is_allocated_},
                   {"registers", registers_},
                   {"spilled_registers", spilled_},
                   {"spill_bytes", spill_bytes_},
                   {"native_count", native_},
                   {"instructions", ordered_json::array()}};
  for (size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].count != 0 || rows_[i].anchor == kNoIndex) out["instructions"].push_back(json(i));
  return out;
}

}  // namespace warptime::host
