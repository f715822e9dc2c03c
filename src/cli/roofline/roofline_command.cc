// `warptime roofline`: kernels of statistics files or of a sweep under the roofs of their machine.
#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/gnuplot.h"
#include "cli/machine/machine_option.h"
#include "cli/output.h"
#include "cli/roofline/roofline_output.h"

namespace warptime::cli {

namespace {

const Command& describe_roofline() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "roofline",
        .usage = "STATS.json...|SWEEP.csv [options]",
        .summary = "place kernels under the roofs of their machine",
        .details =
            "Prints the machine's roofs and, for each kernel of the statistics files or each row of a sweep, its\n"
            "operations per byte (of DRAM traffic, and as requested by lanes), its rate, the roof there, and its\n"
            "share of that. A sweep's CSV does not name its machine: give --machine and --set as for the sweep.\n",
        .options = {{"out", Kind::Value, Takes::file("FILE.svg"), "draw it instead, by gnuplot", 'o'},
                    {"json", Kind::OptionalValue, Takes::file("FILE"), "write it as JSON to FILE or standard output"}},
        .unavailable = {},
        .examples = {"warptime run matmul --param n=128 --stats matmul.json --quiet", "warptime roofline matmul.json",
                     "warptime roofline matmul.json -o roofline.svg",
                     "warptime sweep matmul:tiled --param n=64 --param tile=4,8,16 --csv tiles.csv",
                     "warptime roofline tiles.csv"},
        .min_words = 1,
        .max_words = 64,
        .word_name = "statistics file or sweep"};
    for (Option& option : machine_options()) c.options.push_back(std::move(option));
    return c;
  }();
  return command;
}

int execute_roofline(const Arguments& arguments) {
  auto picture = arguments.value("out");
  if (picture && !picture->text.ends_with(".svg")) fail(picture->where, "-o requires a FILE.svg");
  std::string gnuplot = picture ? find_gnuplot(picture->where, "-o") : "";
  RooflineInput input = read_roofline(arguments);
  std::optional<Output> json = output_of(arguments, "json");
  std::optional<Output> out;
  if (picture) out.emplace(*picture, "-o", arguments);
  if (out) {
    out->write_all(draw(gnuplot, roofline_chart(input)));
    for (const std::string& note : input.notes) print_error(note + "\n");
  }
  if (json) json->write_all(roofline_json(input));
  if (!out && !(json && json->is_standard_output())) print(roofline_text(input));
  return kDone;
}

}  // namespace

Entry roofline_command() { return {describe_roofline, execute_roofline}; }

}  // namespace warptime::cli
