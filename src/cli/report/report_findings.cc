// The findings of `warptime check --json=FILE` for the page of a run: each with its place, so that the page leads
// there.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/diagnostics.h"
#include "cli/report/report_input.h"

namespace warptime::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostFindings = 200;
constexpr size_t kMostBytes = size_t{1} << 24;

std::string text_in(const Json& object, const char* key) {
  auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

uint64_t whole_in(const Json& object, const char* key) {
  auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

/// The line of the PTX, and that of the user's source if there is one ("k.cu:7").
Json place_of_finding(const Json& from) {
  const uint64_t line = std::min<uint64_t>(whole_in(from, "source_line"), std::numeric_limits<uint32_t>::max());
  return {{"line", whole_in(from, "line")},
          {"source", short_place(UserLine{.file = text_in(from, "source_file"), .line = static_cast<uint32_t>(line)})}};
}

Json finding_of_page(const Json& from) {
  Json out = place_of_finding(from);
  for (const char* key : {"kind", "severity", "kernel", "message", "remedy"}) out[key] = text_in(from, key);
  out["count"] = whole_in(from, "count");
  auto other = from.find("other");
  out["other"] = other != from.end() && other->is_object() ? place_of_finding(*other) : Json();
  return out;
}

}  // namespace

void read_findings(const ArgumentText& file, ReportInput& input) {
  std::ifstream in = open_statistics(file);
  std::string text(kMostBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  if (text.size() > kMostBytes) fail(file.where, fmt::format("{} is larger than any list of findings", file.text));
  const Json document = Json::parse(text, nullptr, false);
  auto findings = document.is_object() ? document.find("findings") : document.end();
  if (!document.is_object() || findings == document.end() || !findings->is_array())
    fail(file.where, fmt::format("{} has no findings", file.text), "`warptime check TARGET --json=FILE` writes them");
  input.page.faults = Json::array();
  for (const Json& finding : *findings)
    if (finding.is_object() && input.page.faults.size() < kMostFindings)
      input.page.faults.push_back(finding_of_page(finding));
  if (findings->size() > kMostFindings)
    input.page.notes.push_back(
        fmt::format("Of {} findings of check, the first {} are shown.", findings->size(), kMostFindings));
  input.checked = text_in(document, "target");
}

void compare_targets(ReportInput& input) {
  const std::string own = input.page.statistics.value("target", std::string());
  if (input.checked && !input.checked->empty() && *input.checked != own)
    input.page.notes.push_back(fmt::format("The findings of check are of {}.", *input.checked));
}

}  // namespace warptime::cli
