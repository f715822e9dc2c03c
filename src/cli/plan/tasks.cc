#include "cli/plan/tasks.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/json_value.h"
#include "base/random.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/sweep/sweep_children.h"

namespace warptime::cli {

namespace {

/// Part I is each `parts`-th one of these.
std::vector<size_t> mixed(std::vector<size_t> tasks) {
  SplitMix64 random(1);
  for (size_t i = tasks.size(); i > 1; --i) std::swap(tasks[i - 1], tasks[random.below(i)]);
  return tasks;
}

std::vector<size_t> part_of(const std::vector<size_t>& mixed, size_t part, size_t parts) {
  std::vector<size_t> out;
  for (size_t i = part - 1; i < mixed.size(); i += parts) out.push_back(mixed[i]);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

std::vector<size_t> tasks_of_part(const std::vector<size_t>& tasks, size_t part, size_t parts) {
  return part_of(mixed(tasks), part, parts);
}

std::vector<std::vector<size_t>> all_parts(const std::vector<size_t>& tasks, size_t parts) {
  const std::vector<size_t> all = mixed(tasks);
  std::vector<std::vector<size_t>> out;
  for (size_t part = 1; part <= parts; ++part) out.push_back(part_of(all, part, parts));
  return out;
}

void TasksDone::add(size_t task, std::string_view result, int status) {
  if (status == kOwnFault) crashes[task] = result;
  else results[task] = result;
}

void TasksDone::add(const TasksDone& more) {
  for (const auto& [task, result] : more.results) results.try_emplace(task, result);
  for (const auto& [task, result] : more.crashes) crashes.try_emplace(task, result);
}

const std::string* TasksDone::find(size_t task) const {
  for (const TaskResults* all : {&results, &crashes})
    if (auto found = all->find(task); found != all->end()) return &found->second;
  return nullptr;
}

std::optional<int> status_of_result(std::string_view text) {
  constexpr std::string_view kBegin = "{\"status\":";
  if (!text.starts_with(kBegin)) return std::nullopt;
  int status = 0;
  const char* last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data() + kBegin.size(), last, status);
  const bool ends = error == std::errc() && end != last && (*end == ',' || *end == '}');
  if (!ends || !is_json(text)) return std::nullopt;
  return status;
}

void run_tasks(Tasks& tasks, const std::vector<size_t>& list, unsigned jobs, bool quiet,
               const std::function<void(size_t, const std::string&)>& done) {
  CountProgress progress(!quiet, "points", list.size());
  auto keep = [&](size_t i, const ChildResult& child) {
    if (child.end == ChildResult::End::NotDone) fail_not_done(list[i], child.text);
    done(list[i], child.end == ChildResult::End::Result ? child.text : tasks.lost(child.text));
  };
  run_children(0, list.size(), jobs,
               {.work = [&](size_t i) { return tasks.run(list[i]); },
                .done = keep,
                .progress = [&](size_t ended) { progress.update(ended); }});
}

}  // namespace warptime::cli
