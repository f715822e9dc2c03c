#include "debug/check/finding_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostics.h"
#include "base/plural.h"
#include "ptx/user/user_lines.h"

namespace warptime::debug {

using Json = nlohmann::ordered_json;

namespace {

std::string thread_text(const ThreadPlace& place) {
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
  if (finding.other && finding.other->cuda_line != 0) {
    const UserLine other = ptx::UserLines(*finding.module).of(finding.other->place.location);
    const size_t begin = std::min(other.text.find_first_not_of(" \t"), other.text.size());
    lines.push_back(fmt::format("with {}:{}{}{}", other.file, other.line, begin == other.text.size() ? "" : ": ",
                                other.text.substr(begin)));
  }
  if (!finding.variable.empty()) lines.push_back("variable: " + finding.variable);
  if (finding.launched_by) lines.push_back("launch: " + finding.launched_by->text());
  if (finding.allocated_by) lines.push_back(fmt::format("\"{}\": {}", finding.buffer, finding.allocated_by->text()));
  if (finding.count > 1) lines.push_back(fmt::format("{}; this is the first", plural(finding.count, "time")));
  if (!finding.remedy.empty()) lines.push_back("remedy: " + finding.remedy);
  return fmt::format("{}", fmt::join(lines, "\n               "));
}

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json other_json(const Finding& finding) {
  if (!finding.other) return {};
  const OtherAccess& other = *finding.other;
  return {{"line", other.place.line},         {"block", other.place.block},     {"thread", other.place.thread},
          {"source_file", other.cuda_file},   {"source_line", other.cuda_line}, {"variable", or_null(other.variable)},
          {"remedy", or_null(finding.remedy)}};
}

Json call_json(const std::optional<HostCall>& call) {
  if (!call) return {};
  Json out{{"function", call->function}, {"caller", or_null(call->caller)}, {"call", call->number}};
  if (call->launch) out["launch"] = *call->launch;
  return out;
}

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::Error: return "error";
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
  }
  return "";
}

}  // namespace

std::string finding_text(const Finding& finding, bool all_calls) {
  const KindRow& row = row_of(finding.kind);
  std::string sentence = fmt::format("{}: {}", name(row.tool), finding.message);
  if (finding.has_thread) sentence += ", " + thread_text(finding.place);
  if (finding.address) sentence += fmt::format(", address 0x{:x}", *finding.address);
  sentence += fmt::format(" [{}]", row.name);
  UserLine user = ptx::UserLines(*finding.module).of(finding.place.location);
  return format_diagnostic({row.severity, finding.where, sentence, hint_of(finding), std::move(user), all_calls});
}

std::string findings_text(const Checker& checker, bool all_calls) {
  std::string out;
  for (const Finding& finding : checker.findings().all()) out += finding_text(finding, all_calls);
  for (const std::string& note : checker.notes()) out += fmt::format("note: {}\n", note);
  return out;
}

Json finding_json(const Finding& finding) {
  const KindRow& row = row_of(finding.kind);
  Json out;
  out["tool"] = name(row.tool);
  out["kind"] = row.name;
  out["severity"] = name_of(row.severity);
  out["file"] = finding.where.source == nullptr ? "" : finding.where.source->name();
  out["line"] = finding.place.line;
  out["kernel"] = finding.kernel;
  out["block"] = finding.place.block;
  out["thread"] = finding.place.thread;
  out["address"] = finding.address.value_or(0);
  out["buffer"] = or_null(finding.buffer);
  out["message"] = finding.message;
  out["hint"] = finding.hint;
  out["count"] = finding.count;
  out["source_file"] = finding.cuda_file;
  out["source_line"] = finding.cuda_line;
  out["calls"] = ptx::UserLines(*finding.module).of(finding.place.location).calls;
  out["variable"] = or_null(finding.variable);
  out["remedy"] = or_null(finding.remedy);
  out["other"] = other_json(finding);
  if (finding.launched_by) out["launched_by"] = call_json(finding.launched_by);
  if (finding.allocated_by) out["allocated_by"] = call_json(finding.allocated_by);
  return out;
}

std::string findings_summary(const std::vector<Json>& findings) {
  std::vector<std::string> parts;
  for (Severity severity : {Severity::Error, Severity::Warning, Severity::Note}) {
    const auto count = std::count_if(findings.begin(), findings.end(),
                                     [&](const Json& finding) { return finding["severity"] == name_of(severity); });
    if (count != 0) parts.push_back(plural(static_cast<uint64_t>(count), name_of(severity)));
  }
  if (parts.empty()) return "nothing found";
  const std::string last = parts.back();
  parts.pop_back();
  return parts.empty() ? last : fmt::format("{} and {}", fmt::join(parts, ", "), last);
}

std::string findings_summary(const std::vector<Finding>& findings) {
  std::vector<Json> severities;
  for (const Finding& finding : findings) severities.push_back({{"severity", name_of(row_of(finding.kind).severity)}});
  return findings_summary(severities);
}

}  // namespace warptime::debug
