#include "cli/check/check_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostics.h"
#include "base/plural.h"
#include "ptx/user/user_lines.h"

namespace warptime::cli {

using debug::Finding;
using Json = nlohmann::ordered_json;

namespace {

std::string thread_text(const debug::ThreadPlace& place) {
  const auto &b = place.block, &t = place.thread;
  return fmt::format("block ({},{},{}) thread ({},{},{})", b[0], b[1], b[2], t[0], t[1], t[2]);
}

/// The lines under "hint:".
std::string hint_of(const Finding& finding) {
  std::vector<std::string> lines;
  for (std::string_view rest = finding.hint; !rest.empty();) {
    size_t end = rest.find('\n');
    lines.emplace_back(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  if (finding.count > 1) lines.push_back(fmt::format("{}; this is the first", plural(finding.count, "time")));
  return fmt::format("{}", fmt::join(lines, "\n               "));
}

Json place_json(const debug::ThreadPlace& place) {
  return {{"line", place.line}, {"block", place.block}, {"thread", place.thread}};
}

}  // namespace

std::string finding_text(const Finding& finding, bool all_calls) {
  const debug::KindRow& row = row_of(finding.kind);
  std::string sentence = fmt::format("{}: {}", debug::name(row.tool), finding.message);
  if (finding.has_thread) sentence += ", " + thread_text(finding.place);
  if (finding.address) sentence += fmt::format(", address 0x{:x}", *finding.address);
  sentence += fmt::format(" [{}]", row.name);
  Severity severity = row.is_warning ? Severity::Warning : Severity::Error;
  UserLine user = ptx::UserLines(*finding.module).of(finding.place.location);
  return format_diagnostic({severity, finding.where, sentence, hint_of(finding), std::move(user), all_calls});
}

std::string findings_text(const debug::Checker& checker, bool all_calls) {
  std::string out;
  for (const Finding& finding : checker.findings().all()) out += finding_text(finding, all_calls);
  for (const std::string& note : checker.notes()) out += fmt::format("note: {}\n", note);
  return out;
}

Json finding_json(const Finding& finding) {
  const debug::KindRow& row = row_of(finding.kind);
  Json out;
  out["tool"] = debug::name(row.tool);
  out["kind"] = row.name;
  out["severity"] = row.is_warning ? "warning" : "error";
  out["line"] = finding.place.line;
  out["kernel"] = finding.kernel;
  out["block"] = finding.place.block;
  out["thread"] = finding.place.thread;
  out["address"] = finding.address.value_or(0);
  out["buffer"] = finding.buffer.empty() ? Json() : Json(finding.buffer);
  out["message"] = finding.message;
  out["hint"] = finding.hint;
  out["count"] = finding.count;
  out["source_file"] = finding.cuda_file;
  out["source_line"] = finding.cuda_line;
  out["calls"] = ptx::UserLines(*finding.module).of(finding.place.location).calls;
  out["other"] = finding.other ? place_json(*finding.other) : Json();
  return out;
}

std::string findings_summary(const std::vector<Finding>& findings) {
  auto warnings = static_cast<size_t>(
      std::count_if(findings.begin(), findings.end(), [](const Finding& f) { return row_of(f.kind).is_warning; }));
  const size_t errors = findings.size() - warnings;
  std::vector<std::string> parts;
  if (errors != 0) parts.push_back(fmt::format("{} error{}", errors, errors == 1 ? "" : "s"));
  if (warnings != 0) parts.push_back(fmt::format("{} warning{}", warnings, warnings == 1 ? "" : "s"));
  return parts.empty() ? "nothing found" : fmt::format("{}", fmt::join(parts, " and "));
}

}  // namespace warptime::cli
