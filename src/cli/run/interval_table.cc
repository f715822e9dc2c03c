#include "cli/run/interval_table.h"

#include <fmt/format.h>

#include <charconv>

#include "host/report/interval_counters.h"
#include "host/report/report.h"

namespace warptime::cli {

namespace {

constexpr std::string_view kHeader = "launch,kernel,cycle,cycles";

struct Wanted {
  Cycle cycles = 0;
  ArgumentText file;
};

Wanted read_option(const ArgumentText& option) {
  Wanted out;
  std::string_view text = option.text;
  size_t sign = text.find('=');
  auto [end, error] = std::from_chars(text.data(), text.data() + std::min(sign, text.size()), out.cycles);
  if (sign == std::string_view::npos || error != std::errc() || end != text.data() + sign || out.cycles == 0 ||
      out.cycles >= kNever)
    fail(option.where, fmt::format("--interval is a number of cycles and a file, N=FILE.csv, not \"{}\"", text),
         "as in --interval 1000=counters.csv");
  out.file = {std::string(text.substr(sign + 1)), option.where};
  if (!out.file.text.ends_with(".csv") && out.file.text != "-")
    fail(option.where, fmt::format("--interval writes CSV, and \"{}\" does not end in .csv", out.file.text),
         "as in --interval 1000=counters.csv");
  return out;
}

}  // namespace

void check_interval(const ArgumentText& option, const sim::RunOptions& options) {
  if (options.functional) fail(option.where, "--interval counts cycles, and a functional run has none");
  if (options.sampling != sim::Sampling::Off)
    fail(option.where, "--interval counts in every cycle, and a sampled run times some of them only");
}

IntervalTable::IntervalTable(const ArgumentText& option, const Arguments& arguments)
    : LaunchListener({.interval = read_option(option).cycles}),
      out_(read_option(option).file, "--interval", arguments) {}

void IntervalTable::interval(const sim::LaunchInterval& part) {
  std::vector<host::IntervalCounter> counters = host::interval_counters(part.counted);
  std::string lines;
  if (!has_header_) {
    lines = kHeader;
    for (const host::IntervalCounter& counter : counters) lines += ',' + counter.name;
    lines += '\n';
    has_header_ = true;
  }
  lines +=
      fmt::format("{},{},{},{}", part.launch, host::csv_cell(part.counted.kernel), part.end, part.end - part.begin);
  for (const host::IntervalCounter& counter : counters) lines += ',' + host::text_of(counter);
  out_.write(lines + "\n");
}

void IntervalTable::finish() {
  if (!has_header_) out_.write(fmt::format("{}\n", kHeader));  // it launched nothing
  out_.finish();
}

std::optional<IntervalTable> interval_table(const Arguments& arguments, const sim::RunOptions& options) {
  auto given = arguments.value("interval");
  if (!given) return std::nullopt;
  check_interval(*given, options);
  return std::make_optional<IntervalTable>(*given, arguments);
}

}  // namespace warptime::cli
