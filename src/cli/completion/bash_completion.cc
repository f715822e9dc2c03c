// The completion script for bash. It needs no other script, and starts no program: all names are in it.
#include <fmt/format.h>

#include "cli/cli.h"
#include "cli/completion/completion_table.h"
#include "cli/completion/script_text.h"

namespace warptime::cli {

namespace {

constexpr const char* kBashScript = R"SCRIPT(# Completion of warptime for bash. Printed by `warptime completion bash`.

# KEY: sets REPLY to what is expected there: "COMMAND" its options, "COMMAND OPTION" and "COMMAND INDEX" a value or word,
# "COMMAND OPTION 2" the second word of an option that takes two,
# as a kind and its words ("=" before it: only behind a "="), "= PARAMETER" its legal words, "parameter WORKLOAD" and
# "output WORKLOAD" names.
_warptime_expected() {
  case $1 in
{arms}
    *) REPLY= ;;
  esac
}

_warptime_offer() {  # PREFIX BEGINNING SUFFIX WORD...
  local candidate
  for candidate in "${@:4}"; do
    if [[ $candidate == "$2"* ]]; then COMPREPLY+=("$1$candidate$3"); fi
  done
  if [[ $3 == = ]]; then compopt -o nospace 2>/dev/null; fi
}

_warptime_files() {  # PREFIX BEGINNING
  local file
  compopt -o filenames 2>/dev/null
  while IFS= read -r file; do COMPREPLY+=("$1$file"); done < <(compgen -f -- "$2")
}

# A name with "=" behind it, or what follows its "=": PREFIX BEGINNING NAME...
_warptime_names() { _warptime_offer "$1" "$2" = "${@:3}"; }

_warptime() {
  local IFS=$' \t\n'
  local line=${COMP_LINE:0:COMP_POINT} REPLY= word cur= command= option= workload= prefix= value kind name
  local -i index=0
  local -a words
  COMPREPLY=()
  read -ra words <<<"$line"
  if [[ $line != *[[:space:]] ]]; then
    cur=${words[${#words[@]} - 1]}
    words=("${words[@]:0:${#words[@]} - 1}")
  fi
  for word in "${words[@]:1}"; do
    if [[ -z $command ]]; then
      command=$word
    elif [[ -n $option ]]; then
      _warptime_expected "$command $option 2"  # this word was its value, of which some options take two
      option=${REPLY:+$option 2}
    elif [[ $word == -* ]]; then
      _warptime_expected "$command $word"
      if [[ -n $REPLY && $REPLY != =* ]]; then option=$word; fi
    else
      if ((index == 0)); then workload=${word%%:*}; fi
      index+=1
    fi
  done

  value=$cur
  if [[ -z $command ]]; then
    REPLY="words {commands} --help --version"
  elif [[ -n $option ]]; then
    _warptime_expected "$command $option"
  elif [[ $cur == --*=* ]]; then
    _warptime_expected "$command ${cur%%=*}"
    prefix=${cur%%=*}= value=${cur#*=}
  elif [[ $cur == -* ]]; then
    _warptime_expected "$command"
    REPLY="words $REPLY"
  else
    _warptime_expected "$command $index"
  fi
  set -- ${REPLY#=}
  kind=${1-}
  shift

  case $kind in
    setting* | parameter* | output*)
      if [[ $value == *=* ]]; then
        name=${value%%=*} prefix+=${value%%=*}= value=${value#*=}
        if [[ $kind == output* ]]; then
          kind=file
        else
          [[ $kind == *-list ]] && kind=words-list || kind=words
          _warptime_expected "= $name"
          set -- $REPLY
        fi
      fi
      ;;
  esac
  if [[ $kind == *-list && $value == *,* && $kind != setting* ]]; then
    prefix+=${value%,*}, value=${value##*,}
  fi
  case ${kind%-list} in
    words) _warptime_offer "$prefix" "$value" "" "$@" ;;
    file) _warptime_files "$prefix" "$value" ;;
    group) _warptime_offer "$prefix" "$value" "" "$@"; _warptime_files "$prefix" "$value" ;;
    target) _warptime_offer "$prefix" "$value" "" {targets}; _warptime_files "$prefix" "$value" ;;
    machine) _warptime_offer "$prefix" "$value" "" {machines}; _warptime_files "$prefix" "$value" ;;
    processor) _warptime_offer "$prefix" "$value" "" {processors}; _warptime_files "$prefix" "$value" ;;
    statistic) _warptime_offer "$prefix" "$value" "" {statistics} ;;
    setting) _warptime_names "$prefix" "$value" {settings} ;;
    parameter | output)
      _warptime_expected "${kind%-list} $workload"
      _warptime_names "$prefix" "$value" $REPLY
      ;;
  esac

  # Readline replaces only what follows the last of its word breaks.
  local breaks=${COMP_WORDBREAKS//[^=:]/}
  if [[ -n $breaks && $cur == *[$breaks]* ]]; then
    local kept=${cur##*[$breaks]}
    COMPREPLY=("${COMPREPLY[@]#"${cur%"$kept"}"}")
  fi
}

complete -F _warptime warptime
)SCRIPT";

std::string bash_arm(std::string_view key, const std::string& reply) {
  return fmt::format("    \"{}\") REPLY=\"{}\" ;;\n", key, reply);
}

/// Names among the words of a command of the script, in lines of their own.
std::string argument_lines(const std::vector<std::string>& names) {
  std::string lines = name_lines(names), out;
  for (char c : lines) out += c == '\n' ? std::string(" \\\n") : std::string(1, c);
  return out;
}

std::string bash_arms(const CompletionNames& names) {
  std::string out;
  for (const Entry& entry : commands()) {
    const Command& command = entry.describe();
    std::vector<std::string> all;
    for (const Option& option : command.options)
      for (std::string& spelling : spellings(option)) {
        if (option.kind != Option::Kind::Flag)
          out += bash_arm(command.name + " " + spelling,
                          (option.kind == Option::Kind::OptionalValue ? "=" : "") + kind_text(expected_value(option)));
        if (option.kind == Option::Kind::Pair)
          out += bash_arm(command.name + " " + spelling + " 2", kind_text(expected_second(option)));
        all.push_back(std::move(spelling));
      }
    all.push_back("--help");
    out += bash_arm(command.name, name_lines(all));
    if (command.max_words > 0) out += bash_arm(command.name + " 0", kind_text(expected_word(command, 0)));
    if (command.max_words > 1)
      out += fmt::format("    \"{} \"[1-9]*) REPLY=\"{}\" ;;\n", command.name, kind_text(expected_word(command, 1)));
  }
  for (const auto& [path, words] : names.settings)
    if (!words.empty()) out += bash_arm("= " + path, name_lines(words));
  for (const auto& [workload, parameters] : names.parameters)
    out += bash_arm("parameter " + workload, name_lines(parameters));
  for (const auto& [workload, outputs] : names.outputs) out += bash_arm("output " + workload, name_lines(outputs));
  out.pop_back();
  return out;
}

}  // namespace

std::string bash_completion() {
  CompletionNames names = completion_names();
  std::vector<std::string> all, settings;
  for (const Entry& entry : commands()) all.push_back(entry.describe().name);
  for (const auto& [path, words] : names.settings) settings.push_back(path);
  return filled(kBashScript, {{"arms", bash_arms(names)},
                              {"commands", fmt::format("{}", fmt::join(all, " "))},
                              {"targets", argument_lines(names.targets)},
                              {"machines", argument_lines(names.machines)},
                              {"processors", argument_lines(names.processors)},
                              {"statistics", argument_lines(names.statistics)},
                              {"settings", argument_lines(settings)}});
}

}  // namespace warptime::cli
