#include "cli/plan/run_plan.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/fnv.h"
#include "base/json_value.h"
#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/commit.h"
#include "cli/machine/machine_option.h"
#include "cli/progress.h"
#include "cli/sweep/sweep_children.h"
#include "host/report/verdict.h"

namespace warptime::cli {

using Json = nlohmann::ordered_json;

namespace {

/// The cells of kLaunchColumns, but for what the run does not have.
void add_longest_launch(std::map<std::string, std::string>& cells, const host::RunReport& report) {
  const sim::LaunchStatistics* longest = nullptr;
  for (const sim::LaunchStatistics& launch : report.launches)
    if (longest == nullptr || launch.cycles > longest->cycles) longest = &launch;
  if (longest == nullptr) return;
  cells[kLaunchColumns[0]] = fmt::format("{}", longest->occupancy.blocks_per_sm);
  cells[kLaunchColumns[1]] = fmt::format("{}", longest->occupancy.warps_per_sm);
  cells[kLaunchColumns[2]] = longest->occupancy.limiter;
  if (auto verdict = host::verdict(*longest, report.machine.config)) cells[kLaunchColumns[3]] = verdict->bound();
}

PointResult result_of_run(const Arguments& arguments, const RunPlan& plan, size_t point, bool check) {
  PointResult result;
  result.status = guarded_in_child(
      [&] {
        std::string warnings;
        std::optional<ArgumentText> named = plan.machine_of(point);
        sim::LoadedMachine loaded =
            load_machine(named ? named : arguments.value("machine"), plan.settings(point), warnings);
        std::unique_ptr<Target> target = find_target(arguments, plan.parameters(point));
        target->drop_outputs();
        sim::RunOptions options = run_options(arguments, loaded.machine.config);
        options.threads = 1;
        host::RunReport report = run_target(*target, arguments.target_name(), loaded.machine, options, check, warnings);
        result.launches = fmt::format("{}", report.launches.size());
        for (auto& [name, cell] : numbers_of_total(report)) result.total[name] = cell;
        add_longest_launch(result.total, report);
        for (const host::Figure& figure : target->figures(report))
          result.total[figure.name] = fmt::format("{}", figure.value);
        result.message = failed_checks(report.checks);
        return result.message.empty() ? kDone : kCheckFailed;
      },
      result.message);
  return result;
}

}  // namespace

void require_one_target(const Arguments& arguments, std::string_view command, std::string_view usage) {
  if (arguments.words().empty())
    fail(arguments.whole(), fmt::format("`warptime {}` needs a TARGET", command),
         fmt::format("usage: warptime {} {}", command, usage));
  if (arguments.words().size() > 1)
    fail(arguments.words()[1].where,
         fmt::format("`warptime {}` takes one TARGET; \"{}\" is too many", command, arguments.words()[1].text));
}

std::string run_point(const Arguments& arguments, const RunPlan& plan, size_t point, bool check) {
  return to_text(result_of_run(arguments, plan, point, check));
}

std::string to_text(const PointResult& result) {
  return Json{
      {"status", result.status}, {"message", result.message}, {"launches", result.launches}, {"total", result.total}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

PointResult to_point_result(const std::string& text) {
  try {
    const Json result = parse_json(text).value_or(Json());
    return {result.at("status"), result.at("message"), result.at("launches"), result.at("total")};
  } catch (const Json::exception&) {
    fail({}, "a point's result is not one of this command: the file that it is from is damaged");
  }
}

void RunPlan::identify(const Arguments& arguments, const Target& target, std::string_view machine_hash,
                       const std::vector<std::string>& points) {
  Fnv1a hash;
  auto mix = [&](std::string_view text) {
    hash.mix(text);
    hash.mix(std::string_view("\0", 1));  // "ab", "c" is not "a", "bc"
  };
  mix(machine_hash);
  mix(arguments.words().front().text);
  mix(target.contents());
  for (const std::vector<Option>& options : {target_options(), simulation_options()}) {
    for (const Option& option : options) {
      if (option.name == "param") continue;  // part of the points
      for (const std::string& value : arguments.texts(option.name)) mix(option.name + "=" + value);
    }
  }
  for (const std::string& text : points) mix(text);
  identity_ = hash.digits().substr(0, kPlanDigits) + build_digits();
}

std::vector<std::pair<std::string, std::string>> numbers_of_total(const host::RunReport& report) {
  auto cells = host::cells_of_total(report);
  std::erase_if(cells, [](const auto& cell) { return cell.first == "divergence.active_lanes_histogram"; });  // a list
  return cells;
}

void run_points(const Arguments& arguments, const RunPlan& plan, const PlanRun& run) {
  auto work = [&](size_t point) {
    const PointResult* known = run.known ? run.known(point) : nullptr;
    return known != nullptr ? to_text(*known) : run_point(arguments, plan, point, run.check(point));
  };
  const size_t before = plan.points() - std::min(plan.points(), run.points.size());
  CountProgress progress(!arguments.has("quiet"), "points", plan.points(), before);
  run_children(0, run.points.size(), run.jobs,
               {.work = [&](size_t i) { return work(run.points[i]); },
                .done =
                    [&](size_t i, const ChildResult& child) {
                      const size_t point = run.points[i];
                      if (child.end == ChildResult::End::NotDone) fail_not_done(point, child.text);
                      PointResult result{kOwnFault, child.text + "\n", "", {}};
                      if (child.end == ChildResult::End::Result) result = to_point_result(child.text);
                      std::string text = run.done(point, result);
                      if (text.empty()) return;
                      progress.clear();
                      print_error(text);
                    },
                .progress = [&](size_t ended) { progress.update(before + ended); }});
}

void require_no_crashes(size_t crashed, size_t points) {
  if (crashed > 0)
    fail({},
         fmt::format("{} of {} points ended by a fault of warptime itself (status 4): they are not done", crashed,
                     points),
         "--resume repeats them");
}

std::string failure_text(const RunPlan& plan, size_t point, const PointResult& result) {
  std::vector<std::string> values = plan.settings(point);
  if (auto machine = plan.machine_of(point)) values.insert(values.begin(), "machine=" + machine->text);
  for (std::string& text : plan.parameters(point)) values.push_back(std::move(text));
  std::string out = fmt::format("point {} ({}): status {}\n", point + 1, fmt::join(values, ", "), result.status);
  for (size_t begin = 0; begin < result.message.size();) {
    size_t end = std::min(result.message.find('\n', begin), result.message.size());
    out += fmt::format("  {}\n", result.message.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

}  // namespace warptime::cli
