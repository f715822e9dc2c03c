#include "cuda/program_checks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/standard_streams.h"
#include "debug/check/finding_text.h"

namespace warptime::cuda {

using Json = nlohmann::ordered_json;

ProgramChecks::ProgramChecks(debug::CheckTools tools, AllocatedBy allocated_by, bool all_calls)
    : Checker(tools), process_(getpid()), allocated_by_(std::move(allocated_by)), all_calls_(all_calls) {
  static int checkers = 0;
  name_ = fmt::format("{}.{}", process_, ++checkers);
  const char* path = std::getenv(kFindingsVariable);
  if (path != nullptr) file_ = Descriptor(open_to_append(path));
  if (file_.number() >= 0)
    found().notify(
        [this](const debug::Finding& finding) { line(fmt::format("finding\t{}\t{}", name_, json_of(finding))); });
}

void ProgramChecks::line(const std::string& text) const {
  if (getpid() == process_) write_whole(file_.number(), text + "\n");
}

std::string ProgramChecks::json_of(debug::Finding finding) const {
  finding.allocated_by = allocated_by_(finding.buffer);
  Json json = debug::finding_json(finding);
  json["text"] = debug::finding_text(finding, all_calls_);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void ProgramChecks::end() {
  found().notify({});
  finish();
  if (getpid() != process_) return;
  if (file_.number() >= 0) {
    for (const std::string& note : notes()) line("note\t" + note);
    std::vector<std::string> all;
    for (const debug::Finding& finding : findings().all()) all.push_back(json_of(finding));
    return line(fmt::format("findings\t{}\t[{}]", name_, fmt::join(all, ",")));
  }
  for (debug::Finding& finding : found().all()) finding.allocated_by = allocated_by_(finding.buffer);
  print_error(debug::findings_text(*this, all_calls_));
  if (!findings().all().empty()) print_error(fmt::format("checkers: {}\n", debug::findings_summary(findings().all())));
}

}  // namespace warptime::cuda
