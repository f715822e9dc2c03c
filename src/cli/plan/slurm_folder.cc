// The folder of a plan that Slurm runs: what is in it, and the jobs' side of it.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/json_value.h"
#include "base/output_file.h"
#include "base/parse_number.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/plan/parts.h"
#include "cli/plan/slurm_client.h"
#include "cli/plan/slurm_plan.h"
#include "host/report/report.h"

namespace warptime::cli {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

std::string text_from(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// [[0, 199], [205, 205]]: runs of neighbours.
Json ranges_of(const std::vector<size_t>& tasks) {
  Json ranges = Json::array();
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (i > 0 && tasks[i] == tasks[i - 1] + 1) ranges.back()[1] = tasks[i];
    else ranges.push_back({tasks[i], tasks[i]});
  }
  return ranges;
}

/// `most`: tasks of the plan.
SlurmSubmission read_submission(const fs::path& folder, size_t number, size_t most, const ArgumentText& name) {
  SlurmSubmission out{.number = number, .tasks = {}, .elements = 0, .job = {}, .merge = {}};
  try {
    const Json json = parse_json(plan_file_text(folder / fmt::format("submission-{}.json", number))).value_or(Json());
    for (const Json& range : json.at("tasks")) {
      const size_t first = range.at(0), last = range.at(1);
      for (size_t task = first; task <= last && task < most && out.tasks.size() < most; ++task)
        out.tasks.push_back(task);
    }
    out.elements = json.at("elements");
    std::string job = plan_file_text(folder / fmt::format("job-{}.json", number));
    if (!job.empty()) {
      const Json jobs = parse_json(job).value_or(Json());
      out.job = jobs.at("job"), out.merge = jobs.at("merge");
    }
  } catch (const Json::exception&) {
    fail(name.where, fmt::format("submission-{}.json or job-{}.json of {} is damaged", number, number, name.text));
  }
  if (out.elements == 0 || out.elements > out.tasks.size())
    fail(name.where, fmt::format("submission-{}.json of {} is damaged", number, name.text));
  return out;
}

}  // namespace

std::string plan_file_text(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  std::string why;
  auto source = SourceText::read_file(path.string(), &why);
  return source ? std::string(source->text()) : std::string();
}

std::string submission_text(const SlurmSubmission& submission) {
  return Json{{"tasks", ranges_of(submission.tasks)}, {"elements", submission.elements}}.dump() + "\n";
}

void write_plan_file(const std::string& path, const std::string& text, const SourceSpan& where) {
  OutputFile file(path);
  file.write(text);
  if (!file.commit()) fail(where, fmt::format("cannot write {}: {}", path, file.error()));
}

SlurmPlanFolder read_slurm_plan(const ArgumentText& name) {
  SlurmPlanFolder plan;
  plan.path = name.text;
  std::error_code error;
  if (!fs::is_directory(plan.path, error) && fs::is_directory(name.text + ".plan", error))
    plan.path = name.text + ".plan";
  std::string text = plan_file_text(plan.path / "plan.json");
  if (text.empty())
    fail(name.where, fmt::format("there is no plan {}", name.text), "--slurm makes the plan FILE.plan of --csv FILE");
  ShardContents header = parse_shard(text, plan.file("plan.json"));
  check_shard_header(header, {plan.file("plan.json"), name.where});
  plan.header = header.header;
  for (size_t i = 1; fs::exists(plan.path / fmt::format("submission-{}.json", i), error); ++i)
    plan.submissions.push_back(read_submission(plan.path, i, plan.header.tasks, name));
  std::vector<std::string> shards;
  for (const auto& entry : fs::directory_iterator(plan.path, error))
    if (entry.path().filename().string().starts_with("shard-")) shards.push_back(entry.path().string());
  std::sort(shards.begin(), shards.end());
  for (const std::string& file : shards) {
    if (!fs::is_regular_file(file, error)) {
      if (plan.damage.empty()) plan.damage = fmt::format("{} is not a file", file);
      continue;
    }
    ShardContents shard = parse_shard(plan_file_text(file), file);
    bool own = shard.readable && shard.header.plan == plan.header.plan;
    if (shard.damage.empty() && !own) shard.damage = fmt::format("{} was written for a different plan", file);
    // A line that an element was writing when it ended is not damage: its point is missing.
    bool cut = shard.damage.ends_with("ends within a line") || shard.whole == 0;
    if (plan.damage.empty() && !cut) plan.damage = shard.damage;
    if (own) plan.done.add(shard.done);
  }
  return plan;
}

int run_slurm_element(const Arguments& arguments, const TaskCommand& command) {
  ArgumentText file = *arguments.value("run-element");
  fs::path path(file.text);
  std::string stem = path.stem().string(), array = text_from("SLURM_ARRAY_TASK_ID"), job = text_from("SLURM_JOB_ID");
  uint64_t number = 0, element = 0;
  if (!stem.starts_with("submission-") || parse_number(stem.substr(stem.find('-') + 1), number) != NumberError::Ok)
    fail(file.where, "--run-element needs the submission-K.json of a plan");
  if (parse_number(array, element) != NumberError::Ok || job.empty())
    fail(file.where, "--run-element is for the jobs that --slurm submits: SLURM_ARRAY_TASK_ID is not a number");
  SlurmPlanFolder plan = read_slurm_plan({path.parent_path().string(), file.where});
  if (number == 0 || number > plan.submissions.size()) fail(file.where, fmt::format("{} is not there", file.text));
  const SlurmSubmission& submission = plan.submissions[number - 1];
  if (element == 0 || element > submission.elements)
    fail(file.where, fmt::format("{} has {} elements, not {}", file.text, submission.elements, element));
  Arguments planned(command.describe(), CommandLine(plan.header.words), 1);
  std::unique_ptr<Tasks> tasks = command.plan(planned);
  if (tasks->identity() != plan.header.plan)
    fail(file.where, "the target, its files or a machine have changed since the plan was made");
  std::vector<size_t> list = submission.of_element(element);
  std::erase_if(list, [&](size_t task) { return plan.done.results.contains(task) || task >= tasks->count(); });
  if (list.empty()) return kDone;
  tasks->begin(plan.done.results);
  uint64_t jobs = 1;
  if (parse_number(text_from("SLURM_CPUS_PER_TASK"), jobs) != NumberError::Ok) jobs = 1;
  std::string restart = text_from("SLURM_RESTART_COUNT");
  ShardWriter shard;
  shard.open(
      {plan.file(fmt::format("shard-{}-{}-{}-{}", number, element, job, restart.empty() ? "0" : restart)), file.where},
      plan.header, false);
  run_tasks(*tasks, list, static_cast<unsigned>(std::clamp<uint64_t>(jobs, 1, 1024)), false,
            [&](size_t task, const std::string& result) { shard.append(task, result); });
  shard.close();
  return kDone;
}

int merge_slurm_plan(const Arguments& arguments, const TaskCommand& command) {
  const ArgumentText& name = arguments.words().front();
  if (arguments.words().size() > 1) fail(arguments.words()[1].where, "one plan is merged at a time");
  SlurmPlanFolder plan = read_slurm_plan(name);
  if (plan.header.command != command.name)
    fail(name.where, fmt::format("{} is a plan of `warptime {}`", name.text, plan.header.command));
  // Within the job that merges: how the elements ended, before Slurm forgets it.
  if (!text_from("SLURM_JOB_ID").empty())
    for (const SlurmSubmission& submission : plan.submissions) {
      std::string states;
      if (submission.job.empty()) continue;
      for (const auto& [element, state] : slurm_states(submission.job, submission.elements))
        if (!is_alive(state)) states += fmt::format("{} {}\n", element, state);
      if (!states.empty()) write_plan_file(plan.file(fmt::format("states-{}.txt", submission.number)), states, {});
    }
  bool own = arguments.has("csv") || arguments.has("json");
  return finish_plan(plan.header, command, plan.done, plan.damage, name.where, own ? &arguments : nullptr);
}

}  // namespace warptime::cli
