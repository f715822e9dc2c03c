#include "cli/explain/what_if_runs.h"

#include <algorithm>

#include "cli/cli.h"
#include "cli/home.h"
#include "cli/machine/machine_option.h"
#include "cli/progress.h"

namespace warptime::cli {

namespace {

/// What a what-if is measured by.
class TimesObserver : public host::RunObserver {
 public:
  void launch(const sim::LaunchStatistics& launch) override { cycles.push_back(launch.cycles); }
  void event(const host::TimelineEvent& event) override { end_us = std::max(end_us, event.end_us); }

  std::vector<uint64_t> cycles;
  double end_us = 0;
};

/// All findings with one what-if, of which the first has it.
struct Trial {
  host::WhatIf what_if;
  std::vector<std::pair<size_t, host::Finding*>> of_launches;  // index of the launch
  std::vector<host::Finding*> of_run;
};

Trial& trial_of(std::vector<Trial>& trials, const host::WhatIf& what_if) {
  auto known = std::find_if(trials.begin(), trials.end(), [&](const Trial& t) { return t.what_if == what_if; });
  if (known != trials.end()) return *known;
  trials.push_back({what_if, {}, {}});
  return trials.back();
}

/// The machine with a what-if's settings after those of the user. nullopt: its checks refuse them, for `why`.
std::optional<sim::Machine> machine_with(const Arguments& arguments, const host::WhatIf& what_if, std::string& why) {
  std::vector<std::string> settings = arguments.texts("set");
  settings.insert(settings.end(), what_if.settings.begin(), what_if.settings.end());
  std::string unwanted;
  std::optional<sim::LoadedMachine> loaded;
  if (guarded([&] { return loaded = load_machine(arguments.value("machine"), settings, unwanted), kDone; }, why) ==
      kDone)
    return std::move(loaded->machine);
  return std::nullopt;
}

}  // namespace

void try_findings(Target& target, const Arguments& arguments, const sim::RunOptions& options,
                  std::vector<host::Explanation>& launches, host::HostExplanation& run) {
  std::vector<Trial> trials;
  for (size_t i = 0; i < launches.size(); ++i)
    for (host::Finding& finding : launches[i].findings)
      if (finding.what_if.is_any()) trial_of(trials, finding.what_if).of_launches.emplace_back(i, &finding);
  for (host::Finding& finding : run.findings) trial_of(trials, finding.what_if).of_run.push_back(&finding);

  Progress progress(true);
  for (size_t t = 0; t < trials.size(); ++t) {
    Trial& trial = trials[t];
    std::string why;
    std::optional<sim::Machine> machine = machine_with(arguments, trial.what_if, why);
    if (!machine) {
      for (auto& [launch, finding] : trial.of_launches) finding->not_tried = "no machine can have this";
      continue;
    }
    sim::RunOptions again = options;
    again.per_instruction = false;
    again.assumptions = trial.what_if.assumptions;
    // Where stores coalesce, bytes for one address may arrive at several partitions, which host threads share.
    if (again.assumptions.coalesced.any()) again.threads = 1;
    progress.begin_run(fmt::format("what-if {} of {}", t + 1, trials.size()));
    again.listener = &progress;
    TimesObserver times;
    std::string unwanted;
    run_target(target, arguments.target_name(), *machine, again, false, unwanted, &times);
    auto won = [](double before, double after) { return before <= 0 ? 0 : 1 - after / before; };
    for (auto& [launch, finding] : trial.of_launches)
      if (launch < times.cycles.size())
        finding->won = won(static_cast<double>(launches[launch].cycles), static_cast<double>(times.cycles[launch]));
      else finding->not_tried = "with it the program makes fewer launches";
    for (host::Finding* finding : trial.of_run) finding->won = won(run.total_us, times.end_us);
  }
  progress.clear();
}

}  // namespace warptime::cli
