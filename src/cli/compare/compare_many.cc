#include "cli/compare/compare_many.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/compare/compare_reports.h"

namespace warptime::cli {

namespace {

using NumbersOf = Numbers (*)(const StatisticsFile&);

/// Every number that one of the runs has, in the order of the first that has it.
std::vector<ComparedNumber> collected(const std::vector<StatisticsFile>& runs, NumbersOf numbers_of) {
  std::vector<ComparedNumber> out;
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < runs.size(); ++i)
    for (const auto& [name, value] : numbers_of(runs[i])) {
      auto [place, is_new] = places.emplace(name, out.size());
      if (is_new) out.push_back({name, std::vector<double>(runs.size(), kNoNumber)});
      out[place->second].values[i] = value;
    }
  return out;
}

/// A statistic that a run does not have did not happen there.
double or_none(double value) { return std::isnan(value) ? 0 : value; }

double largest_difference(const ComparedNumber& number, size_t baseline) {
  double out = 0;
  for (double value : number.values) out = std::max(out, std::abs(or_none(value) - or_none(number.values[baseline])));
  return out;
}

/// The largest difference relative to the larger of the two: 0 to 1 for numbers of one sign.
double largest_change(const ComparedNumber& number, size_t baseline) {
  double out = 0, from = or_none(number.values[baseline]);
  for (double value : number.values) {
    double larger = std::max(std::abs(or_none(value)), std::abs(from));
    if (larger > 0) out = std::max(out, std::abs(or_none(value) - from) / larger);
  }
  return out;
}

template <class Measure>
void sort_most_moved(std::vector<ComparedNumber>& numbers, size_t baseline, Measure measure) {
  std::stable_sort(numbers.begin(), numbers.end(),
                   [&](const auto& a, const auto& b) { return measure(a, baseline) > measure(b, baseline); });
}

bool is_timed_run(const StatisticsFile& run) { return !std::isnan(run.total.times[0]); }

Numbers issue_shares(const StatisticsFile& run) {
  Numbers out = run.numbers(run.total.issue);
  for (auto& [name, value] : out) value = run.total.slots > 0 ? value / run.total.slots : 0;
  return out;
}

std::string in_percent(double share) { return fmt::format("{:.1f} %", 100 * or_none(share)); }

/// What moved most from the baseline to this run: a share of the issue slots, or a counter of functional runs.
std::string most_moved(const ManyRuns& many, size_t run) {
  const ComparedNumber* most = nullptr;
  auto moved_by = [&](const ComparedNumber& number) {
    return std::abs(or_none(number.values[run]) - or_none(number.values[many.baseline]));
  };
  for (const ComparedNumber& number : many.issue)
    if (most == nullptr || moved_by(number) > moved_by(*most)) most = &number;
  if (most != nullptr && moved_by(*most) >= 0.0005)
    return fmt::format("what moved most is {}, from {} to {} of the issue slots",
                       most->name == "issued" ? "issuing" : "waiting for " + most->name,
                       in_percent(most->values[many.baseline]), in_percent(most->values[run]));
  double largest = 0;
  for (const ComparedNumber& number : many.counters) {
    double change = number.change(run, many.baseline);
    if (std::isnan(change) || std::abs(change) <= largest) continue;
    largest = std::abs(change);
    most = &number;
  }
  if (largest == 0) return "no counter moved";
  return fmt::format("what moved most is {}, by {:+.1f} %", most->name, 100 * most->change(run, many.baseline));
}

}  // namespace

double ComparedNumber::change(size_t run, size_t baseline) const {
  double from = values[baseline];
  return std::isnan(from) || from == 0 ? kNoNumber : values[run] / from - 1;
}

std::string run_letter(size_t run) {
  std::string out;
  for (size_t rest = run + 1; rest > 0; rest = (rest - 1) / 26)
    out.insert(out.begin(), static_cast<char>('A' + (rest - 1) % 26));
  return out;
}

ManyRuns compare_many(std::vector<StatisticsFile> runs, size_t baseline) {
  for (const StatisticsFile& run : runs)
    if (is_timed_run(run) != is_timed_run(runs[baseline]))
      fail(run.where,
           fmt::format("{} is a functional run and {} is not", is_timed_run(run) ? runs[baseline].file : run.file,
                       is_timed_run(run) ? run.file : runs[baseline].file));
  ManyRuns out;
  out.baseline = baseline;
  if (is_timed_run(runs[baseline])) {
    out.time = collected(runs, [](const StatisticsFile& run) {
      Numbers times;
      for (size_t i = 0; i < StatisticsFile::kTimes.size(); ++i)
        times.emplace_back(StatisticsFile::kTimes[i], run.total.times[i]);
      return times;
    });
    out.issue = collected(runs, issue_shares);
    out.resources = collected(runs, [](const StatisticsFile& run) { return run.numbers(run.total.resources); });
  }
  out.counters = collected(runs, [](const StatisticsFile& run) { return run.numbers(run.total.counters); });
  sort_most_moved(out.issue, baseline, largest_difference);
  sort_most_moved(out.resources, baseline, largest_difference);
  sort_most_moved(out.counters, baseline, largest_change);
  out.runs = std::move(runs);
  return out;
}

std::vector<std::string> moved_sentences(const ManyRuns& many) {
  std::vector<std::string> out;
  for (size_t i = 0; i < many.runs.size(); ++i) {
    if (i == many.baseline) continue;
    std::string time;
    if (!many.time.empty()) {
      double change = many.time.front().change(i, many.baseline);
      time = std::isnan(change) ? "the time has nothing to be compared with; "
             : std::abs(change) < 0.0005
                 ? "the time is the same; "
                 : fmt::format("{:.1f} % {} time; ", 100 * std::abs(change), change < 0 ? "less" : "more");
    }
    out.push_back(
        fmt::format("{} against {}: {}{}", run_letter(i), run_letter(many.baseline), time, most_moved(many, i)));
  }
  return out;
}

}  // namespace warptime::cli
