#include "cli/exec/exec_record.h"

#include <algorithm>
#include <cstdlib>

#include "base/plural.h"
#include "base/standard_streams.h"
#include "cli/run/machine_bands.h"
#include "cli/trace/trace_window.h"
#include "cuda/settings.h"

namespace warptime::cli {

namespace {

std::string statistics_of_environment() {
  const char* file = std::getenv(cuda::variable_of("stats").c_str());
  return file == nullptr ? "" : file;
}

Output page_of(const ArgumentText& file, const Arguments& arguments) {
  if (!file.text.ends_with(".html"))
    fail(file.where, fmt::format("the page is HTML, and \"{}\" does not end in .html", file.text));
  return Output(file, "--report", arguments);
}

}  // namespace

ExecRecord::ExecRecord(const RecordWords& words, sim::LoadedMachine machine, const sim::RunOptions& options,
                       bool partly)
    : program_(words.program), has_rows_(!words.arguments.has("report") || options.per_instruction), partly_(partly) {
  const Arguments& arguments = words.arguments;
  page_.machine = std::move(machine);
  const sim::Machine& model = page_.machine->machine;
  for (std::string_view option : {"report", "timeline"})
    if (auto given = arguments.value(option); given && options.functional)
      fail(given->where, fmt::format("--{} is about time, and {}", option,
                                     model.config.has_timing ? "--functional has none" : "this machine has none"));
  if (!arguments.has("report"))
    for (std::string_view option : {"sm", "window", "launch"})
      if (arguments.has(option)) fail(arguments.value(option)->where, fmt::format("--{} goes with --report", option));
  if (auto file = arguments.value("report")) {
    page_.log.sm = static_cast<uint32_t>(arguments.number("sm", 0, sim::sm_count(model.config) - 1).value_or(0));
    page_.log.launch = arguments.number("launch", 0, 1'000'000'000).value_or(0);
    read_window(arguments, page_.log);
    page_file_.emplace(page_of(*file, arguments));
    page_recorder_.emplace(page_.log.launch);
  }
  if (auto file = arguments.value("timeline")) {
    TraceContents contents = trace_format(*file, false);
    timeline_file_.emplace(TraceFile{Output(*file, "--timeline", arguments), contents, file->text.ends_with(".gz")});
  }
  intervals_ = interval_table(arguments, options);
  std::vector<StatisticsSink> sinks = statistics_sinks(arguments, statistics_of_environment(), !words.json_of_findings);
  record_.emplace(std::move(sinks), model, program_, partly || options.sampling != sim::Sampling::Off,
                  error_bands_of(*page_.machine));
  report_.machine = model;
  report_.target = program_;
  report_.host.threads = options.threads;
}

bool ExecRecord::begins(const cuda::RecordedDevice& device) {
  report_.host.threads = device.threads;
  if (device.machine_hash == report_.machine.hash) return true;
  print_error(fmt::format("warptime: note: a process uses machine {}, not {}: its launches are not counted\n",
                          device.machine, report_.machine.name));
  return false;
}

template <class Work>
void ExecRecord::write(Work work) {
  if (problem_) return;
  try {
    work();
  } catch (const host::InputError& error) {
    problem_ = error;
  }
}

void ExecRecord::launch(const sim::LaunchStatistics& launch) {
  summary_.launch(launch);
  write([&] {
    if (has_rows_) return record_->launch(launch);
    sim::LaunchStatistics without = launch;
    without.instructions.clear();
    without.detailed = without.staged = false;
    record_->launch(without);
  });
  if (page_recorder_ && launch.timed) page_recorder_->launch(launch);
}

void ExecRecord::event(const host::TimelineEvent& event) {
  summary_.event(event);
  write([&] { record_->event(event); });
  if (page_recorder_) page_recorder_->event(event);
  if (timeline_file_) timeline_.push_back(event);
}

void ExecRecord::interval(const sim::LaunchInterval& part) {
  if (intervals_) write([&] { intervals_->interval(part); });
}

void ExecRecord::traced(sim::TraceLog log, sim::AccessLog accesses, sim::LaunchStatistics launch) {
  if (has_trace_ || log.events.empty()) return;
  has_trace_ = true;
  page_.log = std::move(log);
  page_.accesses = std::move(accesses);
  page_.log.accesses = &page_.accesses;
  page_.traced = std::move(launch);
}

std::string ExecRecord::summary() const { return summary_.text(program_, report_.machine.name, partly_); }

std::string ExecRecord::traced_text() const {
  return fmt::format("{},{},{},{}", page_.log.launch, page_.log.sm, page_.log.from, page_.log.to);
}

void ExecRecord::write_page() {
  const uint64_t timed = summary_.counts().timed + summary_.counts().extrapolated;
  if (timed == 0) throw host::InputError("error: no launch was timed, so there is nothing to report\n");
  host::RunReport run = report_;
  page_recorder_->move_to(run);
  fill_page(page_, run, *page_recorder_, has_trace_);
  if (!has_trace_)
    page_.page.notes.push_back(fmt::format(
        "No warps are shown: launch {} was not timed, or SM {} had none in cycles {} to {}. `--launch`, `--sm` and "
        "`--window` choose others.",
        page_.log.launch, page_.log.sm, page_.log.from, page_.log.to));
  if (summary_.counts().not_timed > 0)
    page_.page.notes.push_back(fmt::format("{} without time are not on this page.",
                                           plural(summary_.counts().not_timed, "launch", "launches")));
  page_file_->write_all(report::page_html(page_.page, report::kMostPageBytes));
}

void ExecRecord::write_timeline() {
  TraceView view;
  view.target = program_;
  view.machine = report_.machine.name;
  view.machine_hash = report_.machine.hash;
  view.complete = !report_.killed;
  view.blocks.emplace();
  // Those of several queues came in the order of their ends.
  std::stable_sort(timeline_.begin(), timeline_.end(),
                   [](const auto& a, const auto& b) { return a.start_us < b.start_us; });
  set_timeline(view, timeline_, report_.machine.config.clocks.shader_mhz);
  timeline_file_->write(view);
}

void ExecRecord::finish(bool killed, double seconds) {
  report_.killed = killed || faulted_;
  report_.host.wall_seconds = seconds;
  report_.host.peak_rss_bytes = host::peak_rss_bytes();
  if (partly_) report_.partly = summary_.counts();
  host::RunReport last = report_;
  record_->move_to(last);
  write([&] { record_->finish(last); });
  if (intervals_) write([&] { intervals_->finish(); });
  if (timeline_file_) write([&] { write_timeline(); });
  if (page_file_) write([&] { write_page(); });
  if (problem_) throw host::InputError(*problem_);
}

}  // namespace warptime::cli
