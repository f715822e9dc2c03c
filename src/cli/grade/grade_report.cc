#include "cli/grade/grade_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/text_table.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

namespace {

/// A file's name in one line.
std::string name_text(std::string name) {
  for (char& c : name)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  return name;
}

std::string task_name(const GradedTask& task) {
  return task.kind == "values" ? fmt::format("values of {}", task.name) : task.name;
}

/// "2/4".
std::string points_of(double points, double of) { return fmt::format("{}/{}", points_text(points), points_text(of)); }

/// Kinds of errors, each once, and the tasks that were measured and not met.
std::string lacks_of(const GradedSubmission& graded) {
  std::vector<std::string> out;
  auto add = [&](std::string text) {
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
  };
  for (const Json& finding : graded.findings)
    if (finding["severity"] == "error") add(finding["kind"]);
  return fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace

std::string points_text(double points) {
  std::string out = fmt::format("{:.2f}", points);
  while (out.ends_with('0')) out.pop_back();
  if (out.ends_with('.')) out.pop_back();
  return out;
}

std::string student_report(const GradedSubmission& graded) {
  std::string out = fmt::format("{}: {} of {} points\n", name_text(graded.name), points_text(graded.points()),
                                points_text(graded.of()));
  TextRows rows{{"points", "what", "expected", "measured"}};
  for (const GradedTask& task : graded.tasks)
    rows.push_back({points_of(task.points(), task.of), task_name(task), task.asked, task.measured});
  out += text_table(rows, "  ");
  for (const Json& finding : graded.findings) out += "\n" + finding["text"].get<std::string>();
  const bool skipped = std::any_of(graded.tasks.begin(), graded.tasks.end(), [](const GradedTask& task) {
    return task.kind == "figure" && task.measured == "not measured";
  });
  if (skipped) out += "\nFigures are measured once the program runs to its end with the expected values.\n";
  return out;
}

std::string points_table(const std::vector<GradedSubmission>& all) {
  TextRows rows{{"points", "submission", "what is wrong"}};
  size_t full = 0;
  for (const GradedSubmission& graded : all) {
    full += graded.is_full() ? 1 : 0;
    rows.push_back({points_of(graded.points(), graded.of()), name_text(graded.name), lacks_of(graded)});
  }
  return text_table(rows) + fmt::format("{} of {} with full points\n", full, all.size());
}

Json grades_json(const Lab& lab, const std::vector<GradedSubmission>& all) {
  Json out{{"schema", 1},
           {"lab", lab.name},
           {"machine", {{"name", lab.timed.machine.name}, {"hash", lab.timed.machine.hash}}},
           {"submissions", Json::array()}};
  for (const GradedSubmission& graded : all) {
    Json one{{"name", graded.name}, {"points", graded.points()}, {"of", graded.of()}, {"tasks", Json::array()}};
    for (const GradedTask& task : graded.tasks) {
      Json row{{"kind", task.kind}, {"name", task.name},       {"expected", task.asked}, {"measured", task.measured},
               {"ok", task.is_met}, {"points", task.points()}, {"of", task.of},          {"hint", task.hint}};
      row.update(task.reasons);
      one["tasks"].push_back(std::move(row));
    }
    one["findings"] = Json::array();
    for (Json finding : graded.findings) {
      finding.erase("text");
      one["findings"].push_back(std::move(finding));
    }
    out["submissions"].push_back(std::move(one));
  }
  return out;
}

Json gradescope_json(const GradedSubmission& graded) {
  Json out{{"score", graded.points()},
           {"output", student_report(graded)},
           {"output_format", "text"},
           {"visibility", "visible"},
           {"tests", Json::array()}};
  for (const GradedTask& task : graded.tasks)
    out["tests"].push_back({{"name", task_name(task)},
                            {"score", task.points()},
                            {"max_score", task.of},
                            {"status", task.is_met ? "passed" : "failed"},
                            {"output", fmt::format("expected: {}\nmeasured: {}", task.asked, task.measured)}});
  return out;
}

}  // namespace warptime::cli
