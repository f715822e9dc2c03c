#include "cli/plan/parts.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/parse_number.h"
#include "cli/cli.h"
#include "cli/commit.h"
#include "cli/output.h"
#include "cli/plan/plan_table.h"
#include "cli/plan/slurm_plan.h"
#include "cli/run/run_target.h"

namespace warptime::cli {

namespace {

struct Part {
  size_t number = 1, of = 1;
};

Part part_of_option(const ArgumentText& given) {
  size_t slash = given.text.find('/');
  uint64_t number = 0, of = 0;
  bool well = slash != std::string::npos &&
              parse_number(std::string_view(given.text).substr(0, slash), number) == NumberError::Ok &&
              parse_number(std::string_view(given.text).substr(slash + 1), of) == NumberError::Ok;
  if (!well || number == 0 || number > of)
    fail(given.where, fmt::format("--shard is I/N, part I of N, from 1/N to N/N, not \"{}\"", given.text));
  return {static_cast<size_t>(number), static_cast<size_t>(of)};
}

int run_shard(const Arguments& arguments, const TaskCommand& command) {
  ArgumentText given = *arguments.value("shard");
  Part part = part_of_option(given);
  auto file = arguments.value("csv");
  if (!file || file->text.empty() || file->text == "-") fail(given.where, "--shard needs a file", "--csv FILE");
  if (arguments.has("json"))
    fail(arguments.value("json")->where, "a shard has no JSON: --merge writes it", "--csv FILE is the shard");
  unsigned jobs = jobs_of(arguments);
  std::unique_ptr<Tasks> tasks = command.plan(arguments);
  refuse_existing(arguments, "csv");
  check_output(*file, "--csv", arguments);
  ShardWriter shard;
  TaskResults known = shard.open(*file, header_of(arguments, command, *tasks), arguments.has("resume"));
  std::vector<size_t> all(tasks->count());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  std::vector<size_t> list = tasks_of_part(all, part.number, part.of);
  std::erase_if(list, [&](size_t task) { return known.contains(task); });
  if (!list.empty()) tasks->begin(known);
  run_tasks(*tasks, list, jobs, arguments.has("quiet"),
            [&](size_t task, const std::string& result) { shard.append(task, result); });
  shard.close();
  return kDone;
}

int merge_shards(const Arguments& arguments, const TaskCommand& command) {
  if (arguments.words().empty())
    fail(arguments.whole(), "--merge needs shards",
         fmt::format("warptime {} --merge SHARD... --csv FILE", command.name));
  for (const auto& [option, values] : arguments.options()) {
    bool fits = option == "merge" || option == "csv" || option == "json" || option == "force" || option == "quiet" ||
                option == "top" || option == "plot" || option == "markdown" || option == "chart-scripts";
    if (!fits)
      fail(values.front().where, fmt::format("--{} does not go with --merge: the shards say what ran", option));
  }
  const ArgumentText& first = arguments.words().front();
  std::error_code error;
  if (std::filesystem::is_directory(first.text, error)) return merge_slurm_plan(arguments, command);
  for (const char* option : {"csv", "json"}) refuse_existing(arguments, option);
  ShardHeader header;
  TasksDone done;
  std::string damage;
  for (const ArgumentText& word : arguments.words()) {
    auto source = read_file(word);
    ShardContents shard = parse_shard(source->text(), word.text);
    check_shard_header(shard, word);
    if (!shard.damage.empty()) fail(word.where, shard.damage, "run this shard again with --force");
    if (&word == &first) header = shard.header;
    else if (shard.header.plan != header.plan || shard.header.command != header.command)
      fail(word.where, fmt::format("{} and {} are shards of different plans", first.text, word.text));
    for (const auto& [task, result] : shard.done.results)
      if (auto earlier = done.results.find(task); earlier != done.results.end() && earlier->second != result)
        fail(word.where, fmt::format("{} has another result of point {} than an earlier shard", word.text, task + 1));
    done.add(shard.done);
  }
  if (header.command != command.name)
    fail(first.where, fmt::format("{} is a shard of `warptime {}`", first.text, header.command));
  return finish_plan(header, command, done, damage, first.where, &arguments);
}

}  // namespace

std::vector<Option> parts_options() {
  using Kind = Option::Kind;
  return in_group(
      OptionGroup::Parts,
      {{"shard", Kind::Value, "I/N", "run part I of N only, into the shard --csv FILE, for --merge"},
       {"merge", Kind::Flag, "", "the words are all shards, or a plan of --slurm: write the outputs of the whole"},
       {"slurm", Kind::Flag, "", "submit an array job to Slurm, and a job that writes --csv FILE at its end"},
       {"partition", Kind::Value, "P", "with --slurm: passed to sbatch"},
       {"time", Kind::Value, "T", "with --slurm: passed to sbatch, the time limit of each array element"},
       {"account", Kind::Value, "A", "with --slurm: passed to sbatch"},
       {"sbatch-arg", Kind::Repeated, "X", "with --slurm: one more argument of sbatch"},
       {"point-time", Kind::Value, "SECONDS",
        "with --slurm: seconds that one point takes; default: the first one is measured"},
       {"force", Kind::Flag, "", "replace existing outputs, and an existing plan"},
       {"run-element", Kind::Value, Takes::file("FILE"), "what the jobs of --slurm call"}});
}

ShardHeader header_of(const Arguments& arguments, const TaskCommand& command, const Tasks& tasks) {
  return {program_build(), tasks.identity(), command.name, tasks.count(), arguments.typed()};
}

std::string list_of_points(const std::vector<size_t>& tasks) {
  constexpr size_t kShown = 5;
  std::string out;
  for (size_t i = 0; i < std::min(tasks.size(), kShown); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : ", ", tasks[i] + 1);
  return tasks.size() <= kShown ? out : out + fmt::format(" and {} more", tasks.size() - kShown);
}

int finish_plan(const ShardHeader& header, const TaskCommand& command, const TasksDone& done, const std::string& damage,
                const SourceSpan& where, const Arguments* own_outputs) {
  Arguments planned(command.describe(), CommandLine(header.words), 1);
  std::unique_ptr<Tasks> tasks = command.plan(planned);
  if (tasks->identity() != header.plan || tasks->count() != header.tasks)
    fail(where, "the target, its files or a machine have changed since these points ran");
  std::vector<std::string> all;
  std::vector<size_t> missing;
  for (size_t task = 0; task < tasks->count(); ++task) {
    const std::string* result = done.find(task);
    if (result == nullptr) missing.push_back(task);
    else all.push_back(*result);
  }
  if (!missing.empty())
    fail(where,
         fmt::format("{} of {} points are missing ({}){}", missing.size(), tasks->count(), list_of_points(missing),
                     damage.empty() ? "" : "; " + damage),
         "run the missing parts, with --resume");
  try {
    return tasks->finish(own_outputs != nullptr ? *own_outputs : planned, all);
  } catch (const nlohmann::json::exception&) {
    fail(where, fmt::format("a result is not one of `warptime {}`: the file that it is from is damaged", command.name));
  }
}

std::optional<int> execute_in_parts(const Arguments& arguments, const TaskCommand& command) {
  for (const char* option : {"partition", "time", "account", "sbatch-arg", "point-time"})
    if (arguments.has(option) && !arguments.has("slurm"))
      fail(arguments.all(option).front().where, fmt::format("--{} goes with --slurm", option));
  const char* chosen = nullptr;
  for (const char* option : {"shard", "merge", "slurm", "run-element"}) {
    if (!arguments.has(option)) continue;
    if (chosen != nullptr)
      fail(arguments.all(option).front().where, fmt::format("--{} and --{} exclude each other", chosen, option));
    chosen = option;
  }
  if (arguments.has("merge")) return merge_shards(arguments, command);
  if (arguments.has("run-element")) return run_slurm_element(arguments, command);
  if (arguments.has("slurm")) return submit_to_slurm(arguments, command);
  if (arguments.has("shard")) return run_shard(arguments, command);
  return std::nullopt;
}

}  // namespace warptime::cli
