#include "cli/run/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "host/report/summary.h"
#include "ptx/user/demangle.h"

namespace warptime::cli {

namespace {

constexpr size_t kReasonsShown = 4;

void add(sim::RunCounts& to, const sim::RunCounts& from) {
  to.warp_instructions += from.warp_instructions;
  if (!from.issue) return;
  if (!to.issue) to.issue.emplace();
  to.issue->add(*from.issue);
}

/// Waits that had not ended were charged as far as they were known: their reason may have become another one.
void subtract(sim::RunCounts& from, const sim::RunCounts& earlier) {
  auto less = [](uint64_t& a, uint64_t b) { a -= std::min(a, b); };
  less(from.warp_instructions, earlier.warp_instructions);
  if (from.issue && earlier.issue) for_each_number(*from.issue, *earlier.issue, less);
}

}  // namespace

std::string watch_text(uint64_t launch, const sim::RunMoment& moment, const sim::RunCounts& since, double seconds) {
  std::string text =
      fmt::format("  launch {}, kernel {}: {} {}, {:.2f} million warp instr./s", launch, ptx::demangled(moment.kernel),
                  moment.timed ? "cycle" : "warp instruction", host::grouped(moment.now),
                  static_cast<double>(since.warp_instructions) / seconds / 1e6);
  if (moment.blocks != 0) text += fmt::format(", {} of {} blocks", moment.ended_blocks, moment.blocks);
  else text += fmt::format(", {} %", static_cast<int>(moment.share * 100));
  if (!since.issue || since.issue->slots == 0) return text;
  const sim::IssueSlots& issue = *since.issue;
  auto percent = [&](uint64_t slots) {
    return fmt::format("{:.0f} %", 100.0 * static_cast<double>(slots) / static_cast<double>(issue.slots));
  };
  text += "; issued " + percent(issue.issued);
  std::array<size_t, sim::kStallCount> order{};
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return issue.stalls[a] > issue.stalls[b]; });
  for (size_t i = 0; i < kReasonsShown; ++i)
    if (uint64_t slots = issue.stalls[order[i]]; slots * 100 >= issue.slots)
      text += fmt::format(", {} {}", sim::kStalls[order[i]].key, percent(slots));
  return text;
}

void Watch::progress(const sim::RunMoment& moment) {
  double now = display_.clock();
  bool is_due = now - last_shown_ >= display_.watched;
  if (!is_due && !moment.is_end) return;
  sim::RunCounts counts = moment.counts(), since = counts;
  // A sampled run begins to count anew with each of its parts.
  if (counts.warp_instructions >= at_line_.warp_instructions) subtract(since, at_line_);
  add(since, ended_);
  if (is_due) {
    display_.write(watch_text(launch_, moment, since, now - last_shown_) + "\n");
    last_shown_ = now;
  }
  ended_ = is_due ? sim::RunCounts{} : since;
  at_line_ = moment.is_end ? sim::RunCounts{} : counts;
  launch_ += moment.is_end ? 1 : 0;
}

}  // namespace warptime::cli
