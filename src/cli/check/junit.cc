// Findings as JUnit's XML (the form that Jenkins, GitLab and GitHub's actions read): the suite is the target or
// program, a test case each kernel that it launched, and one how the program itself ended. The errors of a kernel are
// its one failure, as several are shown by few; warnings and notes are its output.
#include <fmt/format.h>

#include <algorithm>

#include "cli/check/check_result.h"
#include "ptx/user/demangle.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

namespace {

/// Text of an element or an attribute. XML 1.0 has no other control characters than tab and line feed.
std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      case '\t': out += "&#9;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    }
  }
  return out;
}

std::string valid_utf8(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

struct Case {
  std::string name;
  std::vector<const Json*> errors, others;
};

std::string joined(const std::vector<const Json*>& findings) {
  std::string out;
  for (const Json* finding : findings) out += (*finding)["text"].get<std::string>();
  return xml_text(out);
}

std::string case_text(const std::string& suite, const Case& test) {
  std::string out = fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml_text(suite), xml_text(test.name));
  if (test.errors.empty() && test.others.empty()) return out + "/>\n";
  out += ">\n";
  if (!test.errors.empty()) {
    const Json& first = *test.errors.front();
    const size_t more = test.errors.size() - 1;
    out += fmt::format("      <failure type=\"{}\" message=\"{}{}\">{}</failure>\n",
                       xml_text(first["kind"].get<std::string>()), xml_text(first["message"].get<std::string>()),
                       more == 0 ? "" : fmt::format(" (and {} more)", more), joined(test.errors));
  }
  if (!test.others.empty()) out += fmt::format("      <system-out>{}</system-out>\n", joined(test.others));
  return out + "    </testcase>\n";
}

}  // namespace

std::string junit_of(const CheckResult& result) {
  std::vector<Case> cases;
  auto case_of = [&](const std::string& kernel) -> Case& {
    const std::string name = ptx::demangled(kernel);
    auto known = std::find_if(cases.begin(), cases.end(), [&](const Case& test) { return test.name == name; });
    return known != cases.end() ? *known : cases.emplace_back(Case{name, {}, {}});
  };
  for (const std::string& kernel : result.kernels) case_of(kernel);
  for (const Json& finding : result.findings) {
    Case& test = case_of(finding["kernel"].get<std::string>());
    (finding["severity"] == "error" ? test.errors : test.others).push_back(&finding);
  }
  std::string body;
  for (const Case& test : cases) body += case_text(result.target, test);
  const auto failed = static_cast<size_t>(std::count_if(cases.begin(), cases.end(),
                                                        [](const Case& test) { return !test.errors.empty(); })) +
                      (result.end.empty() ? 0 : 1);
  // The run as a whole, so that a run without kernels is not one without tests.
  body += fmt::format("    <testcase classname=\"{}\" name=\"the run to its end\"", xml_text(result.target));
  if (result.end.empty()) body += "/>\n";
  else
    body += fmt::format(">\n      <failure type=\"end\" message=\"{}\"></failure>\n    </testcase>\n",
                        xml_text(result.end));
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\"", cases.size() + 1, failed);
  // A file's name, say, may have bytes that are not UTF-8.
  return valid_utf8(
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"warptime\" {0}>\n  <testsuite "
                  "name=\"{1} on {2}\" "
                  "{0}>\n{3}  </testsuite>\n</testsuites>\n",
                  counts, xml_text(result.target), xml_text(result.machine), body));
}

}  // namespace warptime::cli
