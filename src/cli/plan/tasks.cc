#include "cli/plan/tasks.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/random.h"
#include "cli/progress.h"
#include "cli/sweep/sweep_children.h"

namespace warptime::cli {

std::vector<size_t> tasks_of_part(const std::vector<size_t>& tasks, size_t part, size_t parts) {
  std::vector<size_t> mixed = tasks, out;
  SplitMix64 random(1);
  for (size_t i = mixed.size(); i > 1; --i) std::swap(mixed[i - 1], mixed[random.below(i)]);
  for (size_t i = part - 1; i < mixed.size(); i += parts) out.push_back(mixed[i]);
  std::sort(out.begin(), out.end());
  return out;
}

void run_tasks(Tasks& tasks, const std::vector<size_t>& list, unsigned jobs, bool quiet,
               const std::function<void(size_t, const std::string&)>& done) {
  CountProgress progress(!quiet, "points", list.size());
  auto keep = [&](size_t i, const ChildResult& child) {
    // Whoever kills it may be about to kill this process, too: this is not a result of the task.
    if (child.signal == SIGKILL)
      fail({}, fmt::format("the process of point {} was killed, perhaps for want of memory", list[i] + 1),
           "--resume runs what is missing");
    done(list[i], child.finished ? child.text : tasks.lost(child.text));
  };
  run_children(0, list.size(), jobs,
               {.work = [&](size_t i) { return tasks.run(list[i]); },
                .done = keep,
                .progress = [&](size_t ended) { progress.update(ended); }});
}

}  // namespace warptime::cli
