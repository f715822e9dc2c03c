// Explanations as text and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/explain/explain.h"
#include "host/report/summary.h"
#include "ptx/user/demangle.h"

namespace warptime::host {

namespace {

constexpr size_t kExplainWidth = 100;
constexpr size_t kResourcesShown = 5;
constexpr size_t kKernelsShown = 12;

/// `text` after `first`, wrapped at blanks; further lines begin with `indent` blanks.
std::string wrapped_text(std::string_view first, std::string_view text, size_t indent) {
  std::string out, line(first);
  while (!text.empty()) {
    size_t room = kExplainWidth - std::min(kExplainWidth - 20, line.size());
    size_t end = text.size() <= room ? text.size() : text.rfind(' ', room);
    if (end == std::string_view::npos || end == 0) end = std::min(text.size(), text.find(' ', 1));
    out += fmt::format("{}{}\n", line, text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
    line = std::string(indent, ' ');
  }
  return out;
}

std::string savings(const Finding& finding, bool checked) {
  std::string out = fmt::format("estimated saving {:.1f} %", 100 * finding.promised);
  if (!checked) return out;
  if (finding.won) return out + fmt::format(", measured saving {:.1f} %", 100 * *finding.won);
  return out + fmt::format(", not tried: {}", finding.not_tried);
}

std::string findings_text(const std::vector<Finding>& findings, bool checked) {
  std::string out;
  for (size_t i = 0; i < std::min(findings.size(), kFindingsShown); ++i) {
    const Finding& finding = findings[i];
    auto same = std::find_if(
        findings.begin(), findings.begin() + static_cast<ptrdiff_t>(i),
        [&](const Finding& earlier) { return finding.what_if.is_any() && earlier.what_if == finding.what_if; });
    auto number = static_cast<size_t>(same - findings.begin());
    out += fmt::format("  {}. {} ({}), {}{}\n", i + 1, finding.rule, finding.lifts, savings(finding, checked),
                       checked && number < i ? fmt::format(", the what-if of {}", number + 1) : "");
    out += wrapped_text("     ", finding.message, 5);
  }
  return out;
}

double reachable_share(std::string_view resource) {
  for (const sim::ResourceInfo& row : sim::kResources)
    if (row.key == resource) return row.reachable;
  return 1;
}

std::string launch_text(const Explanation& launch, size_t launches, bool checked) {
  std::string out = fmt::format("{}{}, {:.2f} us, {} cycles\n", ptx::demangled(launch.kernel),
                                launches == 1 ? "" : fmt::format(", the longest of {} launches", launches),
                                launch.time_us, grouped(launch.cycles));
  out += wrapped_text("  bound      ", launch.bound + ": " + launch.verdict, 13);
  // Nearest to its limit first, as in `bound`.
  auto resources = launch.resources;
  std::stable_sort(resources.begin(), resources.end(), [](const auto& a, const auto& b) {
    return a.second / reachable_share(a.first) > b.second / reachable_share(b.first);
  });
  std::string shares;
  for (size_t i = 0; i < std::min(kResourcesShown, resources.size()); ++i)
    shares += fmt::format("{}{} {:.1f} %", i == 0 ? "" : ", ", resources[i].first, 100 * resources[i].second);
  out += wrapped_text("  busy       ", shares, 13);
  if (!launch.has_stalls) out += "  The statistics have no stall reasons (--attribution off): waits are not judged.\n";
  if (!launch.has_rows)
    out += "  The statistics have no rows for instructions (--stats-per-instruction): no line is named.\n";
  if (!launch.knows_machine)
    out += "  The parameters of this machine are not known here: bank conflicts and textures are not judged.\n";
  if (launch.findings.empty()) out += "  No change that is known here would save a twentieth of the time.\n";
  return out + findings_text(launch.findings, checked);
}

nlohmann::ordered_json findings_json(const std::vector<Finding>& findings) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    nlohmann::ordered_json won = finding.won ? nlohmann::ordered_json(*finding.won) : nlohmann::ordered_json();
    out.push_back({{"rule", finding.rule},
                   {"lifts", finding.lifts},
                   {"line", finding.line},
                   {"source", finding.source},
                   {"message", finding.message},
                   {"promised", finding.promised},
                   {"won", won}});
  }
  return out;
}

}  // namespace

std::string explanation_text(const std::vector<Explanation>& launches, const HostExplanation& host, bool checked) {
  struct Kernel {
    const Explanation* longest;
    size_t launches;
  };
  std::vector<Kernel> kernels;
  for (const Explanation& launch : launches) {
    auto known = std::find_if(kernels.begin(), kernels.end(),
                              [&](const Kernel& kernel) { return kernel.longest->kernel == launch.kernel; });
    if (known == kernels.end()) {
      kernels.push_back({&launch, 1});
      continue;
    }
    ++known->launches;
    if (launch.cycles > known->longest->cycles) known->longest = &launch;
  }
  std::string out;
  for (size_t i = 0; i < std::min(kernels.size(), kKernelsShown); ++i)
    out += (i == 0 ? "" : "\n") + launch_text(*kernels[i].longest, kernels[i].launches, checked);
  if (kernels.size() > kKernelsShown)
    out += fmt::format("\nand {} more kernels (--json has them all)\n", kernels.size() - kKernelsShown);
  if (!host.findings.empty())
    out += fmt::format("\nthe run, {:.1f} us on the host's timeline{}\n", host.total_us,
                       host.binds() ? ", bound by the host" : "") +
           findings_text(host.findings, checked);
  return out;
}

nlohmann::ordered_json explanation_json(const std::vector<Explanation>& launches, const HostExplanation& host) {
  nlohmann::ordered_json out;
  out["launches"] = nlohmann::ordered_json::array();
  for (const Explanation& launch : launches) {
    nlohmann::ordered_json resources = nlohmann::ordered_json::array();
    for (const auto& [name, busy] : launch.resources) resources.push_back({{"name", name}, {"busy", busy}});
    out["launches"].push_back({{"kernel", launch.kernel},
                               {"bound", launch.bound},
                               {"class", launch.paper_class},
                               {"time_us", launch.time_us},
                               {"resources", std::move(resources)},
                               {"findings", findings_json(launch.findings)}});
  }
  out["run"] = {{"bound", host.binds() ? "host" : "kernels"},
                {"time_us", host.total_us},
                {"kernels_us", host.kernels_us},
                {"findings", findings_json(host.findings)}};
  return out;
}

}  // namespace warptime::host
