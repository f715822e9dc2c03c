// `warptime trace`: runs a target and shows what the warps of one SM did, cycle by cycle.
#include <algorithm>

#include "cli/cli.h"
#include "cli/machine/machine_option.h"
#include "cli/output.h"
#include "cli/run/run_target.h"
#include "cli/trace/trace_output.h"
#include "cli/trace/trace_window.h"
#include "host/report/summary.h"
#include "report/gzip.h"

namespace warptime::cli {

namespace {

const Command& describe_trace() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "trace",
        .usage = "TARGET [options]",
        .summary = "run, and show the state of an SM's warps in every cycle",
        .details =
            "Draws the warps over time: when each issued, and the reasons of its waits. With -o it writes a file for\n"
            "a trace viewer instead: .pftrace, or .json, for Perfetto (https://ui.perfetto.dev; 1 us is 1 shader\n"
            "cycle), .kanata for Konata. Tracing does not change the results.\n",
        .options = {{"sm", Kind::Value, "N", "number of the SM; default 0"},
                    {"window", Kind::Value, "A:B", "cycles A to B of the launch; default 0:100000"},
                    {"launch", Kind::Value, "N", "number of the launch, from 0; default 0"},
                    {"warp", Kind::Value, "N", "one warp as a list (its # in the drawing)"},
                    {"out", Kind::Value, "FILE", "to FILE.pftrace, .json or .kanata; compressed if .gz follows", 'o'},
                    {"threads", Kind::Value, "N", "host threads; default: the host's cores"}},
        .unavailable = {},
        .examples = {"warptime trace matmul:tiled --param n=64 --window 1000:1400",
                     "warptime trace matmul:tiled --param n=64 --warp 0 --window 0:2000",
                     "warptime trace vecadd --sm 3 -o vecadd.pftrace", "warptime trace vecadd -o vecadd.kanata"},
        .min_words = 1,
        .max_words = 1,
        .word_name = "TARGET"};
    for (Option& option : target_options()) c.options.push_back(std::move(option));
    for (Option& option : simulation_options())
      if (option.name != "functional" && !option.name.starts_with("sample")) c.options.push_back(std::move(option));
    for (Option& option : machine_options()) c.options.push_back(std::move(option));
    return c;
  }();
  return command;
}

struct TraceFile {
  Output out;
  std::string (*text)(const TraceView&);  // null: Perfetto's own format, which is written piece by piece
  bool compressed = false;

  void write(const TraceView& view) {
    if (text == nullptr && !compressed) {
      trace_perfetto(view, [this](std::string_view piece) { out.write(piece); });
      out.finish();
      return;
    }
    std::string content;
    if (text != nullptr) content = text(view);
    else trace_perfetto(view, [&content](std::string_view piece) { content += piece; });
    out.write_all(compressed ? report::gzip(content) : content);
  }
};

std::optional<TraceFile> trace_file(const Arguments& arguments) {
  auto given = arguments.value("out");
  if (!given) return std::nullopt;
  std::string_view name = given->text;
  bool compressed = name.ends_with(".gz");
  if (compressed) name.remove_suffix(3);
  std::string (*text)(const TraceView&) = nullptr;
  if (name.ends_with(".json")) text = trace_json;
  else if (name.ends_with(".kanata")) text = trace_kanata;
  else if (!name.ends_with(".pftrace"))
    fail(given->where, fmt::format("cannot tell the format of \"{}\"", given->text),
         "the name must end in .pftrace or .json (Perfetto) or .kanata (Konata), with .gz behind it for a compressed "
         "file");
  if (arguments.has("warp")) fail(arguments.value("warp")->where, "--warp is for the terminal; a file has all warps");
  return TraceFile{Output(*given, "--out", arguments), text, compressed};
}

/// What was asked for against what there is, now that it ran.
void check_recorded(const Arguments& arguments, const TraceView& view, size_t launches) {
  auto place = [&](std::string_view option) {
    auto given = arguments.value(option);
    return given ? given->where : arguments.whole();
  };
  if (view.log.launch >= launches)
    fail(place("launch"), fmt::format("there is no launch {}", view.log.launch),
         launches == 1 ? "the target has launch 0 only"
                       : fmt::format("the target has {} launches, from 0 on", launches));
  if (view.log.from >= view.launch.cycles)
    fail(place("window"), fmt::format("the launch is over before cycle {}", view.log.from),
         fmt::format("it takes {} cycles", view.launch.cycles));
  if (auto warp = arguments.number("warp", 0, sim::kMaxTracedSlots - 1); warp && !view.log.events.empty()) {
    auto is_there = [&](const sim::TraceEvent& event) { return view.log.warps[event.warp].slot == *warp; };
    if (std::none_of(view.log.events.begin(), view.log.events.end(), is_there))
      fail(place("warp"), fmt::format("SM {} has no warp {} in these cycles", view.log.sm, *warp),
           "the drawing (without --warp) numbers them in its first column");
  }
}

std::string heading(const TraceView& view) {
  const auto& log = view.log;
  std::string out = fmt::format("{} on {}, launch {}: kernel {}, {} cycles\n", view.target, view.machine, log.launch,
                                view.launch.kernel, host::grouped(view.launch.cycles));
  if (log.events.empty()) return out + fmt::format("SM {}: no warp in cycles {} to {}\n", log.sm, log.from, log.to);
  return out + fmt::format("SM {}, cycles {} to {}", log.sm, view.begin(), view.end());
}

int execute_trace(const Arguments& arguments) {
  sim::LoadedMachine loaded = load_machine(arguments);
  const sim::MachineConfig& machine = loaded.machine.config;
  if (!machine.has_timing)
    fail(arguments.whole(),
         fmt::format("machine \"{}\" has no timing, so there are no cycles to trace", loaded.machine.name));
  std::unique_ptr<Target> target = find_target(arguments);
  TraceView view;
  view.target = arguments.words().front().text;
  view.machine = loaded.machine.name;
  view.machine_hash = loaded.machine.hash;
  view.log.sm = static_cast<uint32_t>(arguments.number("sm", 0, sim::sm_count(machine) - 1).value_or(0));
  view.log.launch = arguments.number("launch", 0, 1'000'000'000).value_or(0);
  auto warp = arguments.number("warp", 0, sim::kMaxTracedSlots - 1);
  read_window(arguments, view.log);
  check_outputs(*target, arguments);
  std::optional<TraceFile> file = trace_file(arguments);

  sim::RunOptions options = run_options(arguments, machine);
  options.per_instruction = true;
  options.trace = &view.log;
  host::RunReport report = run_until_cut(*target, arguments, loaded.machine, options, ProgramOutput::Stderr);

  view.complete = !report.cut;
  if (view.log.launch < report.launches.size()) view.launch = report.launches[view.log.launch];
  std::stable_sort(view.log.events.begin(), view.log.events.end(),
                   [](const sim::TraceEvent& a, const sim::TraceEvent& b) {
                     // What happens at a moment stands before the state that begins then.
                     return std::pair(a.begin, a.is_state()) < std::pair(b.begin, b.is_state());
                   });
  bool is_there = view.log.launch < report.launches.size() && view.log.from < view.launch.cycles;
  if (report.cut && !is_there) return end_of_run(report);  // it came to nothing that was asked for
  check_recorded(arguments, view, report.launches.size());
  std::string text = heading(view);
  if (file) {
    file->write(view);
    text += fmt::format("; {} events to {}\n", view.log.events.size(), file->out.name());
  } else if (!view.log.events.empty()) {
    text += warp ? "\n\n" + trace_list(view, static_cast<uint32_t>(*warp)) : "; " + trace_drawing(view);
  }
  print(text);
  return end_of_run(report);
}

}  // namespace

Entry trace_command() { return {describe_trace, execute_trace}; }

}  // namespace warptime::cli
