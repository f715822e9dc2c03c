#include "debug/commands/console.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostics.h"
#include "base/parse_number.h"

namespace warptime::debug {

std::string_view trimmed(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  size_t end = std::min(text.find_first_of(" \t"), text.size());
  std::string_view word = text.substr(0, end);
  text = trimmed(text.substr(end));
  return word;
}

const CommandRow* Console::find_command(std::string_view word) {
  const CommandRow* found = nullptr;
  for (const CommandRow& row : command_rows()) {
    if (row.name == word || (!row.letters.empty() && row.letters == word)) return &row;
    if (!row.name.starts_with(word)) continue;
    if (found != nullptr) return nullptr;
    found = &row;
  }
  return found;
}

void Console::attach(Debugger* debugger) {
  debugger_ = debugger;
  listed_to_ = std::nullopt;
  native_ = std::nullopt;
  frame_ = 0;
}

Console::Next Console::execute(std::string_view line) {
  next_ = Next::Command;
  line = trimmed(line);
  if (line.starts_with("#")) return next_;
  std::string again;
  if (line.empty()) {
    again = last_line_;
    line = again;
    if (line.empty()) return next_;
  }
  std::string_view arguments = line, word = take_word(arguments);
  // "x/4f" and "p/x" have their format at the command.
  if (size_t slash = word.find('/'); slash != std::string_view::npos && slash > 0) {
    arguments = line.substr(static_cast<size_t>(word.data() - line.data()) + slash);
    word = word.substr(0, slash);
  }
  const CommandRow* row = find_command(word);
  last_line_.clear();
  if (row == nullptr) {
    std::vector<std::string_view> names, beginnings;
    for (const CommandRow& other : command_rows()) {
      names.push_back(other.name);
      if (other.name.starts_with(word)) beginnings.push_back(other.name);
    }
    std::string hint = did_you_mean(word, names);
    if (!beginnings.empty()) hint = fmt::format("it may be {}", fmt::join(beginnings, ", "));
    print_(fmt::format("{} command \"{}\"; {}\n", beginnings.empty() ? "unknown" : "ambiguous", word,
                       hint.empty() ? "`help` lists the commands" : hint));
    return next_;
  }
  if (row->needs_launch && debugger_ == nullptr) {
    print_("the program is not being run; `run` begins it\n");
    return next_;
  }
  if (row->repeats) last_line_ = line;
  if (row->name == "list") last_line_ = arguments.starts_with("/") ? "list /native" : "list";  // what follows
  (this->*row->execute)(arguments);
  return next_;
}

std::optional<uint64_t> Console::count_of(std::string_view text, std::string_view what) {
  uint64_t count = 1;
  if (text.empty()) return count;
  if (parse_number(text, count) == NumberError::Ok && count > 0) return count;
  print_(fmt::format("\"{}\" is not a number of {}\n", text, what));
  return std::nullopt;
}

std::optional<LaneView> Console::thread() {
  LaneView lane = debugger_->focus();
  if (lane.sm != nullptr && frame_ > 0 && frame_ <= lane.warp().stack.calls())
    lane.before = lane.warp().stack.caller(frame_ - 1);
  if (lane.sm != nullptr) return lane;
  print_("no warp is resident at this cycle\n");
  return std::nullopt;
}

bool Console::failed(const ExpressionResult& result, std::string_view text) {
  if (result.error.empty()) return false;
  print_(fmt::format("{}\n    {}\n    {:>{}}\n{}", result.error, text, "^", result.at + 1,
                     result.hint.empty() ? "" : fmt::format("  hint: {}\n", result.hint)));
  return true;
}

void Console::help(std::string_view arguments) {
  std::string_view word = take_word(arguments);
  std::string out;
  if (word.empty()) {
    for (const CommandRow& row : command_rows())
      out += fmt::format("  {:<17} {:<5} {}\n", row.name, row.letters, row.what);
    return print_(out + "`help COMMAND` describes one; a command may be shortened; # begins a comment\n");
  }
  const CommandRow* row = find_command(word);
  if (row == nullptr) {
    std::vector<std::string_view> names;
    for (const CommandRow& other : command_rows()) names.push_back(other.name);
    std::string hint = did_you_mean(word, names);
    return print_(fmt::format("unknown command \"{}\"{}{}\n", word, hint.empty() ? "" : "; ", hint));
  }
  out = fmt::format("{}{}{}{}\n  {}\n", row->name, row->letters.empty() ? "" : fmt::format(", {}", row->letters),
                    row->arguments.empty() ? "" : " ", row->arguments, row->what);
  if (row->name == "info")
    for (const InfoRow& info : info_rows()) out += fmt::format("  info {:<11} {}\n", info.name, info.what);
  if (row->name == "catch")
    for (const sim::StallInfo& stall : sim::kStalls) out += fmt::format("  stall {:<20} {}\n", stall.key, stall.what);
  if (row->name == "print" || row->name == "x")
    out +=
        "  formats: x hexadecimal, d signed, u unsigned, o octal, t binary, f float, c character, a address\n"
        "  expressions: %r1, %tid.x, f32 [%rd1+4], shared.f32 [tile+8], names of variables and buffers,\n"
        "  variables of C with their elements and members (n, out[3], tile[1][2], p.x, *p, &n),\n"
        "  $cycle $sm $warp $lane $pc $active, and the operators of C\n";
  print_(out);
}

void Console::info(std::string_view arguments) {
  std::string_view word = take_word(arguments);
  std::vector<std::string_view> names;
  const InfoRow* found = nullptr;
  for (const InfoRow& row : info_rows()) {
    names.push_back(row.name);
    if (found == nullptr && !word.empty() && row.name.starts_with(word)) found = &row;
  }
  if (found == nullptr) {
    std::string hint = word.empty() ? "" : did_you_mean(word, names);
    return print_(fmt::format("info takes one of: {}{}{}\n", fmt::join(names, ", "), hint.empty() ? "" : "; ", hint));
  }
  if (found->needs_launch && debugger_ == nullptr) return print_("the program is not being run; `run` begins it\n");
  (this->*found->execute)(arguments);
}

void Console::quit(std::string_view) { next_ = Next::Quit; }

}  // namespace warptime::debug
