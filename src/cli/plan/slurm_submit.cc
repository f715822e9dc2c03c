// --slurm: makes the plan, submits one array job for what is missing and the job that merges after it.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/output_file.h"
#include "base/parse_number.h"
#include "base/printable.h"
#include "base/standard_streams.h"
#include "base/system_error.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/plan/parts.h"
#include "cli/plan/plan_table.h"
#include "cli/plan/slurm_client.h"
#include "cli/plan/slurm_plan.h"
#include "host/report/report.h"

namespace warptime::cli {

namespace fs = std::filesystem;

namespace {

// An element takes as long as Slurm needs to start it many times over, and not so long that a queue is blocked by it.
constexpr double kShortElement = 5, kLongElement = 600;

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string option_text(const Arguments& arguments, std::string_view option) {
  auto given = arguments.value(option);
  return given ? given->text : "";
}

/// One run of the missing points of a plan.
class Submission {
 public:
  Submission(const Arguments& arguments, const TaskCommand& command, Tasks& tasks, SlurmPlanFolder& plan)
      : arguments_(arguments), command_(command), tasks_(tasks), plan_(plan) {
    where_ = arguments.all("slurm").front().where;
    now_.number = plan.submissions.size() + 1;
  }

  void submit(std::vector<size_t> missing, const std::vector<std::string>& other_jobs) {
    double seconds = seconds_of_point(missing);
    now_.tasks = std::move(missing);
    if (!now_.tasks.empty()) {
      now_.elements = elements_for(seconds);
      write_plan_file(plan_.file(fmt::format("submission-{}.json", now_.number)), submission_text(now_), where_);
      std::string file = fs::absolute(plan_.path / fmt::format("submission-{}.json", now_.number)).string();
      now_.job = sbatch({fmt::format("--array=1-{}", now_.elements), fmt::format("--cpus-per-task={}", processes())},
                        "element", "-%a", {"--run-element", file}, true);
    }
    std::vector<std::string> jobs = other_jobs;
    if (!now_.job.empty()) jobs.push_back(now_.job);
    if (jobs.empty()) return;
    try {
      now_.merge = sbatch({fmt::format("--dependency=afterany:{}", fmt::join(jobs, ":"))}, "merge", "",
                          {"--merge", fs::absolute(plan_.path).string()}, false);
    } catch (...) {
      if (!now_.job.empty()) call_slurm({"scancel", now_.job});
      throw;
    }
    if (now_.job.empty()) return;
    nlohmann::ordered_json json{{"job", now_.job}, {"merge", now_.merge}};
    write_plan_file(plan_.file(fmt::format("job-{}.json", now_.number)), json.dump() + "\n", where_);
  }

  /// What Slurm would refuse (a partition that does not exist) is refused before anything is written or run.
  void try_out() const {
    SlurmAnswer answer = call_slurm(with_user_words({"sbatch", "--test-only", "--array=1-1", "--wrap=true"}));
    if (answer.status != 0) refuse(answer);
  }

  const SlurmSubmission& submission() const { return now_; }

 private:
  uint64_t processes() const { return arguments_.number("jobs", 1, 1024).value_or(1); }

  [[noreturn]] void refuse(const SlurmAnswer& answer) const {
    std::string words = answer.err.empty() ? fmt::format("exit status {}", answer.status) : answer.err;
    // Its last line has the reason.
    if (size_t line = words.rfind('\n'); line != std::string::npos) words.erase(0, line + 1);
    constexpr std::string_view kPrefix = "sbatch: error: ", kAllocation = "allocation failure: ";
    if (words.starts_with(kPrefix)) words.erase(0, kPrefix.size());
    if (words.starts_with(kAllocation)) words.erase(0, kAllocation.size());
    fail(where_, fmt::format("Slurm refuses the job: {}", words), "nothing was submitted");
  }

  std::vector<std::string> with_user_words(std::vector<std::string> words) const {
    for (const char* option : {"partition", "time", "account"})
      if (auto value = arguments_.value(option)) words.push_back(fmt::format("--{}={}", option, value->text));
    for (std::string& text : arguments_.texts("sbatch-arg")) words.push_back(std::move(text));
    return words;
  }

  /// Submits `warptime COMMAND WORDS`; returns the job's number.
  std::string sbatch(std::vector<std::string> options, const std::string& role, const std::string& log_end,
                     const std::vector<std::string>& call, bool requeue) const {
    std::string name = fmt::format("{}-{}", role, now_.number), script = "#!/bin/sh\n";
    script += fmt::format("cd {} || exit 2\nexec {} {}", quoted(fs::current_path().string()),
                          quoted(fs::read_symlink("/proc/self/exe").string()), command_.name);
    for (const std::string& word : call) script += " " + quoted(word);
    write_plan_file(plan_.file(name + ".sh"), script + "\n", where_);
    std::vector<std::string> words{
        "sbatch",
        "--parsable",
        fmt::format("--job-name=warptime-{}", command_.name),
        "--ntasks=1",
        "--open-mode=append",
        fmt::format("--output={}", fs::absolute(plan_.path / (name + log_end + ".log")).string())};
    if (requeue) words.emplace_back("--requeue");
    words.insert(words.end(), options.begin(), options.end());
    words = with_user_words(std::move(words));
    words.push_back(plan_.file(name + ".sh"));
    SlurmAnswer answer = call_slurm(std::move(words));
    if (answer.status != 0) refuse(answer);
    std::string number = job_number(answer.out);
    if (number.empty())
      fail(where_,
           fmt::format("sbatch gave no job number, but {}",
                       answer.out.empty() ? "nothing" : fmt::format("\"{}\"", clipped(answer.out))),
           "squeue shows whether it has submitted a job");
    return number;
  }

  /// Given, or that of the first missing point, which is run here and is then not missing.
  double seconds_of_point(std::vector<size_t>& missing) {
    if (auto given = arguments_.value("point-time")) {
      double seconds = 0;
      if (parse_number(given->text, seconds) != NumberError::Ok || seconds <= 0)
        fail(given->where, fmt::format("--point-time requires seconds above 0, not \"{}\"", given->text));
      return seconds;
    }
    if (missing.empty()) return 1;
    auto start = std::chrono::steady_clock::now();  // some prepare by a run that tells as much
    tasks_.begin(plan_.done.results);
    ShardWriter shard;
    std::string name = fmt::format("shard-{}-0-{}", now_.number, start.time_since_epoch().count());
    shard.open({plan_.file(name), where_}, plan_.header, false);
    run_tasks(tasks_, {missing.front()}, 1, true, [&](size_t task, const std::string& result) {
      shard.append(task, result);
      plan_.done.add(task, result, status_of_result(result).value_or(kOwnFault));
    });
    shard.close();
    missing.erase(missing.begin());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  size_t elements_for(double seconds) const {
    double all = seconds * static_cast<double>(now_.tasks.size()) / static_cast<double>(processes());
    double longest = kLongElement;
    if (double limit = slurm_seconds(option_text(arguments_, "time")); limit > 0)
      longest = std::min(longest, limit / 2);
    size_t slots = std::max<size_t>(1, slurm_slots(option_text(arguments_, "partition")) / processes());
    // One element per slot, but none shorter than worth it; more only to keep each short enough.
    double elements = std::min(static_cast<double>(slots), std::floor(all / std::min(kShortElement, longest)));
    elements = std::max({elements, std::ceil(all / longest), 1.0});
    double most = static_cast<double>(std::min(now_.tasks.size(), most_array_elements()));
    return static_cast<size_t>(std::min(elements, most));
  }

  const Arguments& arguments_;
  const TaskCommand& command_;
  Tasks& tasks_;
  SlurmPlanFolder& plan_;
  SourceSpan where_;
  SlurmSubmission now_;
};

/// The points that an element which still waits or runs will give.
std::vector<bool> points_under_way(const SlurmPlanFolder& plan, std::vector<std::string>& jobs) {
  std::vector<bool> under_way(plan.header.tasks);
  for (const SlurmSubmission& submission : plan.submissions) {
    bool any = false;
    if (submission.job.empty()) continue;
    const std::vector<std::vector<size_t>> parts = submission.parts();
    for (const auto& [element, state] : slurm_states(submission.job, submission.elements)) {
      if (!is_alive(state)) continue;
      any = true;
      for (size_t task : parts[element - 1])
        if (task < under_way.size()) under_way[task] = true;
    }
    if (any) jobs.push_back(submission.job);
  }
  return under_way;
}

}  // namespace

int submit_to_slurm(const Arguments& arguments, const TaskCommand& command) {
  ArgumentText slurm = arguments.all("slurm").front();
  auto csv = arguments.value("csv");
  if (!csv || csv->text.empty() || csv->text == "-")
    fail(slurm.where, "--slurm needs a file for the rows", "--csv FILE");
  require_slurm(slurm.where);
  std::error_code error;
  if (const fs::path here = fs::current_path(error); error)
    fail(slurm.where, fmt::format("the jobs of --slurm would begin in this folder: {}", error_text(error.value())));
  std::unique_ptr<Tasks> tasks = command.plan(arguments);
  ArgumentText folder{csv->text + ".plan", csv->where};
  bool resume = arguments.has("resume"), there = fs::exists(folder.text, error);
  SlurmPlanFolder plan;
  if (!resume) {
    for (const char* option : {"csv", "json"}) refuse_existing(arguments, option);
    if (std::string why = why_not_writable(csv->text); !why.empty())
      fail(csv->where, fmt::format("cannot write {}: {}", csv->text, why));
    if (there && !arguments.has("force"))
      fail(csv->where, fmt::format("{} exists", folder.text), "--resume submits what is missing, --force begins anew");
    plan.header = header_of(arguments, command, *tasks);
    plan.path = folder.text;
    Submission(arguments, command, *tasks, plan).try_out();
    if (there && !fs::exists(plan.path / "plan.json"))
      fail(csv->where, fmt::format("{} is not a plan of warptime", folder.text));
    if (there) {
      std::vector<std::string> jobs;
      points_under_way(read_slurm_plan(folder), jobs);
      if (!jobs.empty())
        fail(csv->where, fmt::format("job {} of {} still runs", jobs.front(), folder.text),
             fmt::format("scancel {} ends it", fmt::join(jobs, " ")));
      fs::remove_all(plan.path, error);
    }
    fs::create_directory(plan.path, error);
    if (error) fail(csv->where, fmt::format("cannot make the folder {}: {}", folder.text, error_text(error.value())));
    write_plan_file(plan.file("plan.json"), plan.header.line(), csv->where);
  } else {
    plan = read_slurm_plan(folder);
    if (plan.header.plan != tasks->identity())
      fail(csv->where, fmt::format("{} is another plan: other points, target, machine or options", folder.text));
    Submission(arguments, command, *tasks, plan).try_out();
  }
  std::vector<std::string> jobs;
  std::vector<bool> under_way = points_under_way(plan, jobs);
  std::vector<size_t> missing;
  for (size_t task = 0; task < tasks->count(); ++task)
    if (!under_way[task] && !plan.done.results.contains(task)) missing.push_back(task);
  size_t before = missing.size();
  Submission submission(arguments, command, *tasks, plan);
  try {
    submission.submit(std::move(missing), jobs);
  } catch (...) {
    if (!resume) fs::remove_all(plan.path, error);  // no job has it
    throw;
  }
  const SlurmSubmission& now = submission.submission();
  std::string done = before > now.tasks.size() ? fmt::format(", {} measured here", before - now.tasks.size()) : "";
  if (!now.job.empty())
    print(fmt::format("job {}: {} of {} points in {} elements{}; job {} writes {}\n", now.job, now.tasks.size(),
                      tasks->count(), now.elements, done, now.merge, csv->text));
  else if (!jobs.empty()) print(fmt::format("nothing more is missing: job {} still runs\n", fmt::join(jobs, ", ")));
  else return finish_plan(plan.header, command, plan.done, plan.damage, csv->where, nullptr);
  print(fmt::format("warptime sweep --status {} shows how far it is\n", folder.text));
  return kDone;
}

}  // namespace warptime::cli
