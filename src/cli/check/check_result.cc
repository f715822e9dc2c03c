#include "cli/check/check_result.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

Json check_json(const CheckResult& result) {
  Json out{
      {"schema", 1}, {"target", result.target}, {"machine", {{"name", result.machine}, {"hash", result.machine_hash}}}};
  if (result.seed) out["adversarial"] = *result.seed;
  out["complete"] = result.complete;
  out["findings"] = Json::array();
  for (Json finding : result.findings) {
    finding.erase("text");
    out["findings"].push_back(std::move(finding));
  }
  out["notes"] = result.notes;
  return out;
}

std::vector<Option> check_file_options() {
  using Kind = Option::Kind;
  return {
      {"json", Kind::OptionalValue, Takes::file("FILE"), "the findings as JSON to FILE or standard output"},
      {"sarif", Kind::Value, Takes::file("FILE"),
       "the findings as SARIF 2.1.0, for code hosts and editors; - is stdout"},
      {"junit", Kind::Value, Takes::file("FILE"), "a JUnit XML file with a test case for each kernel; - is stdout"}};
}

CheckFiles::CheckFiles(const Arguments& arguments, bool json)
    : json_(json ? output_of(arguments, "json") : std::nullopt),
      sarif_(output_of(arguments, "sarif")),
      junit_(output_of(arguments, "junit")) {}

bool CheckFiles::uses_standard_output() const {
  for (const auto* file : {&json_, &sarif_, &junit_})
    if (*file && (*file)->is_standard_output()) return true;
  return false;
}

void CheckFiles::write(const CheckResult& result) {
  if (json_) json_->write_all(json_text(check_json(result)));
  if (sarif_) sarif_->write_all(json_text(sarif_of(result)));
  if (junit_) junit_->write_all(junit_of(result));
}

}  // namespace warptime::cli
