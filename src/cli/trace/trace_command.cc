// `warptime trace`: runs a target and shows what the warps of one SM did, cycle by cycle.
#include <algorithm>
#include <cmath>

#include "base/plural.h"
#include "cli/cli.h"
#include "cli/exec/captured_launch.h"
#include "cli/machine/machine_option.h"
#include "cli/machine/native_option.h"
#include "cli/output.h"
#include "cli/run/run_target.h"
#include "cli/trace/trace_file.h"
#include "cli/trace/trace_output.h"
#include "cli/trace/trace_window.h"
#include "host/report/summary.h"
#include "ptx/user/demangle.h"

namespace warptime::cli {

namespace {

const Command& describe_trace() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "trace",
        .usage = "TARGET [options] | [options] -- PROGRAM [ARGS]",
        .summary = "run, and show the state of an SM's warps in every cycle",
        .details =
            "Draws the warps over time: when each issued, and the reasons of its waits. With -o it writes a file for\n"
            "a trace viewer instead: .pftrace, or .json, for Perfetto (https://ui.perfetto.dev; 1 us is 1 shader\n"
            "cycle), .kanata for Konata. Tracing does not change the results. With --level block it shows when each\n"
            "block ran on which SM, and in a file also the host's copies and launches.\n",
        .options = {{"sm", Kind::Value, Takes::words("N|all"), "number of the SM; default 0, of --level block all"},
                    {"level", Kind::Value, Takes::words("warp|block"),
                     "the states of an SM's warps, or the blocks of SMs; default warp"},
                    {"interval", Kind::Value, "N", "in a file: counters of the whole chip, every N cycles"},
                    {"host", Kind::Flag, "",
                     "in a file: the host's copies and launches; times count from the beginning of the program"},
                    {"window", Kind::Value, "A:B", "cycles A to B of the launch; default 0:100000"},
                    {"launch", Kind::Value, "N", "number of the launch, from 0; default 0"},
                    {"warp", Kind::Value, "N", "one warp as a list (its # in the drawing)"},
                    {"out", Kind::Value, Takes::file("FILE"),
                     "to FILE.pftrace, .json or .kanata; compressed if .gz follows", 'o'},
                    native_option("with --warp or in a file"),
                    {"threads", Kind::Value, "N", "host threads; default: the host's cores"}},
        .unavailable = {},
        .examples = {"warptime trace matmul:tiled --param n=64 --window 1000:1400",
                     "warptime trace matmul:tiled --param n=64 --warp 0 --window 0:2000",
                     "warptime trace vecadd --sm 3 -o vecadd.pftrace", "warptime trace vecadd -o vecadd.kanata",
                     "warptime trace matmul:tiled --param n=256 --sm all --level block",
                     "warptime trace matmul:tiled --param n=64 --interval 500 --host -o tiled.pftrace"},
        .min_words = 1,
        .max_words = 1,
        .word_name = "TARGET",
        .takes_program = Command::Program::OneLaunch};
    c.options.push_back(program_launch_option());
    for (Option& option : timed_run_options()) c.options.push_back(std::move(option));
    return c;
  }();
  return command;
}

bool is_of_blocks(const Arguments& arguments) { return arguments.choice("level", {"warp", "block"}).value_or(0) == 1; }

/// The SM of --sm; nullopt: all of them.
std::optional<uint32_t> traced_sm(const Arguments& arguments, const sim::MachineConfig& machine) {
  auto given = arguments.value("sm");
  const bool blocks = is_of_blocks(arguments);
  if (given && given->text == "all" && !blocks)
    fail(given->where, "the states of warps are traced on one SM", "--sm all goes with --level block");
  if (given ? given->text == "all" : blocks) return std::nullopt;
  return static_cast<uint32_t>(arguments.number("sm", 0, sim::sm_count(machine) - 1).value_or(0));
}

/// Options that a drawing, or one of blocks, has no use for.
void check_options(const Arguments& arguments) {
  if (is_of_blocks(arguments) && arguments.has("warp"))
    fail(arguments.value("warp")->where, "--warp lists the states of a warp, and --level block records none");
  if (is_of_blocks(arguments) && arguments.has("native"))
    fail(arguments.all("native").front().where, "--native is about instructions, and --level block records none");
  if (arguments.has("native") && !arguments.has("out") && !arguments.has("warp"))
    fail(arguments.all("native").front().where, "the drawing has no instructions",
         "--native goes with --warp N, or with -o FILE");
  if (arguments.has("out")) return;
  for (std::string_view option : {"interval", "host"})
    if (arguments.has(option))
      fail(arguments.all(option).front().where, fmt::format("--{} goes with -o FILE.pftrace or FILE.json", option));
}

/// Records the traced launch: its blocks or its warps, and the chip's counters.
class TraceRecorder final : public sim::LaunchListener {
 public:
  TraceRecorder(const Arguments& arguments, TraceView& view)
      : LaunchListener({.interval = arguments.number("interval", 1, kNever - 1).value_or(0),
                        .trace = view.blocks ? nullptr : &view.log,
                        .blocks = view.blocks ? &*view.blocks : nullptr}),
        view_(view) {}
  void interval(const sim::LaunchInterval& part) override {
    if (part.launch == view_.log.launch && part.end > view_.log.from && part.begin < view_.log.to)
      view_.intervals.push_back({part.begin, part.end, host::interval_counters(part.counted)});
  }

 private:
  TraceView& view_;
};

/// The blocks that were asked for.
void select_blocks(TraceView& view, std::optional<uint32_t> sm) {
  std::erase_if(view.blocks->blocks, [&](const sim::BlockStay& stay) {
    return (sm && stay.sm != *sm) || stay.begin >= view.log.to || stay.end <= view.log.from;
  });
}

/// The host's timeline; the launch's last cycle is where its event ends.
void place_host(TraceView& view, const std::vector<host::TimelineEvent>& timeline, double shader_mhz) {
  set_timeline(view, timeline, shader_mhz);
  uint64_t launches = 0;
  for (const host::TimelineEvent& event : timeline)
    if (event.kind == host::TimelineEvent::Kind::Kernel && launches++ == view.log.launch)
      view.origin = static_cast<Cycle>(std::llround(std::max(event.end_us - view.launch.time_us, 0.0) * shader_mhz));
}

std::optional<TraceFile> trace_file(const Arguments& arguments) {
  auto given = arguments.value("out");
  if (!given) return std::nullopt;
  const TraceContents contents = trace_format(*given, true);
  if (arguments.has("warp")) fail(arguments.value("warp")->where, "--warp is for the terminal; a file has all warps");
  if (contents == trace_kanata)
    for (std::string_view option : {"interval", "host"})
      if (arguments.has(option))
        fail(arguments.all(option).front().where,
             fmt::format("--{} goes with .pftrace and .json: Konata shows instructions only", option));
  if (contents == trace_kanata && is_of_blocks(arguments))
    fail(given->where, "Konata shows instructions of warps, and --level block records none",
         "write FILE.pftrace or FILE.json");
  return TraceFile{Output(*given, "--out", arguments), contents, given->text.ends_with(".gz")};
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
                       : fmt::format("the target has {}, from 0 on", plural(launches, "launch", "launches")));
  if (view.log.from >= view.launch.cycles)
    fail(place("window"), fmt::format("the launch is over before cycle {}", view.log.from),
         fmt::format("it takes {}", plural(view.launch.cycles, "cycle")));
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
                                ptx::demangled(view.launch.kernel), host::grouped(view.launch.cycles));
  if (view.blocks && view.blocks->blocks.empty())
    return out + fmt::format("no block in cycles {} to {}\n", log.from, std::min(log.to, view.launch.cycles));
  if (view.blocks) return out + fmt::format("blocks in cycles {} to {}", view.begin(), view.end());
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
  view.target = arguments.target_name();
  view.machine = loaded.machine.name;
  view.machine_hash = loaded.machine.hash;
  const std::optional<uint32_t> sm = traced_sm(arguments, machine);
  view.log.sm = sm.value_or(0);
  view.log.launch = arguments.number("launch", 0, 1'000'000'000).value_or(0);
  auto warp = arguments.number("warp", 0, sim::kMaxTracedSlots - 1);
  const bool of_blocks = is_of_blocks(arguments);
  if (of_blocks) view.blocks.emplace().launch = view.log.launch;
  read_window(arguments, view.log);
  if (of_blocks && !arguments.has("window")) view.log.to = kNever;
  check_options(arguments);
  check_outputs(*target, arguments);
  std::optional<TraceFile> file = trace_file(arguments);

  sim::RunOptions options = run_options(arguments, machine);
  options.per_instruction = !of_blocks;
  TraceRecorder recorder(arguments, view);
  options.listener = &recorder;
  host::RunReport report = run_until_cut(*target, arguments, loaded.machine, options, ProgramOutput::Stderr);

  view.complete = !report.cut;
  if (view.log.launch < report.launches.size()) view.launch = report.launches[view.log.launch];
  std::stable_sort(view.log.events.begin(), view.log.events.end(),
                   [](const sim::TraceEvent& a, const sim::TraceEvent& b) {
                     // What happens at a moment stands before the state that begins then.
                     return std::pair(a.begin, a.is_state()) < std::pair(b.begin, b.is_state());
                   });
  if (arguments.has("native")) view.native = host::native_view(view.launch.ptx, view.launch.kernel, machine);
  bool is_there = view.log.launch < report.launches.size() && view.log.from < view.launch.cycles;
  if (report.cut && !is_there) return end_of_run(report);  // it came to nothing that was asked for
  check_recorded(arguments, view, report.launches.size());
  if (of_blocks) select_blocks(view, sm);
  if (of_blocks || arguments.has("host")) place_host(view, report.timeline, machine.clocks.shader_mhz);
  std::string text = heading(view);
  if (file) {
    file->write(view);
    text += of_blocks ? fmt::format("; {} to {}\n", plural(view.blocks->blocks.size(), "block"), file->out.name())
                      : fmt::format("; {} to {}\n", plural(view.log.events.size(), "event"), file->out.name());
  } else if (of_blocks) {
    if (!view.blocks->blocks.empty()) text += "; " + block_drawing(view);
  } else if (!view.log.events.empty()) {
    text += warp ? "\n\n" + trace_list(view, static_cast<uint32_t>(*warp)) : "; " + trace_drawing(view);
  }
  print(text);
  return end_of_run(report);
}

}  // namespace

Entry trace_command() { return {describe_trace, execute_trace}; }

}  // namespace warptime::cli
