#include "cli/annotate/annotate_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/cuda_sources.h"

namespace warptime::cli {

using sim::InstructionRow;
using Json = nlohmann::ordered_json;

namespace {

constexpr size_t kMarked = 5;             // costliest lines
constexpr size_t kReasons = 2;            // printed a line
constexpr double kLeastPrinted = 0.0005;  // share of all slots below which a reason is not worth a column

uint64_t stalled(const InstructionRow& row) {
  return std::accumulate(row.stalls.begin(), row.stalls.end(), uint64_t{0});
}
uint64_t slots(const InstructionRow& row) { return row.issued + stalled(row); }

void add(InstructionRow& to, const InstructionRow& from) {
  to.warp_instructions += from.warp_instructions;
  to.thread_instructions += from.thread_instructions;
  to.issued += from.issued;
  for (size_t i = 0; i < sim::kStallCount; ++i) to.stalls[i] += from.stalls[i];
}

std::string percent(uint64_t part, uint64_t whole) {
  if (part == 0) return "";
  return fmt::format("{:.1f}", 100.0 * static_cast<double>(part) / static_cast<double>(std::max<uint64_t>(whole, 1)));
}

std::string reasons_text(const InstructionRow& row, uint64_t whole) {
  std::vector<size_t> order(sim::kStallCount);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return row.stalls[a] > row.stalls[b]; });
  std::string out;
  for (size_t i = 0; i < kReasons; ++i) {
    uint64_t count = row.stalls[order[i]];
    if (static_cast<double>(count) < kLeastPrinted * static_cast<double>(whole) || count == 0) break;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", sim::kStalls[order[i]].key, percent(count, whole));
  }
  return out;
}

/// Cost of the last of the lines that are marked.
uint64_t marked_from(const KernelListing& listing) {
  std::vector<uint64_t> costs;
  for (const InstructionRow& row : listing.rows)
    if (row.line != 0) costs.push_back(slots(row));
  std::sort(costs.rbegin(), costs.rend());
  return costs.empty() ? 1 : std::max<uint64_t>(costs[std::min(kMarked, costs.size()) - 1], 1);
}

std::string columns(const KernelListing& listing, const InstructionRow& row, uint64_t mark) {
  double lanes = row.warp_instructions == 0
                     ? 0.0
                     : static_cast<double>(row.thread_instructions) / static_cast<double>(row.warp_instructions);
  return fmt::format("{} {:>12} {:>5} {:>7} {:>8}  ", row.line != 0 && slots(row) >= mark ? '>' : ' ',
                     row.warp_instructions, row.warp_instructions == 0 ? "" : fmt::format("{:.1f}", lanes),
                     percent(row.issued, listing.issue.slots), percent(stalled(row), listing.issue.slots));
}

std::string blank_columns() { return fmt::format("{:38}  ", ""); }

std::string_view trimmed(std::string_view line) {
  size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

std::string_view without_comment(std::string_view line) { return trimmed(line.substr(0, line.find("//"))); }

/// The statement that begins in this line. If it continues in further lines (nvcc gives each part of a call its own),
/// they are joined: "call.uni (retval0), f, (param0);".
std::string statement(const SourceText& ptx, uint32_t line) {
  std::string first(trimmed(ptx.line(line)));
  std::string out(without_comment(first));
  // Whole already; or an empty kernel's ret, which stands at the header.
  if (out.empty() || out.front() == '.' || out.find(';') != std::string::npos) return first;
  for (uint32_t next = line + 1; out.find(';') == std::string::npos; ++next) {
    if (next > ptx.line_count()) return first;
    std::string_view part = without_comment(ptx.line(next));
    bool tight = part.empty() || part.front() == ')' || out.back() == '(';
    out.append(tight ? "" : " ").append(part);
  }
  return out;
}

}  // namespace

std::vector<KernelListing> kernel_listings(const host::RunReport& report) {
  std::vector<KernelListing> out;
  for (const sim::LaunchStatistics& launch : report.launches) {
    auto same = [&](const KernelListing& l) { return l.kernel == launch.kernel && l.ptx == launch.ptx; };
    auto found = std::find_if(out.begin(), out.end(), same);
    if (found == out.end()) {
      out.push_back({launch.kernel, 0, launch.timed, {}, launch.instructions, launch.ptx});
      found = out.end() - 1;
    } else {
      for (size_t i = 0; i < found->rows.size() && i < launch.instructions.size(); ++i)
        add(found->rows[i], launch.instructions[i]);
    }
    ++found->launches;
    found->issue.slots += launch.issue.slots;
    found->issue.issued += launch.issue.issued;
    for (size_t i = 0; i < sim::kStallCount; ++i) found->issue.stalls[i] += launch.issue.stalls[i];
  }
  return out;
}

std::string text_as_written(const std::vector<InstructionRow>& rows, size_t i, const SourceText& ptx) {
  uint32_t line = rows[i].line;
  bool alone = (i == 0 || rows[i - 1].line != line) && (i + 1 == rows.size() || rows[i + 1].line != line);
  std::string text = alone ? statement(ptx, line) : rows[i].text;
  std::replace(text.begin(), text.end(), '\t', ' ');
  if (size_t gap = text.find("  "); gap != std::string::npos) text.erase(gap, 1);  // nvcc puts a blank and a tab
  return text;
}

std::string listing_text(const KernelListing& listing) {
  std::string out =
      fmt::format("kernel {}, {} launch{}", listing.kernel, listing.launches, listing.launches == 1 ? "" : "es");
  if (listing.timed)
    out += fmt::format(": {} issue slots, {} % issued", listing.issue.slots,
                       percent(listing.issue.issued, listing.issue.slots));
  out += fmt::format("\n{} {:>12} {:>5} {:>7} {:>8}  {}\n", ' ', "executions", "lanes", "issue %", "stall %", "line");
  uint64_t mark = marked_from(listing);
  report::CudaSources sources(*listing.ptx);
  uint32_t shown = 0, source_line = 0;
  std::string_view function;
  for (size_t i = 0; i < listing.rows.size(); ++i) {
    const InstructionRow& row = listing.rows[i];
    if (row.line == 0) continue;
    if (row.function != function) {
      function = row.function;
      shown = 0;
      out += fmt::format("function {}\n", function);
    }
    std::string text = text_as_written(listing.rows, i, *listing.ptx);
    // Labels and whatever else stands between two instructions.
    for (uint32_t line = shown + 1; shown != 0 && line < row.line; ++line)
      if (std::string_view label = trimmed(listing.ptx->line(line)); label.ends_with(':'))
        out += blank_columns() + fmt::format("{:>4}  {}\n", line, label);
    shown = row.line;
    if (row.source_line != 0 && row.source_line != source_line)
      if (std::string cuda(trimmed(sources.line(row.source_file, row.source_line))); !cuda.empty())
        out += fmt::format("{}{}:{}: {}\n", blank_columns(), row.source_file, row.source_line, cuda);
    source_line = row.source_line;
    std::string reasons = reasons_text(row, listing.issue.slots);
    out += columns(listing, row, mark) +
           fmt::format("{:>4}    {}{}\n", row.line, text, reasons.empty() ? "" : "   // " + reasons);
  }
  for (const InstructionRow& row : listing.rows)
    if (row.line == 0 && slots(row) != 0)
      out += columns(listing, row, mark) +
             fmt::format("      no instruction   // {}\n", reasons_text(row, listing.issue.slots));
  return out;
}

Json listing_json(const KernelListing& listing) {
  Json out;
  out["kernel"] = listing.kernel;
  out["launches"] = listing.launches;
  out["issue"] = {{"slots", listing.issue.slots},
                  {"issued", listing.issue.issued},
                  {"stalls", host::to_json(listing.issue.stalls)}};
  out["lines"] = Json::array();
  for (const InstructionRow& row : listing.rows) {
    Json line;
    line["line"] = row.line;
    line["text"] = row.text;
    if (!row.function.empty()) line["function"] = row.function;
    line["source_file"] = row.source_file;
    line["source_line"] = row.source_line;
    line["warp_instructions"] = row.warp_instructions;
    line["thread_instructions"] = row.thread_instructions;
    line["issued"] = row.issued;
    line["stalls"] = host::to_json(row.stalls);
    out["lines"].push_back(std::move(line));
  }
  return out;
}

}  // namespace warptime::cli
