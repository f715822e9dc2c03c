#include "cli/exec/exec_findings.h"

#include <algorithm>
#include <map>

namespace warptime::cli {

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kFindingKey[] = {"kind", "file", "kernel", "line", "variable"};

Json* same_finding(std::vector<Json>& known, const Json& finding) {
  auto found = std::find_if(known.begin(), known.end(), [&](const Json& other) {
    return std::all_of(std::begin(kFindingKey), std::end(kFindingKey),
                       [&](const char* key) { return other.value(key, Json()) == finding.value(key, Json()); });
  });
  return found == known.end() ? nullptr : &*found;
}

}  // namespace

ExecFindings read_findings(std::string_view lines) {
  ExecFindings out;
  std::vector<std::string> order;  // processes by their first line
  std::map<std::string, std::vector<Json>> known;
  for (size_t end = lines.find('\n'); end != std::string_view::npos; end = lines.find('\n')) {
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end + 1);
    const size_t tab = std::min(line.find('\t'), line.size()), second = line.find('\t', tab + 1);
    const std::string_view what = line.substr(0, tab);
    if (what == "note") {
      const std::string note(line.substr(tab + 1));
      if (std::find(out.notes.begin(), out.notes.end(), note) == out.notes.end()) out.notes.push_back(note);
    }
    if (second == std::string_view::npos || (what != "finding" && what != "findings")) continue;
    const std::string process(line.substr(tab + 1, second - tab - 1));
    Json value = Json::parse(line.substr(second + 1), nullptr, false);
    if (value.is_discarded()) continue;
    auto [place, is_new] = known.try_emplace(process);
    if (is_new) order.push_back(process);
    if (what == "finding") {
      // Another occurrence may have said more.
      if (Json* same = same_finding(place->second, value)) *same = std::move(value);
      else place->second.push_back(std::move(value));
      continue;
    }
    place->second.assign(value.begin(), value.end());
  }
  for (const std::string& process : order)
    for (Json& finding : known[process]) {
      if (Json* same = same_finding(out.all, finding))
        (*same)["count"] = (*same)["count"].get<uint64_t>() + finding["count"].get<uint64_t>();
      else out.all.push_back(std::move(finding));
    }
  return out;
}

}  // namespace warptime::cli
