// `warptime grade`: submissions of a lab, each compiled and run with limits, checked, and given points.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/output_file.h"
#include "base/printable.h"
#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/grade/grade_report.h"
#include "cli/interruption.h"
#include "cli/machine/machine_option.h"
#include "cli/output.h"
#include "cli/run/run_target.h"
#include "host/launch_file/figure_names.h"
#include "host/launch_file/launch_file.h"

namespace warptime::cli {

namespace {

constexpr uint64_t kSeconds = 60, kMostSeconds = 86400;
constexpr uint64_t kMegabytes = 4096, kMostMegabytes = 1 << 20;
constexpr uint64_t kMostCycles = 20'000'000;

const Command& describe_grade() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "grade",
        .usage = "LAB.yaml SUBMISSION... [options]",
        .summary = "grade submissions of a lab: values, findings of the checkers, figures, points",
        .details =
            "LAB.yaml is a launch file whose `expect` and `expect_figures` have points. A SUBMISSION is a .cu, "
            "compiled\n"
            "by nvcc (else clang++) to PTX, or a .ptx. It takes the place of the lab's module, and runs twice: with "
            "all\n"
            "checkers, and, if the values are right, with timing. No host code of a submission is run, and it has "
            "limits\n"
            "of time and memory. The exit status is 1 if one submission is below full points. docs/labs.md says "
            "more.\n",
        .options = {{"json", Kind::OptionalValue, Takes::file("FILE"), "the grades as JSON to FILE or standard output"},
                    {"points", Kind::Flag, "", "print the table of points only, not the reports of the students"},
                    {"reports", Kind::Value, Takes::file("FOLDER"), "write each student's report into this folder"},
                    {"gradescope", Kind::Value, Takes::file("FILE"),
                     "one submission: write the results file of an autograder of Gradescope"},
                    {"param", Kind::Repeated, Takes::parameter("NAME=VALUE"), "one of the lab's `params`"},
                    {"seconds", Kind::Value, "N",
                     fmt::format("longest time of a compilation, and of each run; default {}", kSeconds)},
                    {"memory", Kind::Value, "MIB", fmt::format("most memory of each, MiB; default {}", kMegabytes)},
                    {"max-cycles", Kind::Value, "N",
                     fmt::format(
                         "end a launch after N shader cycles, or warp instructions of the checked run; default {}",
                         kMostCycles)},
                    {"threads", Kind::Value, "N", "host threads of the timed run; default: the host's cores"}},
        .unavailable = {},
        .examples = {"warptime grade labs/transpose/lab.yaml labs/transpose/solution.ptx",
                     "warptime grade labs/reduction/lab.yaml labs/reduction/starter.ptx --points",
                     "warptime grade lab.yaml handed-in/*.cu --json=grades.json --reports reports"},
        .min_words = 2,
        .max_words = ~size_t{0},
        .word_name = "LAB.yaml and submissions"};
    for (Option& option : machine_options()) c.options.push_back(std::move(option));
    return c;
  }();
  return command;
}

/// Figures of time need a machine that has it.
void check_timing(const Lab& lab, const ArgumentText& word) {
  if (lab.timed.machine.config.has_timing) return;
  for (const host::ExpectedFigure& expected : lab.plan.expected_figures)
    if (const host::FigureName* row = host::find_figure_name(expected.figure); row == nullptr || row->timed)
      fail(word.where, fmt::format("\"{}\" is a figure of timed runs, and the machine {} has no timing",
                                   expected.figure, lab.timed.machine.name));
}

Lab lab_of(const Arguments& arguments) {
  const ArgumentText& word = arguments.words().front();
  if (!is_launch_file_name(word.text))
    fail(word.where, fmt::format("a lab is a launch file (.yaml), not \"{}\"", word.text));
  Lab lab;
  lab.name = word.text;
  lab.plan = host::load_launch_file(word.text, word.where, arguments.texts("param"));
  if (lab.plan.expectations.empty() && lab.plan.expected_figures.empty())
    fail(word.where, fmt::format("\"{}\" expects nothing: there is nothing to grade", word.text),
         "`expect:` has the values of buffers, `expect_figures:` the limits of figures");
  lab.plan.outputs.clear();
  lab.timed.machine = load_machine(arguments).machine;
  std::string warnings;
  lab.checked.machine = load_machine(ArgumentText{"generic", {}}, {}, warnings).machine;
  lab.checked.max_cycles = lab.timed.max_cycles = arguments.number("max-cycles", 1, kNever - 1).value_or(kMostCycles);
  lab.timed.threads = host_threads(arguments);
  lab.limits.seconds = arguments.number("seconds", 1, kMostSeconds).value_or(kSeconds);
  lab.limits.memory_bytes = arguments.number("memory", 64, kMostMegabytes).value_or(kMegabytes) << 20;
  check_timing(lab, word);
  return lab;
}

/// A file for each report, in a folder of the teacher's; names that are the same get a number.
class ReportFolder {
 public:
  explicit ReportFolder(const std::optional<ArgumentText>& folder) : folder_(folder) {
    if (!folder_) return;
    std::error_code error;
    std::filesystem::create_directories(folder_->text, error);
    if (!std::filesystem::is_directory(folder_->text))
      fail(folder_->where, fmt::format("\"{}\" is not a folder, and cannot be made one", folder_->text));
  }
  void write(const GradedSubmission& graded) {
    if (!folder_) return;
    const uint64_t number = names_[graded.file]++;
    const std::string path =
        fmt::format("{}/{}{}.txt", folder_->text, graded.file, number == 0 ? "" : fmt::format("-{}", number + 1));
    OutputFile file(path);
    file.write(printable(student_report(graded), true));
    if (!file.commit()) fail(folder_->where, fmt::format("cannot write \"{}\": {}", path, file.error()));
  }

 private:
  std::optional<ArgumentText> folder_;
  std::map<std::string, uint64_t> names_;
};

int execute_grade(const Arguments& arguments) {
  Lab lab = lab_of(arguments);
  std::vector<Submission> submissions;
  for (size_t i = 1; i < arguments.words().size(); ++i) {
    submissions.push_back(read_submission(arguments.words()[i]));
    if (submissions.back().is_cuda() && !lab.compiler) lab.compiler = find_compiler(arguments.words()[i].where);
  }
  auto json = output_of(arguments, "json");
  auto gradescope = output_of(arguments, "gradescope");
  if (gradescope && submissions.size() > 1)
    fail(arguments.value("gradescope")->where, "--gradescope goes with one submission");
  ReportFolder reports(arguments.value("reports"));
  const bool stdout_taken = (json && json->is_standard_output()) || (gradescope && gradescope->is_standard_output());
  const bool with_reports = !arguments.has("points") && !stdout_taken;

  const Interruption interruption;
  std::vector<GradedSubmission> all;
  bool full = true;
  for (const Submission& submission : submissions) {
    all.push_back(grade(lab, submission));
    if (Interruption::flag() != 0) return Interruption::exit_status();
    full = full && all.back().is_full();
    reports.write(all.back());
    if (with_reports) print(student_report(all.back()) + "\n");
  }
  if (!stdout_taken && (all.size() > 1 || arguments.has("points"))) print(points_table(all));
  if (json) json->write_all(json_text(grades_json(lab, all)));
  if (gradescope) gradescope->write_all(json_text(gradescope_json(all.front())));
  return full ? kDone : kCheckFailed;
}

}  // namespace

Entry grade_command() { return {describe_grade, execute_grade}; }

}  // namespace warptime::cli
