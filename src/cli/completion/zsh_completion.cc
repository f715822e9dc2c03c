// The completion script for zsh: an autoloaded function, `_warptime` in a folder of $fpath.
#include <fmt/format.h>

#include "cli/cli.h"
#include "cli/completion/completion_table.h"
#include "cli/completion/script_text.h"

namespace warptime::cli {

namespace {

constexpr const char* kZshScript = R"SCRIPT(#compdef warptime
# Completion of warptime for zsh. Printed by `warptime completion zsh`.

# KIND WORD...: adds what the kind stands for; words are of "words" and "group".
_warptime_value() {
  local kind=$1 name
  local -a names
  shift
  case $kind in
    setting* | parameter* | output*)
      if [[ $PREFIX == *=* ]]; then
        name=${PREFIX%%=*}
        compset -P 1 '*='
        case $kind in
          output*) _files; return ;;
          *-list) kind=words-list ;;
          *) kind=words ;;
        esac
        set -- $(_warptime_names "= $name")
      fi
      ;;
  esac
  if [[ $kind == *-list && $kind != setting* ]]; then compset -P '*,'; fi
  case ${kind%-list} in
    words) compadd -- "$@" ;;
    file) _files ;;
    group) compadd -- "$@"; _files ;;
    statistic) compadd -- $(_warptime_names statistics) ;;
    target) compadd -- $(_warptime_names targets); _files ;;
    machine) compadd -- $(_warptime_names machines); _files ;;
    processor) compadd -- $(_warptime_names processors); _files ;;
    setting) compadd -S = -- $(_warptime_names settings) ;;
    parameter | output)
      for name in $words; do
        names=($(_warptime_names "${kind%-list} ${name%%:*}"))
        if (( $#names )); then compadd -S = -- $names; return; fi
      done
      ;;
    *) _message 'a value' ;;
  esac
}

_warptime_names() {
  case $1 in
{arms}
  esac
}

_warptime() {
  local curcontext=$curcontext command
  if (( CURRENT == 2 )); then
    local -a commands=(
{commands}
    )
    _describe -t commands command commands
    compadd -- --help --version
    return
  fi
  command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{specifications}
  esac
}

_warptime "$@"
)SCRIPT";

/// In a specification of _arguments.
std::string escaped_for_zsh(std::string_view text, std::string_view special) {
  std::string out;
  for (char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_specification(const Option& option) {
  // With -S after a value option its value may follow in the same word behind "=", or as the next one.
  std::string_view equals = option.kind == Option::Kind::Flag            ? ""
                            : option.kind == Option::Kind::OptionalValue ? "=-"
                                                                         : "=";
  std::string head = option.kind == Option::Kind::Repeated ? "*" : "";
  std::string tail = "[" + escaped_for_zsh(option.what, "[]\\:") + "]";
  if (option.kind != Option::Kind::Flag)
    tail += fmt::format("{}{}: _warptime_value {}", option.kind == Option::Kind::OptionalValue ? "::" : ":",
                        escaped_for_zsh(option.value.text, "[]\\:"), kind_text(expected_value(option)));
  if (option.kind == Option::Kind::Pair)
    tail += fmt::format(": : _warptime_value {}", kind_text(expected_second(option)));
  if (option.letter == 0) return shell_quoted(fmt::format("{}--{}{}{}", head, option.name, equals, tail));
  return fmt::format("{0}{{-{1},--{2}{3}}}{4}",
                     shell_quoted(head.empty() ? fmt::format("(-{} --{})", option.letter, option.name) : head),
                     option.letter, option.name, equals, shell_quoted(tail));
}

std::string zsh_specifications() {
  std::string out;
  for (const Entry& entry : commands()) {
    const Command& command = entry.describe();
    out += fmt::format("    {})\n      _arguments -S : \\\n", command.name);
    for (const Option& option : command.options) out += fmt::format("        {} \\\n", zsh_specification(option));
    out += "        '--help[help of the command]'";
    if (command.max_words > 0)
      out += fmt::format(" \\\n        '1: : _warptime_value {}'", kind_text(expected_word(command, 0)));
    if (command.max_words > 1)
      out += fmt::format(" \\\n        '*: : _warptime_value {}'", kind_text(expected_word(command, 1)));
    out += "\n      ;;\n";
  }
  out.pop_back();
  return out;
}

std::string zsh_arm(const std::string& key, const std::vector<std::string>& names) {
  return fmt::format("    {}) print -r -- {} ;;\n", shell_quoted(key), fmt::join(names, " "));
}

std::string zsh_commands() {
  std::string out;
  for (const Entry& entry : commands())
    out += fmt::format("      {}\n",
                       shell_quoted(entry.describe().name + ":" + escaped_for_zsh(entry.describe().summary, "\\:")));
  out.pop_back();
  return out;
}

}  // namespace

std::string zsh_completion() {
  return filled(kZshScript,
                {{"arms", name_arms(zsh_arm)}, {"commands", zsh_commands()}, {"specifications", zsh_specifications()}});
}

}  // namespace warptime::cli
