// What a shell can complete, from the tables that the commands parse their lines with: nothing here is written twice.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"

namespace warptime::cli {

/// What a word of a command or the value of an option may be.
struct Expected {
  enum class Kind : uint8_t {
    Anything,   // numbers, texts: nothing is offered
    Words,      // one of `words`
    File,       // a path
    Machine,    // a machine's name or a path
    Processor,  // a processor's name or a path
    Setting,    // PARAMETER=VALUE of a machine
    Parameter,  // NAME=VALUE of the target's workload
    Output,     // NAME=FILE of the target's workload
    Statistic,  // a statistic's name
    Target,     // a workload, or a path
    Group       // one of `words`, or a path
  };
  Kind kind = Kind::Anything;
  std::vector<std::string> words = {};
  bool is_list = false;  // several with commas between them
};

/// From the option's value column.
Expected expected_value(const Option& option);
/// The second word of an option that takes two.
Expected expected_second(const Option& option);
/// From the usage of the command. `index`: of the word behind the command's name, from 0.
Expected expected_word(const Command& command, size_t index);
/// "-x" if the option has a letter, and "--name".
std::vector<std::string> spellings(const Option& option);

/// The names of everything that is completed.
struct CompletionNames {
  std::vector<std::string> targets;  // WORKLOAD and WORKLOAD:VARIANT
  std::vector<std::string> machines, processors, statistics;
  std::vector<std::pair<std::string, std::vector<std::string>>> settings;  // parameters of machines, their legal words
  std::map<std::string, std::vector<std::string>> parameters, outputs;     // by workload
};
CompletionNames completion_names();

/// Each as the text of a script.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace warptime::cli
