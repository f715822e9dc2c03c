// The completion script for fish: `warptime.fish` in a folder of $fish_complete_path.
#include <fmt/format.h>

#include "cli/cli.h"
#include "cli/completion/completion_table.h"
#include "cli/completion/script_text.h"

namespace warptime::cli {

namespace {

constexpr const char* kFishScript = R"SCRIPT(# Completion of warptime for fish. Printed by `warptime completion fish`.

# Whether the words before the cursor are those of this command; without a name, whether there is none yet.
function __warptime_command
    set -l words (commandline -opc)
    if test (count $argv) -eq 0
        test (count $words) -eq 1
    else
        test (count $words) -ge 2; and test "$words[2]" = $argv[1]
    end
end

# Whether the word at the cursor is the first one of the command, options apart; their values count as words.
function __warptime_first
    __warptime_command $argv[1]; or return 1
    test (count (string match -v -- '-*' (commandline -opc)[2..])) -eq 1
end

# Whether the word at the cursor is the second one of an option that takes two: COMMAND OPTION
function __warptime_second
    __warptime_command $argv[1]; or return 1
    set -l words (commandline -opc)
    test (count $words) -ge 4; and test "$words[-2]" = --$argv[2]
end

function __warptime_names
    switch $argv[1]
{arms}
    end
end

# What stands at the cursor behind "--option=".
function __warptime_value
    string replace -r -- '^--[a-z-]+=' '' (commandline -ct)
end

# NAME=, and behind it the legal words: "settings", or "parameter" or "output" of the workload.
function __warptime_assignments
    set -l value (__warptime_value)
    set -l name (string split -m 1 = -- $value)[1]
    if string match -q '*=*' -- $value
        set -l before (string replace -r -- '[^,=]*$' '' $value)
        for word in (__warptime_names "= $name")
            echo $before$word
        end
    else if test $argv[1] = settings
        for path in (__warptime_names settings)
            echo $path=
        end
    else
        for word in (commandline -opc)[3..]
            for name in (__warptime_names "$argv[1] "(string split -m 1 : -- $word)[1])
                echo $name=
            end
        end
    end
end

# Names with commas between them.
function __warptime_list
    set -l before (string replace -r -- '[^,]*$' '' (__warptime_value))
    for name in (__warptime_names $argv[1])
        echo $before$name
    end
end

complete -c warptime -f
complete -c warptime -n __warptime_command -l help -d 'the commands'
complete -c warptime -n __warptime_command -l version -d 'the version'
{lines}
)SCRIPT";

/// In single quotes of fish.
std::string quoted_for_fish(std::string_view text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return out + "'";
}

/// The options of `complete` for what is expected: whether files are, and what else.
std::string fish_values(const Expected& expected) {
  using Kind = Expected::Kind;
  auto from = [&](std::string_view names, bool files) {
    return fmt::format("{}-a '({} {})'", files ? "-F " : "", expected.is_list ? "__warptime_list" : "__warptime_names",
                       names);
  };
  std::string words = fmt::format("-a '{}'", fmt::join(expected.words, " "));
  switch (expected.kind) {
    case Kind::Anything: return "";
    case Kind::File: return "-F";
    case Kind::Words: return words;
    case Kind::Group: return "-F " + words;
    case Kind::Target: return from("targets", true);
    case Kind::Machine: return from("machines", true);
    case Kind::Processor: return from("processors", true);
    case Kind::Statistic: return from("statistics", false);
    case Kind::Setting: return "-a '(__warptime_assignments settings)'";
    case Kind::Parameter: return "-a '(__warptime_assignments parameter)'";
    case Kind::Output: return "-F -a '(__warptime_assignments output)'";
  }
  return "";
}

std::string fish_option_line(const Command& command, const Option& option) {
  std::string out = fmt::format("complete -c warptime -n '__warptime_command {}'", command.name);
  if (option.letter != 0) out += fmt::format(" -s {}", option.letter);
  out += fmt::format(" -l {}", option.name);
  if (option.kind != Option::Kind::Flag) {
    if (option.kind != Option::Kind::OptionalValue) out += " -r";
    std::string offered = fish_values(expected_value(option));
    out += offered.starts_with("-F") ? "" : " -f";
    if (!offered.empty()) out += " " + offered;
  }
  out += fmt::format(" -d {}\n", quoted_for_fish(option.what));
  if (std::string second = fish_values(expected_second(option)); !second.empty())
    out += fmt::format("complete -c warptime -n '__warptime_second {} {}' {}\n", command.name, option.name, second);
  return out;
}

std::string fish_lines() {
  std::string out;
  for (const Entry& entry : commands()) {
    const Command& command = entry.describe();
    out += fmt::format("complete -c warptime -n __warptime_command -a {} -d {}\n", command.name,
                       quoted_for_fish(command.summary));
    for (const Option& option : command.options) out += fish_option_line(command, option);
    out +=
        fmt::format("complete -c warptime -n '__warptime_command {}' -l help -d 'help of the command'\n", command.name);
    for (size_t index : {0, 1})
      if (std::string offered = fish_values(expected_word(command, index)); !offered.empty())
        out += fmt::format("complete -c warptime -n '{}__warptime_{} {}' {}\n",
                           index == 0 ? "" : "not __warptime_first " + command.name + "; and ",
                           index == 0 ? "first" : "command", command.name, offered);
  }
  out.pop_back();
  return out;
}

std::string fish_arm(const std::string& key, const std::vector<std::string>& names) {
  return fmt::format("        case '{}'\n            printf '%s\\n' {}\n", key, fmt::join(names, " "));
}

}  // namespace

std::string fish_completion() { return filled(kFishScript, {{"arms", name_arms(fish_arm)}, {"lines", fish_lines()}}); }

}  // namespace warptime::cli
