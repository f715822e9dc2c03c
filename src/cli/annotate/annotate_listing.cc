#include "cli/annotate/annotate_listing.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/user/cuda_sources.h"
#include "ptx/user/demangle.h"

namespace warptime::cli {

using sim::InstructionRow;
using Json = nlohmann::ordered_json;

namespace {

constexpr size_t kMarked = 5;  // costliest lines

// A line whose share of the cost is so much is coloured on a terminal.
constexpr double kHot = 0.1, kWarm = 0.02;
constexpr std::string_view kRed = "\033[31m", kYellow = "\033[33m", kPlain = "\033[0m";

void add(InstructionRow& to, const InstructionRow& from) {
  to.warp_instructions += from.warp_instructions;
  to.thread_instructions += from.thread_instructions;
  to.issued += from.issued;
  for (size_t i = 0; i < sim::kStallCount; ++i) to.stalls[i] += from.stalls[i];
  add_numbers(to.line_statistics, from.line_statistics);
}

/// What is needed to print a row's columns.
class ColumnWriter {
 public:
  ColumnWriter(const KernelListing& listing, const ColumnSet& columns, bool colour)
      : listing_(listing), columns_(columns), colour_(colour) {
    std::vector<uint64_t> costs;
    for (const InstructionRow& row : listing.rows) {
      all_ += columns.cost(row);
      if (row.line != 0) costs.push_back(columns.cost(row));
    }
    std::sort(costs.rbegin(), costs.rend());
    if (!costs.empty()) mark_ = std::max<uint64_t>(costs[std::min(kMarked, costs.size()) - 1], 1);
  }

  std::string header() const { return fmt::format("  {}  line\n", columns_.header); }
  std::string blank() const { return std::string(columns_.header.size() + 5, ' '); }
  /// The row with the text of its line and the remark behind it, `gap` apart.
  std::string line(const InstructionRow& row, std::string_view text) const {
    std::string remark = columns_.remark(listing_, row);
    std::string out = fmt::format("{} {}  {}{}", row.line != 0 && columns_.cost(row) >= mark_ ? '>' : ' ',
                                  columns_.cells(listing_, row), text, remark.empty() ? "" : "   // " + remark);
    std::string_view colour = colour_of(row);
    return fmt::format("{}{}{}\n", colour, out, colour.empty() ? "" : kPlain);
  }

 private:
  std::string_view colour_of(const InstructionRow& row) const {
    if (!colour_ || row.line == 0) return {};
    double share = static_cast<double>(columns_.cost(row)) / static_cast<double>(std::max<uint64_t>(all_, 1));
    return share >= kHot ? kRed : share >= kWarm ? kYellow : std::string_view();
  }

  const KernelListing& listing_;
  const ColumnSet& columns_;
  bool colour_;
  uint64_t mark_ = 1;  // cost of the last of the lines that are marked
  uint64_t all_ = 0;
};

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

std::string listing_text(const KernelListing& listing, const ColumnSet& columns, bool colour, bool all_calls) {
  std::string out = fmt::format("kernel {}, {} launch{}", ptx::demangled(listing.kernel), listing.launches,
                                listing.launches == 1 ? "" : "es");
  if (listing.timed)
    out += fmt::format(": {} issue slots, {} % issued", listing.issue.slots,
                       percent_cell(listing.issue.issued, listing.issue.slots));
  const ColumnWriter writer(listing, columns, colour);
  out += "\n" + writer.header();
  ptx::CudaSources sources(*listing.ptx);
  uint32_t shown = 0;
  // The line of the user above its instructions, and with it the calls.
  std::string_view source_file;
  uint32_t source_line = 0;
  const std::vector<std::string>* calls = nullptr;
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
        out += writer.blank() + fmt::format("{:>4}  {}\n", line, label);
    shown = row.line;
    const bool other_calls = all_calls && (calls == nullptr ? !row.calls.empty() : *calls != row.calls);
    if (row.source_line != 0 && (row.source_line != source_line || row.source_file != source_file || other_calls)) {
      std::string_view cuda = trimmed(sources.line(row.source_file, row.source_line));
      out += fmt::format("{}{}:{}{}{}\n", writer.blank(), row.source_file, row.source_line, cuda.empty() ? "" : ": ",
                         cuda);
      for (size_t c = 0; all_calls && c < row.calls.size(); ++c)
        out += fmt::format("{}  inlined: {}\n", writer.blank(), row.calls[c]);
    }
    source_line = row.source_line;
    source_file = row.source_file;
    calls = &row.calls;
    out += writer.line(row, fmt::format("{:>4}    {}", row.line, text));
    if (listing.native == nullptr) continue;
    if (std::string native = listing.native->line(i); !native.empty())
      out += fmt::format("{}{:10}{}\n", writer.blank(), "", native);
  }
  for (const InstructionRow& row : listing.rows)
    if (row.line == 0 && columns.cost(row) != 0) out += writer.line(row, "      no instruction");
  return out;
}

Json listing_json(const KernelListing& listing) {
  Json out;
  out["kernel"] = listing.kernel;
  if (listing.ptx != nullptr) out["file"] = listing.ptx->name();
  out["launches"] = listing.launches;
  out["issue"] = {{"slots", listing.issue.slots},
                  {"issued", listing.issue.issued},
                  {"stalls", host::to_json(listing.issue.stalls)}};
  out["lines"] = Json::array();
  for (size_t i = 0; i < listing.rows.size(); ++i) {
    const InstructionRow& row = listing.rows[i];
    Json line;
    line["line"] = row.line;
    line["text"] = row.text;
    if (!row.function.empty()) line["function"] = row.function;
    line["source_file"] = row.source_file;
    line["source_line"] = row.source_line;
    if (!row.calls.empty()) line["calls"] = row.calls;
    line["warp_instructions"] = row.warp_instructions;
    line["thread_instructions"] = row.thread_instructions;
    line["issued"] = row.issued;
    line["stalls"] = host::to_json(row.stalls);
    sim::LineStatistics::visit(row.line_statistics, [&line]<class Part>(const StatInfo& part, const Part& numbers) {
      Json& object = line[std::string(part.name)];
      Part::visit(numbers, [&object](const StatInfo& each, uint64_t n) { object[std::string(each.name)] = n; });
    });
    if (listing.native != nullptr && i < listing.native->rows().size()) line["native"] = listing.native->json(i);
    out["lines"].push_back(std::move(line));
  }
  return out;
}

}  // namespace warptime::cli
