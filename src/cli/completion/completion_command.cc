// `warptime completion bash|zsh|fish`: a script by which the shell completes commands, options and names.
#include <array>

#include "cli/cli.h"
#include "cli/completion/completion_table.h"
#include "cli/output.h"

namespace warptime::cli {

namespace {

struct Shell {
  std::string_view name;
  std::string (*script)();
};

constexpr std::array kShells{Shell{"bash", bash_completion}, Shell{"zsh", zsh_completion},
                             Shell{"fish", fish_completion}};

const Command& describe_completion() {
  static const Command command{
      .name = "completion",
      .usage = "bash|zsh|fish [options]",
      .summary = "print a script by which a shell completes command lines",
      .details =
          "The script completes commands, options, workloads, machines, parameters and statistics, all from the "
          "tables\n"
          "of this program. An installed package brings the scripts along. Otherwise:\n"
          "  bash: source <(warptime completion bash)     in ~/.bashrc\n"
          "  zsh:  warptime completion zsh --output FOLDER/_warptime, a FOLDER of $fpath\n"
          "  fish: warptime completion fish --output ~/.config/fish/completions/warptime.fish\n",
      .options = {{"output", Option::Kind::Value, Takes::file("FILE"), "write to FILE instead of standard output"}},
      .unavailable = {},
      .examples = {"warptime completion bash", "warptime completion zsh --output _warptime"},
      .min_words = 1,
      .max_words = 1,
      .word_name = "shell"};
  return command;
}

int execute_completion(const Arguments& arguments) {
  const ArgumentText& word = arguments.words().front();
  std::vector<std::string_view> known;
  for (const Shell& shell : kShells) {
    known.push_back(shell.name);
    if (shell.name != word.text) continue;
    if (auto out = output_of(arguments, "output")) out->write_all(shell.script());
    else print(shell.script());
    return kDone;
  }
  auto near = nearest(word.text, known);
  fail(word.where, fmt::format("there is no completion for \"{}\"", word.text),
       near ? fmt::format("did you mean \"{}\"?", *near) : fmt::format("available: {}", fmt::join(known, ", ")));
}

}  // namespace

Entry completion_command() { return {describe_completion, execute_completion}; }

}  // namespace warptime::cli
