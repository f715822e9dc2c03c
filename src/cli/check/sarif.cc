// Findings as SARIF 2.1.0: a rule for each kind, a result for each finding, at its CUDA line, else at that of the PTX
// file. Code hosts need paths below the folder that they checked out, so those below the current folder are relative.
#include <algorithm>
#include <filesystem>

#include "base/ascii.h"
#include "cli/check/check_result.h"
#include "cli/commit.h"
#include "debug/check/kinds.h"
#include "ptx/user/demangle.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

namespace {

/// A path as a reference of RFC 3986.
std::string uri_of(const std::string& path) {
  std::error_code error;
  std::filesystem::path file(path);
  if (file.is_absolute()) {
    const auto relative = file.lexically_relative(std::filesystem::current_path(error));
    if (!error && !relative.empty() && *relative.begin() != "..") file = relative;
  }
  std::string out = file.is_absolute() ? "file://" : "";
  for (const char c : file.lexically_normal().generic_string()) {
    const bool plain = ascii::is_letter_or_digit(c) || std::string_view("/-._~").find(c) != std::string_view::npos;
    if (plain) out += c;
    else out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

Json physical(const std::string& file, uint32_t line) {
  return {{"artifactLocation", {{"uri", uri_of(file)}}}, {"region", {{"startLine", line}}}};
}

/// The line of the author where there is one; null: there is none.
Json place_of_finding(const Json& finding, const std::string& cuda_file, const Json& at) {
  if (const auto line = at.value("source_line", 0u); line != 0 && !cuda_file.empty()) return physical(cuda_file, line);
  const std::string ptx = finding.value("file", "");
  if (const auto line = at.value("line", 0u); line != 0 && ptx.ends_with(".ptx")) return physical(ptx, line);
  return {};
}

std::string caller_text(const Json& call) {
  return fmt::format("{}{}{}", call.value("function", ""), call["caller"].is_null() ? "" : ", called by ",
                     call["caller"].is_null() ? "" : call["caller"].get<std::string>());
}

Json related_locations(const Json& finding) {
  Json out = Json::array();
  if (const Json& other = finding["other"]; !other.is_null())
    if (Json place = place_of_finding(finding, other.value("source_file", ""), other); !place.is_null())
      out.push_back({{"id", 1}, {"physicalLocation", place}, {"message", {{"text", "the other access"}}}});
  constexpr std::pair<const char*, const char*> kCalls[] = {{"launched_by", "launch"}, {"allocated_by", "allocation"}};
  for (const auto& [key, what] : kCalls) {
    if (!finding.contains(key)) continue;
    const Json& call = finding[key];
    Json logical{{"fullyQualifiedName", call["caller"].is_null() ? call["function"] : call["caller"]},
                 {"kind", "function"}};
    out.push_back({{"id", out.size() + 1},
                   {"logicalLocations", Json::array({logical})},
                   {"message", {{"text", fmt::format("{}: {}", what, caller_text(call))}}}});
  }
  return out;
}

std::string text_or_empty(const Json& finding, const char* key) {
  auto found = finding.find(key);
  return found == finding.end() || !found->is_string() ? "" : found->get<std::string>();
}

Json result_of(const Json& finding, size_t rule) {
  std::string message = text_or_empty(finding, "message");
  const Json &b = finding["block"], &t = finding["thread"];
  message +=
      fmt::format(", kernel {}, block ({},{},{}) thread ({},{},{})",
                  ptx::demangled(finding["kernel"].get<std::string>()), b[0].get<uint32_t>(), b[1].get<uint32_t>(),
                  b[2].get<uint32_t>(), t[0].get<uint32_t>(), t[1].get<uint32_t>(), t[2].get<uint32_t>());
  for (const char* key : {"hint", "remedy"})
    if (const std::string more = text_or_empty(finding, key); !more.empty())
      message += fmt::format("\n{}: {}", key, more);
  Json place{
      {"logicalLocations", Json::array({{{"fullyQualifiedName", ptx::demangled(finding["kernel"].get<std::string>())},
                                         {"decoratedName", finding["kernel"]},
                                         {"kind", "function"}}})}};
  if (Json line = place_of_finding(finding, finding.value("source_file", ""), finding); !line.is_null())
    place["physicalLocation"] = line;
  Json out{{"ruleId", finding["kind"]},         {"ruleIndex", rule},
           {"level", finding["severity"]},      {"message", {{"text", message}}},
           {"locations", Json::array({place})}, {"occurrenceCount", finding["count"]}};
  if (Json related = related_locations(finding); !related.empty()) out["relatedLocations"] = related;
  return out;
}

Json rule_of(const debug::KindRow& row) {
  static constexpr const char* kLevels[] = {"error", "warning", "note"};
  Json out{{"id", row.name},
           {"shortDescription", {{"text", row.what}}},
           {"defaultConfiguration", {{"level", kLevels[static_cast<size_t>(row.severity)]}}},
           {"properties", {{"tags", Json::array({debug::name(row.tool)})}}}};
  if (!row.remedy.empty()) out["help"] = {{"text", row.remedy}};
  return out;
}

}  // namespace

Json sarif_of(const CheckResult& result) {
  Json rules = Json::array(), results = Json::array();
  std::vector<std::string> ids;
  for (const debug::KindRow& row : debug::kKinds) {
    if (std::none_of(result.findings.begin(), result.findings.end(),
                     [&](const Json& finding) { return finding["kind"] == row.name; }))
      continue;
    rules.push_back(rule_of(row));
    ids.emplace_back(row.name);
  }
  for (const Json& finding : result.findings)
    results.push_back(
        result_of(finding, static_cast<size_t>(std::find(ids.begin(), ids.end(), finding["kind"]) - ids.begin())));
  Json notes = Json::array();
  for (const std::string& note : result.notes) notes.push_back({{"level", "note"}, {"message", {{"text", note}}}});
  if (!result.end.empty())
    notes.push_back({{"level", "error"}, {"message", {{"text", fmt::format("{}: {}", result.target, result.end)}}}});
  Json invocation{{"executionSuccessful", result.complete}, {"exitCode", result.status}};
  if (!notes.empty()) invocation["toolExecutionNotifications"] = notes;
  Json run{{"tool", {{"driver", {{"name", "warptime"}, {"version", program_build()}, {"rules", rules}}}}},
           {"invocations", Json::array({invocation})},
           {"results", results}};
  return {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
}

}  // namespace warptime::cli
