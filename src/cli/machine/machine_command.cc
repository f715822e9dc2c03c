// `warptime machine show`: the resolved machine, each value with its origin. As YAML that loads again, or as JSON.
#include <nlohmann/json.hpp>

#include "cli/cli.h"
#include "cli/machine/machine_option.h"
#include "cli/output.h"
#include "sim/model/inherited_values.h"
#include "sim/model/parameters.h"

namespace warptime::cli {

namespace {

using Json = nlohmann::ordered_json;

const Command& describe_machine() {
  static const Command command{
      .name = "machine",
      .usage = "show NAME|FILE [options]",
      .summary = "show the resolved machine, each value with its origin",
      .details = "The output is a machine file.\n",
      .options = {{"inherited", Option::Kind::Flag, "",
                   "only the values that its own file does not state: they are those of the machine that it extends"},
                  {"set", Option::Kind::Repeated, Takes::setting("PATH=VALUE"), "override a parameter of the machine"},
                  {"json", Option::Kind::OptionalValue, Takes::file("FILE"), "as JSON, to FILE or standard output"}},
      .unavailable = {},
      .examples = {"warptime machine show geforce-8800-gtx", "warptime machine show my-machine.yaml --set chip.tpcs=4",
                   "warptime machine show h200-sxm --inherited",
                   "warptime machine show geforce-8800-gtx --json=machine.json"},
      .min_words = 2,
      .max_words = 2,
      .word_name = "machine to show (show NAME|FILE)"};
  return command;
}

Json value_json(const sim::Parameter& parameter) {
  return std::visit(
      [&](auto value) -> Json {
        if constexpr (std::is_same_v<decltype(value), sim::EnumRef>) return sim::value_text(parameter);
        else return *value;
      },
      parameter.value);
}

std::string to_json(sim::LoadedMachine& loaded, bool only_inherited) {
  Json values = Json::object();
  for (const sim::Parameter& parameter : sim::parameters_of(loaded.machine.config))
    if (!only_inherited || sim::is_inherited(loaded, parameter.path))
      values[parameter.path] = {{"value", value_json(parameter)}, {"origin", loaded.origin(parameter.path).text}};
  Json out = {
      {"name", loaded.machine.name}, {"hash", loaded.machine.hash}, {"file", loaded.file}, {"parameters", values}};
  return json_text(out);
}

int execute_machine(const Arguments& arguments) {
  const ArgumentText& verb = arguments.words()[0];
  if (verb.text != "show")
    fail(verb.where, fmt::format("`warptime machine` has no \"{}\"", verb.text), "warptime machine show NAME|FILE");
  sim::LoadedMachine loaded = load_machine(arguments, arguments.words()[1]);
  const bool inherited = arguments.has("inherited");
  if (auto json = output_of(arguments, "json")) json->write_all(to_json(loaded, inherited));
  else print(inherited ? sim::inherited_to_yaml(loaded) : sim::to_yaml(loaded));
  return kDone;
}

}  // namespace

Entry machine_command() { return {describe_machine, execute_machine}; }

}  // namespace warptime::cli
