#include "cli/exec/exec_summary.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "base/parse_number.h"
#include "base/plural.h"
#include "cli/text_table.h"
#include "host/report/summary.h"
#include "ptx/user/demangle.h"

namespace warptime::cli {

namespace {

constexpr size_t kLongestName = 48;  // of a kernel; longer ones are cut

struct Sum {
  uint64_t count = 0, amount = 0;  // bytes, or warp instructions
  double us = 0;
};

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find('\t', begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

uint64_t whole_in(const std::vector<std::string_view>& fields, size_t at) {
  uint64_t value = 0;
  if (at < fields.size()) parse_number(fields[at], value);
  return value;
}
double real_in(const std::vector<std::string_view>& fields, size_t at) {
  double value = 0;
  if (at < fields.size()) parse_number(fields[at], value);
  return value;
}

void add(Sum& sum, uint64_t amount, double us) {
  ++sum.count;
  sum.amount += amount;
  sum.us += us;
}

}  // namespace

ExecSummary summarize_exec(std::string_view lines, const std::string& program, const std::string& machine) {
  ExecSummary out;
  std::map<std::string, size_t, std::less<>> place;  // kernels in the order of their first launches
  std::vector<std::pair<std::string, Sum>> kernels;
  std::map<std::string, Sum> copies;
  uint64_t launches = 0;
  double time_us = 0;
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    const std::vector<std::string_view> fields = fields_of(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const std::string_view what = fields.front();
    if (what == "kernel" && fields.size() == 5) {
      auto [known, is_new] = place.emplace(std::string(fields[1]), kernels.size());
      if (is_new) {
        kernels.emplace_back(std::string(fields[1]), Sum{});
        out.kernels.emplace_back(fields[1]);
      }
      add(kernels[known->second].second, whole_in(fields, 4), real_in(fields, 3));
      ++launches;
    }
    if (what == "copy" && fields.size() == 4)
      add(copies["copies " + std::string(fields[1])], whole_in(fields, 2), real_in(fields, 3));
    if (what == "fill") add(copies["fills"], whole_in(fields, 1), real_in(fields, 2));
    if (what == "time") time_us += real_in(fields, 1);
    out.faulted = out.faulted || what == "fault";
  }
  if (launches == 0 && copies.empty()) return out;
  out.text = fmt::format("\n{} on {}: {}", program, machine, plural(launches, "launch", "launches"));
  if (time_us > 0) out.text += fmt::format(", {:.1f} us simulated", time_us);
  out.text += "\n";
  // Functional runs have no times.
  TextRows rows;
  auto row = [&](std::string name, std::string count, std::string us, std::string amount) {
    rows.push_back({std::move(name), std::move(count), std::move(amount)});
    if (time_us > 0) rows.back().insert(rows.back().begin() + 2, std::move(us));
  };
  auto sum_row = [&](std::string name, const Sum& sum) {
    row(std::move(name), host::grouped(sum.count), fmt::format("{:.1f}", sum.us), host::grouped(sum.amount));
  };
  if (!kernels.empty()) row("kernel", "launches", "time us", "warp instructions");
  for (const auto& [name, sum] : kernels) {
    std::string shown = ptx::short_name(name);
    if (shown.size() > kLongestName) shown = shown.substr(0, kLongestName - 3) + "...";
    sum_row(std::move(shown), sum);
  }
  if (!copies.empty()) row("", "number", "time us", "bytes");
  for (const auto& [name, sum] : copies) sum_row(name, sum);
  out.text += text_table(rows, "  ");
  return out;
}

}  // namespace warptime::cli
