#include "cli/check/check_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostics.h"
#include "base/plural.h"
#include "report/cuda_sources.h"

namespace warptime::cli {

using debug::Finding;
using Json = nlohmann::ordered_json;

namespace {

std::string thread_text(const debug::ThreadPlace& place) {
  const auto& [line, b, t] = place;
  return fmt::format("block ({},{},{}) thread ({},{},{})", b[0], b[1], b[2], t[0], t[1], t[2]);
}

std::string_view source_line_text(std::string_view line) {
  size_t begin = line.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

std::string cuda_text(report::CudaSources& sources, const std::string& file, uint32_t line) {
  const std::string_view text = source_line_text(sources.line(file, line));
  return fmt::format("{}:{}{}{}", file, line, text.empty() ? "" : ": ", text);
}

/// The lines under "hint:".
std::string hint_of(const Finding& finding) {
  std::vector<std::string> lines;
  for (std::string_view rest = finding.hint; !rest.empty();) {
    size_t end = rest.find('\n');
    lines.emplace_back(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  report::CudaSources sources(*finding.module->source);
  if (finding.cuda_line != 0) lines.push_back(cuda_text(sources, finding.cuda_file, finding.cuda_line));
  if (finding.other && finding.other->cuda_line != 0 &&
      (finding.other->cuda_line != finding.cuda_line || finding.other->cuda_file != finding.cuda_file))
    lines.push_back("and " + cuda_text(sources, finding.other->cuda_file, finding.other->cuda_line));
  if (!finding.variable.empty()) lines.push_back("variable: " + finding.variable);
  if (finding.count > 1) lines.push_back(fmt::format("{}; this is the first", plural(finding.count, "time")));
  if (!finding.remedy.empty()) lines.push_back("remedy: " + finding.remedy);
  return fmt::format("{}", fmt::join(lines, "\n               "));
}

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json other_json(const Finding& finding) {
  if (!finding.other) return {};
  const debug::OtherAccess& other = *finding.other;
  return {{"line", other.place.line},        {"block", other.place.block},   {"thread", other.place.thread},
          {"source_file", other.cuda_file},  {"source_line", other.cuda_line}, {"variable", or_null(other.variable)},
          {"remedy", or_null(finding.remedy)}};
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

std::string finding_text(const Finding& finding) {
  const debug::KindRow& row = row_of(finding.kind);
  std::string sentence = fmt::format("{}: {}", debug::name(row.tool), finding.message);
  if (finding.has_thread) sentence += ", " + thread_text(finding.place);
  if (finding.address) sentence += fmt::format(", address 0x{:x}", *finding.address);
  sentence += fmt::format(" [{}]", row.name);
  return format_diagnostic({row.severity, finding.where, sentence, hint_of(finding)});
}

std::string findings_text(const debug::Checker& checker) {
  std::string out;
  for (const Finding& finding : checker.findings().all()) out += finding_text(finding);
  for (const std::string& note : checker.notes()) out += fmt::format("note: {}\n", note);
  return out;
}

Json finding_json(const Finding& finding) {
  const debug::KindRow& row = row_of(finding.kind);
  Json out;
  out["tool"] = debug::name(row.tool);
  out["kind"] = row.name;
  out["severity"] = name_of(row.severity);
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
  out["variable"] = or_null(finding.variable);
  out["remedy"] = or_null(finding.remedy);
  out["other"] = other_json(finding);
  return out;
}

std::string findings_summary(const std::vector<Finding>& findings) {
  std::vector<std::string> parts;
  for (Severity severity : {Severity::Error, Severity::Warning, Severity::Note}) {
    const auto count = std::count_if(findings.begin(), findings.end(),
                                     [&](const Finding& f) { return row_of(f.kind).severity == severity; });
    if (count != 0) parts.push_back(plural(static_cast<uint64_t>(count), name_of(severity)));
  }
  if (parts.empty()) return "nothing found";
  const std::string last = parts.back();
  parts.pop_back();
  return parts.empty() ? last : fmt::format("{} and {}", fmt::join(parts, ", "), last);
}

}  // namespace warptime::cli
