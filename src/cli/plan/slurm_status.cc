// `warptime sweep --status PLAN`: how far a plan is that Slurm runs.
#include <algorithm>
#include <sstream>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/plan/slurm_client.h"
#include "cli/plan/slurm_plan.h"

namespace warptime::cli {

namespace {

/// What became of an element, in words.
std::string element_word(const std::string& state, bool complete) {
  if (complete) return "done";
  if (state.empty()) return "ended";  // Slurm has forgotten how
  if (state == "PENDING" || state == "REQUEUED" || state == "CONFIGURING" || state == "REQUEUE_HOLD") return "waiting";
  if (is_alive(state)) return "running";
  if (state == "TIMEOUT" || state == "DEADLINE") return "timed out";
  if (state == "PREEMPTED") return "preempted";
  if (state == "CANCELLED") return "cancelled";
  return "failed";
}

/// Adds the states of elements that Slurm has forgotten, from the note of the merging job.
void add_noted(const std::string& file, std::map<size_t, std::string>& states) {
  std::istringstream in(plan_file_text(file));
  size_t element = 0;
  for (std::string state; in >> element >> state;) states.try_emplace(element, state);
}

}  // namespace

int show_slurm_status(const Arguments& arguments) {
  ArgumentText name = *arguments.value("status");
  SlurmPlanFolder plan = read_slurm_plan(name);
  std::string out =
      fmt::format("{}: {} of {} points are done\n", plan.path.string(), plan.done.results.size(), plan.header.tasks);
  // An element that a later submission made good is not counted as failed any more.
  std::vector<std::string> order{"done",      "running",   "waiting",   "failed",
                                 "timed out", "preempted", "cancelled", "ended"};
  std::map<std::string, size_t> counts;
  for (const SlurmSubmission& submission : plan.submissions) {
    std::map<size_t, std::string> states;
    if (!submission.job.empty()) states = slurm_states(submission.job, submission.elements);
    add_noted(plan.file(fmt::format("states-{}.txt", submission.number)), states);
    out += submission.job.empty() ? fmt::format("submission {}: has no job\n", submission.number)
                                  : fmt::format("job {}\n", submission.job);
    out += fmt::format("  {:>7}  {:>6}  {:>6}  {}\n", "element", "points", "done", "state");
    const std::vector<std::vector<size_t>> parts = submission.parts();
    for (size_t element = 1; element <= submission.elements; ++element) {
      const std::vector<size_t>& tasks = parts[element - 1];
      auto done = static_cast<size_t>(
          std::count_if(tasks.begin(), tasks.end(), [&](size_t task) { return plan.done.results.contains(task); }));
      std::string word = element_word(states.contains(element) ? states[element] : "", done == tasks.size());
      ++counts[word];
      out += fmt::format("  {:>7}  {:>6}  {:>6}  {}\n", element, tasks.size(), done, word);
    }
  }
  std::vector<std::string> words;
  for (const std::string& word : order)
    if (counts.contains(word)) words.push_back(fmt::format("{} {}", counts[word], word));
  if (!words.empty()) out += fmt::format("elements: {}\n", fmt::join(words, ", "));
  if (!plan.damage.empty()) out += plan.damage + "\n";
  bool alive = counts.contains("running") || counts.contains("waiting");
  if (plan.done.results.size() < plan.header.tasks && !alive)
    out += "nothing runs: the same command with --slurm --resume submits what is missing\n";
  print(out);
  return kDone;
}

}  // namespace warptime::cli
