// Commands about the thread in focus, the calls of its warp, and variables by their names in C.
#include <fmt/format.h>

#include "base/parse_number.h"
#include "debug/commands/console.h"
#include "debug/names/c_text.h"

namespace warptime::debug {

void Console::thread_command(std::string_view arguments) {
  if (!thread()) return;
  if (trimmed(arguments).empty()) return print_(focus_text());
  cuda("thread " + std::string(trimmed(arguments)));
}

void Console::show_frame() {
  const auto lane = thread();
  if (!lane) return;
  listed_to_ = std::nullopt;
  print_(fmt::format("#{}  {}\n{}", frame_, place_text(lane->pc()), place_shown(lane->pc())));
}

void Console::frame(std::string_view arguments) {
  const auto lane = thread();
  if (!lane) return;
  const std::string_view word = take_word(arguments);
  uint32_t number = frame_;
  const uint32_t calls = lane->warp().stack.calls();
  if (!word.empty() && (parse_number(word, number) != NumberError::Ok || number > calls))
    return print_(fmt::format("\"{}\" is not a frame of this warp: 0 to {}; `backtrace` lists them\n", word, calls));
  frame_ = number;
  show_frame();
}

void Console::frame_up(std::string_view) {
  const auto lane = thread();
  if (!lane) return;
  if (frame_ == lane->warp().stack.calls()) return print_("the kernel itself has no caller\n");
  ++frame_;
  show_frame();
}

void Console::frame_down(std::string_view) {
  if (!thread()) return;
  if (frame_ == 0) return print_("this is the innermost function\n");
  --frame_;
  show_frame();
}

std::string Console::variables_text(bool parameters) {
  const auto lane = thread();
  if (!lane) return {};
  const CNames& names = debugger_->names().c_names();
  std::string out;
  for (const CVariable* variable : names.visible(lane->line())) {
    if (variable->is_parameter != parameters || variable->is_of_module) continue;
    std::string why;
    const auto at = locate(*lane, *variable, &why);
    out += at ? fmt::format("{} = {}\n", variable->name, c_text(*lane, variable->type, *at))
              : fmt::format("{} {}\n", variable->name, why);
  }
  return out;
}

void Console::info_locals(std::string_view) {
  if (!thread()) return;
  std::string out = variables_text(false);
  if (!debugger_->names().c_names().has_locals())
    out += "the module has no names of local variables: compile it with nvcc -G; `info registers` shows registers\n";
  print_(out.empty() ? "the function has no variables here\n" : out);
}

void Console::info_args(std::string_view) {
  if (!thread()) return;
  const std::string out = variables_text(true);
  if (!out.empty()) return print_(out);
  const auto& kernel = debugger_->names().kernel();
  print_(kernel.parameters.empty() ? "the kernel has no parameters\n"
                                   : "the names of the parameters are in the CUDA source, which is not on this host; "
                                     "`info memory` lists them\n");
}

}  // namespace warptime::debug
