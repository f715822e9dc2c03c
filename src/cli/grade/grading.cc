#include "cli/grade/grading.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/diagnostics.h"
#include "host/launch_file/figure_names.h"
#include "host/launch_file/launch_expectations.h"
#include "ptx/user/cuda_sources.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::string_view kNotMeasured = "not measured";

/// A finding of another kind than those of the checkers, in their form.
Json problem_json(std::string_view tool, std::string_view kind, const std::string& message, const Json& place = {}) {
  const std::string file = place.value("source_file", std::string());
  Json out{{"tool", tool},
           {"kind", kind},
           {"severity", "error"},
           {"file", ""},
           {"line", place.value("line", 0u)},
           {"kernel", ""},
           {"block", {0, 0, 0}},
           {"thread", {0, 0, 0}},
           {"address", 0},
           {"buffer", nullptr},
           {"message", message},
           {"hint", place.value("hint", std::string())},
           {"count", 1},
           {"source_file", file},
           {"source_line", place.value("source_line", 0u)},
           {"calls", Json::array()},
           {"variable", nullptr},
           {"remedy", place.contains("remedy") ? place["remedy"] : Json()},
           {"other", nullptr}};
  Diagnostic diagnostic{Severity::Error, {}, fmt::format("{}: {} [{}]", tool, message, kind), {}};
  if (out["source_line"] != 0 && !file.empty())
    diagnostic.user = {.file = file, .line = out["source_line"], .text = place.value("source_text", std::string())};
  std::vector<std::string> hints;
  if (place.contains("why")) hints.push_back(place["why"]);
  if (file.empty() && out["line"] != 0) hints.push_back(fmt::format("line {} of the PTX", out["line"].get<uint32_t>()));
  if (place.contains("remedy")) hints.push_back(fmt::format("remedy: {}", place["remedy"].get<std::string>()));
  if (!out["hint"].get<std::string>().empty()) hints.push_back(out["hint"]);
  diagnostic.hint = fmt::format("{}", fmt::join(hints, "\n               "));
  out["text"] = format_diagnostic(diagnostic);
  return out;
}

std::string limit_text(ConfinedEnd::How how, int status, const ConfinementLimits& limits) {
  switch (how) {
    case ConfinedEnd::How::Time: return fmt::format("it took more than {} seconds, and was ended", limits.seconds);
    case ConfinedEnd::How::Memory:
      return fmt::format("it needed more than {} MiB of memory, and was ended", limits.memory_bytes >> 20);
    case ConfinedEnd::How::Output: return "it printed without end, and was ended";
    case ConfinedEnd::How::Signal: return fmt::format("it was ended by signal {}", status);
    case ConfinedEnd::How::Interrupted: return "the grading was interrupted";
    case ConfinedEnd::How::Exited: break;
  }
  return fmt::format("it needed more than {} MiB of memory", limits.memory_bytes >> 20);
}

/// One submission on its way through compiler and runs.
class Grading {
 public:
  Grading(const Lab& lab, const Submission& submission) : lab_(lab), submission_(submission) {
    out_.name = submission.name;
    out_.file = submission.file;
    for (const host::Expectation& expectation : lab.plan.expectations) {
      const host::TypedData& data = lab.plan.buffers[expectation.buffer];
      out_.tasks.push_back(task("values", data.name, "the expected values", expectation.grading));
    }
    const std::vector<host::FigureCheck> asked = host::check_figures(lab.plan, {}, 0);
    for (size_t i = 0; i < asked.size(); ++i) {
      const host::ExpectedFigure& expected = lab.plan.expected_figures[i];
      out_.tasks.push_back(
          task(is_findings(expected) ? "findings" : "figure", asked[i].name, asked[i].asked, expected.grading));
    }
  }

  GradedSubmission run() {
    if (!submission_.refused.empty()) {
      fail("file", "refused", fmt::format("the file is not read: {}", submission_.refused));
    } else if (std::optional<std::string> ptx = ptx_of_submission()) {
      const std::string name = submission_.file.substr(0, submission_.file.rfind('.')) + ".ptx";
      plan_ = lab_.plan;
      plan_.module = std::make_shared<SourceText>(name, std::move(*ptx));
      if (checked() && values_are_right() && has_timed_figures()) timed();
    }
    for (const GradedTask& one : out_.tasks)
      if (!one.is_met && one.measured != kNotMeasured && one.kind != "findings") add_problem(one);
    return std::move(out_);
  }

 private:
  static bool is_findings(const host::ExpectedFigure& expected) { return expected.figure == host::kFindingsFigure; }
  static GradedTask task(std::string kind, std::string name, std::string asked, const host::Grading& grading) {
    return {.kind = std::move(kind),
            .name = std::move(name),
            .asked = std::move(asked),
            .measured = std::string(kNotMeasured),
            .of = grading.points,
            .hint = grading.hint,
            .reasons = Json::object()};
  }

  void fail(std::string_view tool, std::string_view kind, const std::string& message,
            const Json& place = Json::object()) {
    out_.findings.push_back(problem_json(tool, kind, message, place));
  }

  void add_problem(const GradedTask& one) {
    Json place = one.reasons;
    place["hint"] = one.hint;
    if (one.kind == "values")
      fail("values", "wrong_values", fmt::format("the values of \"{}\": {}", one.name, one.measured), place);
    else
      fail("figures", one.name.substr(0, one.name.find(' ')),
           fmt::format("{} is {}; expected: {}", one.name, one.measured, one.asked), place);
  }

  std::optional<std::string> ptx_of_submission() {
    if (!submission_.is_cuda()) return submission_.text;
    CompiledSubmission compiled = compile_submission(*lab_.compiler, submission_, lab_.limits);
    if (!compiled.ptx.empty()) return std::move(compiled.ptx);
    const SourceText text(submission_.file, submission_.text);
    for (const CompilerMessage& message : compiled.messages) {
      const bool has_line = message.line != 0 && message.line <= text.line_count();
      fail("compiler", "compile_error", message.text,
           {{"source_file", submission_.file},
            {"source_line", has_line ? message.line : 0},
            {"source_text", has_line ? std::string(text.line(message.line)) : std::string()}});
    }
    if (compiled.messages.empty())
      fail("compiler", "limit", fmt::format("compiling: {}", limit_text(compiled.how, 0, lab_.limits)));
    return std::nullopt;
  }

  /// The result of a run in a process of its own; nullopt: it has none, which is then a finding.
  std::optional<Json> result_of(std::string_view what, const std::function<Json(const host::LaunchPlan&)>& run) {
    const ConfinedEnd end = run_confined(lab_.limits, {.read = {"/proc", "/sys/fs/cgroup"}, .write = {}}, [&] {
      std::map<std::string, std::shared_ptr<const SourceText>> sources;
      if (submission_.is_cuda())
        sources[submission_.file] = std::make_shared<SourceText>(submission_.file, submission_.text);
      ptx::CudaSources::restrict_to(std::move(sources));
      Diagnostics diagnostics;
      host::LaunchPlan plan = plan_;
      host::choose_module(plan, diagnostics);
      const Json result = diagnostics.has_errors() ? Json{{"refused", diagnostics.to_text()}} : run(plan);
      return result.dump(-1, ' ', false, Json::error_handler_t::replace);
    });
    if (end.succeeded()) {
      Json result = Json::parse(end.output, nullptr, false);
      if (result.is_object() && result["refused"].is_null()) return result;
      if (result.is_object()) {
        fail("load", "refused", fmt::format("{}: the kernel cannot be run", what));
        out_.findings.back()["message"] = out_.findings.back()["text"] = result["refused"];
        return std::nullopt;
      }
    }
    fail("limits", "limit", fmt::format("{}: {}", what, limit_text(end.how, end.status, lab_.limits)));
    return std::nullopt;
  }

  bool checked() {
    const std::optional<Json> result =
        result_of("the checked run", [this](const host::LaunchPlan& plan) { return checked_run(plan, lab_.checked); });
    if (!result) return false;
    for (const Json& finding : (*result)["findings"]) {
      out_.findings.push_back(finding);
      errors_ += finding["severity"] == "error" ? 1 : 0;
    }
    const Json& end = (*result)["end"];
    if (end.is_string() && errors_ == 0) {
      fail("launch", "fault", end);
      ++errors_;
    }
    const Json& values = (*result)["values"];
    for (size_t i = 0; i < values.size() && i < out_.tasks.size(); ++i) take(out_.tasks[i], values[i]);
    const bool right = values_are_right();
    for (GradedTask& one : out_.tasks) {
      if (one.kind == "values" && !one.is_met && errors_ != 0)
        one.reasons["remedy"] = "first what the checkers have found: it may be the cause";
      if (one.kind != "findings") continue;
      // A kernel that computes nothing has no findings.
      one.is_met = errors_ == 0 && right;
      one.measured = errors_ == 0 ? right ? "none" : "none, but the values are wrong" : fmt::to_string(errors_);
    }
    return end.is_null();
  }

  void timed() {
    const std::optional<Json> result = result_of(
        "the timed run", [this](const host::LaunchPlan& plan) { return timed_run(plan, lab_.timed, errors_); });
    if (!result) return;
    const Json& end = (*result)["end"];
    // With a fault that the checkers have found, it had to end so.
    if (end.is_string() && errors_ == 0)
      fail("launch", "fault", fmt::format("the timed run: {}", end.get<std::string>()));
    if (!end.is_null()) return;
    const Json& figures = (*result)["figures"];
    const size_t first = lab_.plan.expectations.size();
    for (size_t i = 0; i < figures.size(); ++i)
      if (GradedTask& one = out_.tasks[first + i]; one.kind == "figure") take(one, figures[i]);
  }

  static void take(GradedTask& one, const Json& result) {
    one.is_met = result["ok"].is_boolean() && result["ok"].get<bool>();
    one.measured = result["measured"];
    for (const char* key : {"line", "source_file", "source_line", "source_text", "why", "remedy"})
      if (result.contains(key)) one.reasons[key] = result[key];
  }

  bool values_are_right() {
    const bool right = std::all_of(out_.tasks.begin(), out_.tasks.end(),
                                   [](const GradedTask& one) { return one.kind != "values" || one.is_met; });
    return right;
  }
  bool has_timed_figures() const {
    return std::any_of(lab_.plan.expected_figures.begin(), lab_.plan.expected_figures.end(),
                       [](const host::ExpectedFigure& expected) { return !is_findings(expected); });
  }

  const Lab& lab_;
  const Submission& submission_;
  host::LaunchPlan plan_;
  GradedSubmission out_;
  uint64_t errors_ = 0;
};

}  // namespace

double GradedSubmission::points() const {
  double sum = 0;
  for (const GradedTask& task : tasks) sum += task.points();
  return sum;
}

double GradedSubmission::of() const {
  double sum = 0;
  for (const GradedTask& task : tasks) sum += task.of;
  return sum;
}

bool GradedSubmission::is_full() const {
  return std::all_of(tasks.begin(), tasks.end(), [](const GradedTask& task) { return task.is_met || task.of == 0; });
}

GradedSubmission grade(const Lab& lab, const Submission& submission) { return Grading(lab, submission).run(); }

}  // namespace warptime::cli
