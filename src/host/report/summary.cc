#include "host/report/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/plural.h"
#include "host/report/verdict.h"
#include "ptx/user/demangle.h"

namespace warptime::host {

namespace {

using sim::LaunchStatistics;

constexpr size_t kWidth = 80;
constexpr size_t kLabelWidth = 12;
constexpr size_t kLongestName = 48;  // of a kernel; longer ones are cut here, and whole in the statistics
constexpr size_t kBarWidth = 7;
constexpr size_t kBarsShown = 4;
constexpr size_t kLaunchesShown = 8;  // of a program that measures

std::string percent(double part, double whole) { return fmt::format("{:.1f} %", whole > 0 ? 100 * part / whole : 0.0); }
std::string percent(uint64_t part, uint64_t whole) {
  return percent(static_cast<double>(part), static_cast<double>(whole));
}

std::string extent(const std::array<uint32_t, 3>& e) {
  if (e[2] > 1) return fmt::format("{} x {} x {}", e[0], e[1], e[2]);
  if (e[1] > 1) return fmt::format("{} x {}", e[0], e[1]);
  return fmt::format("{}", e[0]);
}

std::string shortened(std::string_view text, size_t width) {
  if (text.size() <= width) return std::string(text);
  return std::string(text.substr(0, width - 3)) + "...";
}

// The first part of a sentence that fits: up to a comma or colon if there is one, else whole words, and none of the
// little ones last.
std::string beginning(std::string_view sentence, size_t width) {
  sentence = sentence.substr(0, sentence.find_first_of(",:"));
  if (sentence.size() <= width) return std::string(sentence);
  sentence = sentence.substr(0, sentence.rfind(' ', width));
  for (bool again = true; again;) {
    again = false;
    for (std::string_view word : {" a", " an", " the", " of", " or", " in", " to", " at", " be", " from"})
      if (sentence.ends_with(word)) {
        sentence.remove_suffix(word.size());
        again = true;
      }
  }
  return std::string(sentence);
}

// "  label       text", wrapped at blanks below the text.
void line(std::string& out, std::string_view label, std::string_view text) {
  constexpr size_t kIndent = kLabelWidth + 3;
  while (true) {
    size_t width = kWidth - kIndent;
    size_t end = text.size() <= width ? text.size() : text.rfind(' ', width);
    if (end == std::string_view::npos || end == 0) end = std::min(text.size(), width);
    out += fmt::format("  {:<{}} {}\n", label, kLabelWidth, text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
    if (text.empty()) return;
    label = "";
  }
}

struct Share {
  std::string_view key, what;
  uint64_t slots;
};

// Reasons with any slots, largest first; of equals, in the order of the list.
std::vector<Share> stall_shares(const sim::StallCounts& stalls) {
  std::vector<Share> shares;
  for (size_t i = 0; i < sim::kStallCount; ++i)
    if (stalls[i] > 0) shares.push_back({sim::kStalls[i].key, sim::kStalls[i].what, stalls[i]});
  std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.slots > b.slots; });
  return shares;
}

std::string occupancy_text(const RunReport& report, const LaunchStatistics& s) {
  return fmt::format("{} block{}, {} of {} warps per SM, limited by {}", s.occupancy.blocks_per_sm,
                     s.occupancy.blocks_per_sm == 1 ? "" : "s", s.occupancy.warps_per_sm,
                     report.machine.config.sm.max_warps, s.occupancy.limiter);
}

std::string registers_text(const LaunchStatistics& s) {
  std::string over;
  if (s.occupancy.registers_over_limit != 0)
    over = fmt::format(", {} over the program's limit", s.occupancy.registers_over_limit);
  return fmt::format("{} registers per thread ({} estimated{}), {} B shared per block",
                     s.occupancy.registers_per_thread, s.occupancy.registers_estimated, over,
                     grouped(s.occupancy.shared_bytes_per_block));
}

std::string sampling_text(const sim::SamplingStatistics& sampling) {
  std::string from =
      sampling.blocks_timed == 0
          ? fmt::format("{} like it", plural(sampling.samples, "launch", "launches"))
          : fmt::format("{} ({} blocks)", plural(sampling.samples, "sample"), grouped(sampling.blocks_timed));
  return fmt::format("estimated from {}; 95 %: {} to {}", from, grouped(sampling.cycles_low),
                     grouped(sampling.cycles_high));
}

std::string pipes_text(const LaunchStatistics& s) {
  std::string out;
  auto add = [&](sim::Resource pipe, ptx::Unit unit) {
    const sim::ResourceUse& use = s.resources[static_cast<size_t>(pipe)];
    if (!info(unit).everywhere && use.busy == 0) return;  // most programs have no double precision
    std::string words(sim::info(pipe).key);
    std::replace(words.begin(), words.end(), '_', ' ');
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", words, percent(use.share(), 1.0));
  };
#define X(unused, name, ...) add(sim::Resource::name, ptx::Unit::name);
  PTX_PIPES(X, )
#undef X
  add(sim::Resource::MemoryPort, ptx::Unit::Memory);
  return out;
}

// "naive: TPC response port, busy 81.1 %; next SP, 30.2 %".
std::string bottleneck_text(const RunReport& report, const LaunchStatistics& s, bool named) {
  const auto limits = verdict(s, report.machine.config);
  if (named) return fmt::format("{}: {}", shortened(ptx::demangled(s.kernel), kLabelWidth), limits->line());
  return limits->line(s.resources[static_cast<size_t>(limits->busiest)].share());
}

/// The bottleneck of the launch that took longest.
void add_bottleneck(std::string& out, const RunReport& report) {
  const LaunchStatistics* longest = nullptr;
  for (const LaunchStatistics& s : report.launches)
    if (s.timed && (longest == nullptr || s.cycles > longest->cycles)) longest = &s;
  if (longest != nullptr) line(out, "bottleneck", bottleneck_text(report, *longest, report.launches.size() > 1));
}

std::string global_text(const LaunchStatistics& s) {
  uint64_t requests = s.global.coalesced + s.global.uncoalesced;
  if (requests == 0) return "no accesses";
  return fmt::format("{} of {} requests coalesced, {} transactions", percent(s.global.coalesced, requests),
                     grouped(requests), grouped(s.global.transactions));
}

std::string lanes_text(const LaunchStatistics& s) {
  std::string absent;
  if (s.divergence.absent_lanes != 0)
    absent = fmt::format(" of those with a thread, {} have none",
                         percent(s.divergence.absent_lanes, s.counts.warp_instructions * 32));
  return fmt::format("{} active{}; {} of {} branches diverged", percent(active_lanes(s), 1.0), absent,
                     grouped(s.divergence.divergent_branches), grouped(s.divergence.branches));
}

std::vector<const Published*> published_for(const RunReport& report, const LaunchStatistics& s,
                                            const std::vector<Published>& published) {
  size_t colon = report.target.find(':');
  std::string variant = colon == std::string::npos ? "" : report.target.substr(colon + 1);
  if (colon == std::string::npos)
    for (const Published& p : published)
      if (p.variant.size() > variant.size() && s.kernel.find(p.variant) != std::string::npos) variant = p.variant;
  std::vector<const Published*> out;
  for (const Published& p : published)
    if (p.variant == variant && p.machine == report.machine.name) out.push_back(&p);
  return out;
}

std::string published_text(const RunReport& report, const std::vector<const Published*>& figures) {
  std::string out;
  for (size_t i = 0; i < figures.size(); ++i) {
    const Published& p = *figures[i];
    out += fmt::format("{}{} {}", i > 0 ? ", " : "", p.value, p.quantity);
    if (!p.conditions.empty()) out += fmt::format(" ({})", p.conditions);
    // A source that the next figure shares is named once.
    if (!p.source.empty() && (i + 1 == figures.size() || figures[i + 1]->source != p.source))
      out += fmt::format(" [{}]", p.source);
  }
  if (!out.empty() && !report.conditions.empty()) out += fmt::format("; here {}", report.conditions);
  return out;
}

void add_bar(std::string& out, std::string_view key, uint64_t slots, uint64_t all, std::string_view what) {
  double share = all > 0 ? static_cast<double>(slots) / static_cast<double>(all) : 0;
  std::string bar(static_cast<size_t>(share * kBarWidth + 0.5), '#');
  std::string text = fmt::format("  {:<19} {:>5.1f} % {:<{}} ", key, 100 * share, bar, kBarWidth);
  text += beginning(what, kWidth - text.size());
  out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

void add_slots(std::string& out, const LaunchStatistics& s) {
  out += "  use of the issue slots (without an issue: the stall reason)\n";
  add_bar(out, "issued", s.issue.issued, s.issue.slots, "");
  if (!s.attributed) {
    out += "  attribution of the other slots is off\n";
    return;
  }
  std::vector<Share> shares = stall_shares(s.issue.stalls);
  size_t shown = shares.size() <= kBarsShown ? shares.size() : kBarsShown - 1;
  uint64_t rest = 0;
  for (size_t i = 0; i < shares.size(); ++i)
    if (i < shown) add_bar(out, shares[i].key, shares[i].slots, s.issue.slots, shares[i].what);
    else rest += shares[i].slots;
  if (shown < shares.size())
    add_bar(out, "others", rest, s.issue.slots, fmt::format("{} more reasons", shares.size() - shown));
}

void add_launch(std::string& out, const RunReport& report, const LaunchStatistics& s,
                const std::vector<const Published*>& figures, const ErrorBands& bands) {
  const sim::MachineConfig& machine = report.machine.config;
  if (s.timed) {
    line(out, "time",
         fmt::format("{:.2f} us, {} cycles at {} MHz", s.time_us, grouped(s.cycles), machine.clocks.shader_mhz));
    if (std::string band = bands.text(s); !band.empty()) line(out, "", band);
    if (s.sampling) line(out, "", sampling_text(*s.sampling));
    line(out, "arithmetic",
         fmt::format("{:.2f} GFLOP/s, {} of the machine's {:.1f}", gflops(s), percent(gflops(s), peak_gflops(machine)),
                     peak_gflops(machine)));
    if (s.counts.flops_f16 > 0) line(out, "", fmt::format("{:.2f} GFLOP/s f16", gflops_f16(s)));
    if (s.counts.flops_f64 > 0)
      line(out, "",
           fmt::format("{:.2f} GFLOP/s f64, {} of the machine's {:.1f}", gflops_f64(s),
                       percent(gflops_f64(s), peak_gflops_f64(machine)), peak_gflops_f64(machine)));
    if (s.counts.flops_tensor > 0)
      line(out, "",
           fmt::format("{:.2f} GFLOP/s by tensor cores, {} of the machine's {:.1f} for 16 bits", gflops_tensor(s),
                       percent(gflops_tensor(s), peak_gflops_tensor(machine)), peak_gflops_tensor(machine)));
  }
  if (!figures.empty()) line(out, "published", published_text(report, figures));
  for (const Published* p : figures)
    if (!p->note.empty()) line(out, "", p->note);
  if (s.timed)
    line(out, "DRAM",
         fmt::format("{:.2f} GB/s, {} of {:.1f}; row hits {}", dram_bandwidth_gb_s(s),
                     percent(dram_bandwidth_gb_s(s), peak_bandwidth_gb_s(machine)), peak_bandwidth_gb_s(machine),
                     percent(s.dram.row_hits, s.dram.row_hits + s.dram.row_misses)));
  line(out, "occupancy", occupancy_text(report, s));
  line(out, "", registers_text(s));
  line(out, "instructions",
       fmt::format("{} of warps, {} of threads (PTX)", grouped(s.counts.warp_instructions),
                   grouped(s.counts.thread_instructions)));
  line(out, "lanes", lanes_text(s));
  line(out, "global", global_text(s));
  if (s.shared.accesses > 0)
    line(out, "shared",
         fmt::format("{} accesses, {} extra passes for bank conflicts", grouped(s.shared.accesses),
                     grouped(s.shared.conflict_passes)));
  if (!s.timed) return;
  line(out, "pipes busy", pipes_text(s) + " (mean of all SMs)");
  add_slots(out, s);
}

void add_table(std::string& out, const RunReport& report, const std::vector<Published>& published) {
  std::vector<std::string> figures;
  std::string sizes, notes;
  size_t name_width = 14;
  for (const LaunchStatistics& s : report.launches) {
    figures.emplace_back("-");
    for (const Published* p : published_for(report, s, published))
      if (p->quantity == "GFLOP/s") {
        figures.back() = fmt::format("{:.2f}", p->value);
        sizes = p->conditions;
        if (!p->note.empty()) line(notes, "note", shortened(ptx::demangled(s.kernel), kLongestName) + ": " + p->note);
      }
    name_width = std::max(name_width, std::min(ptx::demangled(s.kernel).size(), kLongestName));
  }
  bool any_figure = std::any_of(figures.begin(), figures.end(), [](const std::string& f) { return f != "-"; });
  auto row = [&](const std::string& kernel, std::string_view time, std::string_view rate, std::string_view figure,
                 std::string_view warps, std::string_view limiter, std::string_view bottleneck) {
    out += fmt::format("{:<{}}{:>10}{:>9}", kernel, name_width, time, rate);
    if (any_figure) out += fmt::format("{:>10}", figure);
    out += fmt::format("  {:<6} {:<9} {}\n", warps, limiter, bottleneck);
  };
  row("kernel", "time us", "GFLOP/s", "published", "warps", "limiter", "bottleneck");
  for (size_t i = 0; i < report.launches.size(); ++i) {
    const LaunchStatistics& s = report.launches[i];
    const auto limits = verdict(s, report.machine.config);
    row(shortened(ptx::demangled(s.kernel), kLongestName), s.timed ? fmt::format("{:.1f}", s.time_us) : "-",
        s.timed ? fmt::format("{:.2f}", gflops(s)) : "-", figures[i],
        fmt::format("{}/{}", s.occupancy.warps_per_sm, report.machine.config.sm.max_warps),
        s.occupancy.limiter.substr(0, s.occupancy.limiter.find('_')), limits ? shortened(limits->words(), 18) : "-");
  }
  if (!sizes.empty())
    out += fmt::format("published at {}{}\n", sizes,
                       report.conditions.empty() ? "" : ", simulated at " + report.conditions);
  out += notes;
}

// Three lines on one of several launches, and one with the error of its time where that is known.
void add_short(std::string& out, const LaunchStatistics& s, const ErrorBands& bands) {
  std::string label = shortened(ptx::demangled(s.kernel), kLongestName);
  if (label.size() > kLabelWidth) {  // a line of its own
    out += fmt::format("  {}\n", label);
    label = "";
  }
  line(out, label,
       fmt::format("{} blocks, {} ({} estimated), {} B shared", extent(s.grid),
                   plural(s.occupancy.registers_per_thread, "register"), s.occupancy.registers_estimated,
                   grouped(s.occupancy.shared_bytes_per_block)));
  if (!s.timed) return;
  if (std::string band = bands.text(s); !band.empty()) line(out, "", "time " + band);
  if (s.sampling) line(out, "", sampling_text(*s.sampling));
  line(out, "", pipes_text(s) + fmt::format(", DRAM {:.1f} GB/s", dram_bandwidth_gb_s(s)));
  std::string slots = "issued " + percent(s.issue.issued, s.issue.slots);
  std::vector<Share> shares = s.attributed ? stall_shares(s.issue.stalls) : std::vector<Share>{};
  for (size_t i = 0; i < std::min<size_t>(shares.size(), 2); ++i)
    slots += fmt::format(", {} {}", shares[i].key, percent(shares[i].slots, s.issue.slots));
  line(out, "", slots);
}

void add_cpu(std::string& out, const cpu::CpuReport& cpu, double kernels_us) {
  line(out, "CPU baseline",
       fmt::format("{:.4g} s scalar, {:.4g} s SIMD and fast math ({})", cpu.scalar_seconds, cpu.simd_seconds,
                   cpu.machine));
  if (!cpu.part.empty()) line(out, "", fmt::format("counted: {}", cpu.part));
  if (kernels_us > 0)
    line(out, "",
         fmt::format("the kernels are {:.1f} and {:.1f} times as fast", cpu.scalar_seconds * 1e6 / kernels_us,
                     cpu.simd_seconds * 1e6 / kernels_us));
}

void add_figures(std::string& out, const std::vector<Figure>& figures) {
  size_t width = 0;
  for (const Figure& figure : figures) width = std::max(width, figure.name.size());
  for (const Figure& figure : figures)
    out += fmt::format("  {:<{}} {:>9.4g}{}{}{}{}\n", figure.name, width, figure.value, figure.unit.empty() ? "" : " ",
                       figure.unit, figure.what.empty() ? "" : ", ", figure.what);
}

void add_checks(std::string& out, const std::vector<Check>& checks) {
  size_t good = 0;
  for (const Check& check : checks) good += check.ok ? 1 : 0;
  if (good == checks.size()) {
    double worst = 0;
    for (const Check& check : checks) worst = std::max(worst, check.max_abs_error);
    if (!checks.empty()) line(out, "checks", fmt::format("{} passed, largest error {:.3g}", checks.size(), worst));
    return;
  }
  for (const Check& check : checks)
    if (!check.ok)
      line(out, "check FAILED",
           fmt::format("{}: error {:.3g}, bound {:.3g}{}{}", check.name, check.max_abs_error, check.bound,
                       check.first_failure.empty() ? "" : "; ", check.first_failure));
}

}  // namespace

std::string grouped(uint64_t value) {
  std::string digits = fmt::to_string(value);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string summarize(const RunReport& report, const std::vector<Published>& published, const ErrorBands& bands) {
  std::string title = fmt::format("{} on {}", shortened(report.target, 40), report.machine.name);
  if (!report.conditions.empty()) title += fmt::format(", {}", report.conditions);
  std::string out = shortened(title, kWidth);
  if (report.launches.size() == 1) {
    const LaunchStatistics& s = report.launches.front();
    out += fmt::format("\n  {}  grid {}  block {}\n", shortened(ptx::demangled(s.kernel), kLongestName), extent(s.grid),
                       extent(s.block));
    add_launch(out, report, s, published_for(report, s, published), bands);
  } else {
    out += "\n";
    // What a program of many small launches measured says it all.
    if (report.figures.empty() || report.launches.size() <= kLaunchesShown) {
      if (!report.launches.empty()) add_table(out, report, published);
      for (const LaunchStatistics& s : report.launches) add_short(out, s, bands);
      if (report.launches_left_out > 0)
        line(out, "and more",
             fmt::format("{} launches after these; --stats FILE has them all", grouped(report.launches_left_out)));
    } else {
      line(out, "launches", grouped(report.launches.size() + report.launches_left_out));
    }
  }
  add_figures(out, report.figures);
  if (report.cpu) add_cpu(out, *report.cpu, total_of(report).time_us);
  add_checks(out, report.checks);
  for (const auto& [key, text] : summary_rows(report.figure_checks)) line(out, key, text);
  if (report.cut) line(out, "incomplete", "the run was cut short: its last launch is counted up to there");
  add_bottleneck(out, report);
  bool timed = std::any_of(report.launches.begin(), report.launches.end(), [](const auto& s) { return s.timed; });
  if (timed && !bands.note().empty()) line(out, "error", bands.note());
  uint64_t instructions = total_of(report).counts.warp_instructions;
  double seconds = report.host.simulate_seconds;
  line(out, "simulated",
       fmt::format("{:.2f} s, {} thread{}, {:.2f} million warp instr./s, {} MB", seconds, report.host.threads,
                   report.host.threads == 1 ? "" : "s",
                   seconds > 0 ? static_cast<double>(instructions) / seconds / 1e6 : 0.0,
                   report.host.peak_rss_bytes / 1000000));
  return out;
}

}  // namespace warptime::host
