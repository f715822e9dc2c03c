// The commands of the debugger, one row each: help, abbreviations, completion and docs/debugger.md follow from it.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace warptime::debug {

class Console;

struct CommandRow {
  std::string_view name;
  std::string_view letters;  // a short form; empty: none
  std::string_view arguments;
  std::string_view what;  // one sentence
  void (Console::*execute)(std::string_view arguments);
  bool needs_launch = true;
  bool repeats = false;  // an empty line executes it again
};

/// In the order of help.
const std::vector<CommandRow>& command_rows();

/// A row of `info`.
struct InfoRow {
  std::string_view name;
  std::string_view what;
  void (Console::*execute)(std::string_view arguments);
  bool needs_launch = true;
};
const std::vector<InfoRow>& info_rows();

/// Words that may follow what has been typed so far, for completion: commands, and what the first words of some take.
std::vector<std::string> completions(std::string_view typed);

/// The table of commands as a page of Markdown has it.
std::string command_page();

}  // namespace warptime::debug
