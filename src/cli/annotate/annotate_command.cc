// `warptime annotate`: runs a target and prints its PTX with what each line cost.
#include <unistd.h>

#include <cstdlib>

#include "cli/annotate/annotate_listing.h"
#include "cli/cli.h"
#include "cli/exec/captured_launch.h"
#include "cli/machine/machine_option.h"
#include "cli/machine/native_option.h"
#include "cli/output.h"
#include "cli/run/run_target.h"

namespace warptime::cli {

namespace {

const Command& describe_annotate() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{.name = "annotate",
              .usage = "TARGET [options] | [options] -- PROGRAM [ARGS]",
              .summary = "run, and print the PTX with the cost of each line",
              .details =
                  "For each instruction: how often warps executed it, the average number of lanes, the share of all\n"
                  "issue slots in which it issued, the share that passed while it could not issue, and the reasons.\n"
                  "The five costliest lines are marked \">\". Launches of one kernel are added up.\n"
                  "\n"
                  "With --columns memory: accesses; per access its transactions, the fewest that could carry its\n"
                  "bytes, the bytes used of those moved, and the passes beyond the first because of bank conflicts;\n"
                  "divergent executions of a branch, and the lanes that branched and did not; reads that hit in a\n"
                  "cache; the mean (least-largest) latency. The five lines that move most bytes are marked.\n"
                  "On a terminal, lines with more than a tenth of the cost are red, with a fiftieth yellow.\n",
              .options = {{"columns", Kind::Value, Takes::words("time|memory"), "what the columns show; default time"},
                          native_option("in the listing"),
                          {"json", Kind::OptionalValue, Takes::file("FILE"),
                           "every number as JSON to FILE or standard output"},
                          {"threads", Kind::Value, "N", "host threads; default: the host's cores"}},
              .unavailable = {},
              .examples = {"warptime annotate matmul:tiled --param n=128",
                           "warptime annotate matmul:tiled --param n=128 --native",
                           "warptime annotate k.ptx --grid 64 --block 256 --buffer x=f32:16384 --arg x"},
              .min_words = 1,
              .max_words = 1,
              .word_name = "TARGET",
              .takes_program = Command::Program::OneLaunch};
    c.options.push_back(program_launch_option());
    for (Option& option : target_options()) c.options.push_back(std::move(option));
    for (Option& option : simulation_options()) c.options.push_back(std::move(option));
    for (Option& option : machine_options()) c.options.push_back(std::move(option));
    return c;
  }();
  return command;
}

bool on_colour_terminal() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

int execute_annotate(const Arguments& arguments) {
  std::vector<std::string_view> names;
  for (const ColumnSet& set : column_sets()) names.push_back(set.name);
  const ColumnSet& columns = column_sets()[arguments.choice("columns", names).value_or(0)];
  sim::LoadedMachine loaded = load_machine(arguments);
  const bool native = wants_native(arguments, loaded.machine);
  std::unique_ptr<Target> target = find_target(arguments);
  sim::RunOptions options = run_options(arguments, loaded.machine.config);
  options.per_instruction = true;
  check_outputs(*target, arguments);
  std::optional<Output> json = output_of(arguments, "json");
  host::RunReport report = run_until_cut(*target, arguments, loaded.machine, options, ProgramOutput::Stderr);
  std::vector<KernelListing> listings = kernel_listings(report);
  if (native)
    for (KernelListing& listing : listings)
      listing.native = host::native_view(listing.ptx, listing.kernel, loaded.machine.config);
  if (json) {
    nlohmann::ordered_json all{{"schema", 1},
                               {"target", report.target},
                               {"machine", {{"name", report.machine.name}, {"hash", report.machine.hash}}}};
    all["complete"] = !report.cut;
    all["kernels"] = nlohmann::ordered_json::array();
    for (const KernelListing& listing : listings) all["kernels"].push_back(listing_json(listing));
    json->write_all(json_text(all));
  }
  if (!json || !json->is_standard_output())
    for (const KernelListing& listing : listings)
      print(listing_text(listing, columns, on_colour_terminal(), arguments.has("calls")) +
            (&listing == &listings.back() ? "" : "\n"));
  return end_of_run(report);
}

}  // namespace

Entry annotate_command() { return {describe_annotate, execute_annotate}; }

}  // namespace warptime::cli
