// `warptime model`: predicts the time of each launch from a functional run and the machine file (docs/models.md); with
// --simulate, beside the simulated one.
#include <nlohmann/json.hpp>

#include "analysis/work_flow/work_flow_graph.h"
#include "base/standard_streams.h"
#include "cli/cli.h"
#include "cli/drawing_program.h"
#include "cli/machine/machine_option.h"
#include "cli/model/model_output.h"
#include "cli/output.h"
#include "cli/run/run_target.h"

namespace warptime::cli {

namespace {

const Command& describe_model() {
  using Kind = Option::Kind;
  static const Command command = [] {
    Command c{
        .name = "model",
        .usage = "TARGET [options]",
        .summary = "predict the time by an analytical model, without timing",
        .details =
            "Runs the TARGET for its values and counts alone, and predicts the time of each launch by the model of\n"
            "Sim et al. (MWP-CWP): every term with its unit and where it comes from, and what could be gained by\n"
            "more parallelism of instructions (B_itilp) and of memory (B_memlp), by fewer instructions other\n"
            "than floating-point ones (B_fp), and without serialisation (B_serial). docs/models.md has the\n"
            "equations. With --simulate the TARGET is also simulated, and a warning names the term that differs\n"
            "most where both disagree by more than 30 %.\n",
        .options = {{"simulate", Kind::Flag, "", "simulate it, too, and compare"},
                    {"memory", Kind::Flag, "",
                     "take hit ratios from random orders of the requests, and print their distribution"},
                    {"graph", Kind::Value, Takes::file("FILE.dot|.svg"),
                     "write the work flow graph of the longest launch; Graphviz draws the .svg"},
                    {"json", Kind::OptionalValue, Takes::file("FILE"), "write it as JSON to FILE or standard output"},
                    {"threads", Kind::Value, "N", "host threads; default: the host's cores"}},
        .unavailable = {},
        .examples = {"warptime model matmul:tiled --param n=128",
                     "warptime model matmul:tiled --param n=128 --simulate",
                     "warptime model spmv:banded --machine geforce-gtx-480 --memory --simulate",
                     "warptime model matmul:tiled --param n=128 --graph tiled.svg"},
        .min_words = 1,
        .max_words = 1,
        .word_name = "TARGET"};
    for (Option& option : target_options())
      if (option.name != "output") c.options.push_back(std::move(option));
    for (Option& option : simulation_options())
      if (option.name != "functional") c.options.push_back(std::move(option));
    for (Option& option : machine_options()) c.options.push_back(std::move(option));
    return c;
  }();
  return command;
}

/// --graph FILE.dot, or FILE.svg where Graphviz is on PATH; where it is not, FILE.dot in its place.
class GraphFile {
 public:
  explicit GraphFile(const Arguments& arguments) {
    std::optional<ArgumentText> file = arguments.value("graph");
    if (!file) return;
    const bool svg = file->text.ends_with(".svg");
    if (!svg && !file->text.ends_with(".dot"))
      fail(file->where, fmt::format("the name of the graph ends in \".dot\" or \".svg\", not as \"{}\"", file->text));
    if (svg) program_ = find_on_path("dot");
    if (svg && !program_) {
      file->text.replace(file->text.size() - 3, 3, "dot");
      print_error(
          fmt::format("note: Graphviz, which draws the .svg, is not on PATH: {} is written in its place\n"
                      "      (apt-get install graphviz)\n",
                      file->text));
    }
    output_.emplace(*file, "--graph", arguments);
  }

  void write(const ModelledLaunch& launch) {
    if (!output_) return;
    const ptx::Kernel& kernel = sim::executed(launch.arrangement, *launch.module->find_kernel(launch.kernel));
    const analysis::WorkFlowGraph graph = analysis::work_flow_graph(kernel, launch.program, launch.inputs.total_warps);
    const std::string dot = analysis::dot_text(*launch.module, kernel, graph, launch.kernel);
    output_->write_all(program_ ? svg_of(run_drawing(*program_, {"-Tsvg"}, dot), *program_, "") : dot);
  }

 private:
  std::optional<std::string> program_;  // Graphviz, for an .svg
  std::optional<Output> output_;
};

int execute_model(const Arguments& arguments) {
  const ArgumentText& word = arguments.words().front();
  sim::LoadedMachine loaded = load_machine(arguments);
  const sim::Machine& machine = loaded.machine;
  if (!machine.config.has_timing)
    fail(word.where, fmt::format("the machine {} has no timing to predict", machine.name), "choose one with --machine");
  std::unique_ptr<Target> target = find_target(arguments);
  target->drop_outputs();
  std::optional<Output> json = output_of(arguments, "json");
  GraphFile graph(arguments);
  sim::RunOptions options = run_options(arguments, machine.config);
  options.functional = true;
  options.per_instruction = true;
  sim::RequestRecord log;
  sim::LaunchListener recorder({.requests = arguments.has("memory") ? &log : nullptr});
  options.listener = &recorder;
  ModellingObserver model(machine.config, recorder.needs().requests);
  host::RunReport report = run_with_progress(*target, arguments, machine, options, ProgramOutput::Stderr, &model);
  std::vector<ModelledLaunch>& launches = model.launches;
  if (launches.empty()) fail(word.where, fmt::format("{} launches no kernel: there is nothing to predict", word.text));
  int status = status_of_checks(report.checks);
  if (arguments.has("simulate")) {
    options.functional = false;
    options.per_instruction = false;
    options.listener = nullptr;
    ComparingObserver simulator(launches);
    run_with_progress(*target, arguments, machine, options, ProgramOutput::Stderr, &simulator);
  }
  if (json) json->write_all(json_text(model_json(launches)));
  if (!json || !json->is_standard_output())
    print(fmt::format("{} on {}\n\n{}", word.text, machine.name, model_text(launches)));
  graph.write(model.longest());
  print_error(disagreements(launches));
  return status;
}

}  // namespace

Entry model_command() { return {describe_model, execute_model}; }

}  // namespace warptime::cli
