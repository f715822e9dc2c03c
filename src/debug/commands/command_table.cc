#include "debug/commands/command_table.h"

#include <fmt/format.h>

#include "debug/commands/console.h"

namespace warptime::debug {

// clang-format off
const std::vector<CommandRow>& command_rows() {
  static const std::vector<CommandRow> rows{
      {"continue", "c", "", "goes on until something stops the launch; at its end to the next launch", &Console::resume, true, true},
      {"run", "r", "", "begins the program anew; the first time, goes on", &Console::begin_anew, false},
      {"stepi", "si", "[N]", "steps N warp instructions of the warp in focus", &Console::step_instructions, true, true},
      {"step", "s", "", "steps to another source line of the warp in focus, also into a function", &Console::step_into, true, true},
      {"next", "n", "", "steps to another source line of the warp in focus, over calls", &Console::step_over, true, true},
      {"finish", "fin", "", "runs until the device function returns", &Console::finish, true},
      {"until", "u", "[FILE:]LINE", "runs until the warp in focus is at the line", &Console::until, true},
      {"advance", "", "barrier", "runs until the warp in focus is at a barrier", &Console::advance, true},
      {"cycle", "cy", "[N]", "runs N cycles of the shader clock", &Console::cycles, true, true},
      {"goto", "", "cycle N", "goes to the beginning of cycle N of the launch, forwards or backwards", &Console::go_to, true},
      {"reverse-stepi", "rsi", "[N]", "goes back N warp instructions of the warp in focus", &Console::reverse_stepi, true, true},
      {"reverse-step", "rs", "", "goes back to the beginning of a source line", &Console::reverse_step, true, true},
      {"reverse-next", "rn", "", "goes back to the beginning of a source line, over calls", &Console::reverse_next, true, true},
      {"reverse-finish", "rfin", "", "goes back to the call of the device function", &Console::reverse_finish, true},
      {"reverse-continue", "rc", "", "goes back to where something last stopped the launch, or to its beginning", &Console::reverse_continue, true, true},
      {"last-write", "lw", "REGISTER|EXPRESSION", "says which instruction wrote a register, or memory in brackets, last", &Console::last_write, true},
      {"break", "b", "[FILE:]LINE|KERNEL [if EXPRESSION]", "stops before a line executes, or when a kernel is launched", &Console::set_break, true},
      {"tbreak", "tb", "[FILE:]LINE|KERNEL [if EXPRESSION]", "the same, once", &Console::set_temporary_break, true},
      {"watch", "wa", "REGISTER [warp]|EXPRESSION [if EXPRESSION]", "stops after an instruction that changes a register, or writes memory in brackets", &Console::watch_writes, true},
      {"rwatch", "rw", "EXPRESSION [if EXPRESSION]", "stops after an instruction that reads memory in brackets", &Console::watch_reads, true},
      {"awatch", "aw", "EXPRESSION [if EXPRESSION]", "stops after an instruction that reads or writes it", &Console::watch_accesses, true},
      {"catch", "", "stall REASON [N]|divergence|barrier|finding|launch|end", "stops at such an event; of stalls, at waits of N cycles or more", &Console::set_catch, true},
      {"condition", "cond", "NUMBER [EXPRESSION]", "gives a breakpoint a condition, or takes it away", &Console::set_condition, false},
      {"delete", "d", "[NUMBER...]", "deletes breakpoints, watchpoints and catchpoints, or all of them", &Console::delete_points, false},
      {"info", "i", "WORD", "shows a part of the machine's state; `help info` lists the words", &Console::info, false},
      {"cuda", "", "[block X,Y,Z] [thread X,Y,Z] [sm N] [warp N] [lane N]", "shows the thread in focus, or moves the focus", &Console::cuda, true},
      {"thread", "", "[X[,Y[,Z]]]", "shows the thread in focus, or moves the focus to a thread of its block", &Console::thread_command, true},
      {"frame", "f", "[N]", "shows the function that values are of, or chooses a caller: 0 is the innermost", &Console::frame, true},
      {"up", "", "", "chooses the caller of the function that values are of", &Console::frame_up, true},
      {"down", "", "", "chooses the function that it calls", &Console::frame_down, true},
      {"print", "p", "[/FORMAT|/all] EXPRESSION", "evaluates an expression, or a register in all lanes", &Console::print_value, true},
      {"display", "disp", "[/FORMAT|/all] [EXPRESSION]", "prints an expression at each stop; alone: all such expressions now", &Console::display, true},
      {"undisplay", "und", "[NUMBER...]", "ends that, of all or of some expressions", &Console::undisplay, false},
      {"x", "", "[/COUNT FORMAT TYPE] EXPRESSION", "shows memory from an address on", &Console::examine, true},
      {"list", "l", "[/native] [[FILE:]LINE]", "shows source around a line, or what follows; /native: and below PTX what issues for it", &Console::list, true, true},
      {"layout", "la", "src|ptx|split|off", "shows a window of the source at each stop: CUDA, PTX or both", &Console::layout, true},
      {"backtrace", "bt", "", "shows the calls of the warp in focus", &Console::backtrace, true},
      {"help", "h", "[COMMAND]", "lists the commands, or describes one", &Console::help, false},
      {"quit", "q", "", "ends the debugger", &Console::quit, false},
  };
  return rows;
}

const std::vector<InfoRow>& info_rows() {
  static const std::vector<InfoRow> rows{
      {"break", "the breakpoints, watchpoints and catchpoints", &Console::info_break, false},
      {"launch", "the launch: kernel, grid, machine, cycle", &Console::info_launch},
      {"sms", "the SMs: blocks, warps, and the next issue of each", &Console::info_sms},
      {"blocks", "the resident blocks", &Console::info_blocks},
      {"warps", "the warps of the SM in focus: line, lanes, what each waits for", &Console::info_warps},
      {"lanes", "the lanes of the warp in focus", &Console::info_lanes},
      {"threads", "how many of the resident warps are at each line", &Console::info_threads},
      {"locals", "the shared arrays of the kernel and, of a module compiled with -G, the variables of the function", &Console::info_locals},
      {"args", "the parameters of the kernel, or of the function", &Console::info_args},
      {"registers", "the registers of the thread in focus that have a value", &Console::info_registers},
      {"fragments", "the matrices of the product (mma, wmma.mma) at which the warp in focus stands: a, b, c or d; with `lanes` where each element is, as lane:register or lane:register.element", &Console::info_fragments},
      {"line", "the source line and the instruction of the warp in focus", &Console::info_line},
      {"native", "what the machine issues for the PTX line in focus: unit, cycles, registers", &Console::info_native},
      {"stack", "the divergence of the warp in focus: who waits where", &Console::info_stack},
      {"barriers", "the barriers of the block in focus", &Console::info_barriers},
      {"scoreboard", "the registers of the warp in focus whose results are not ready", &Console::info_scoreboard},
      {"pipes", "until when each pipe of the SM in focus is busy", &Console::info_pipes},
      {"queues", "what is on its way to memory: of the SM in focus, and of each partition", &Console::info_queues},
      {"caches", "the caches of the SM in focus and the partitions; with an address, where its line is", &Console::info_caches},
      {"memory", "the buffers in device memory, and the variables of the kernel", &Console::info_memory},
      {"checkpoints", "the moments that are kept for going back", &Console::info_checkpoints},
      {"findings", "what the checkers found in this launch, and the cycles", &Console::info_findings},
  };
  return rows;
}
// clang-format on

std::vector<std::string> completions(std::string_view typed) {
  std::vector<std::string> out;
  size_t blank = typed.find(' ');
  auto add = [&](std::string_view before, std::string_view word, std::string_view part) {
    if (word.starts_with(part)) out.push_back(std::string(before) + std::string(word));
  };
  if (blank == std::string_view::npos) {
    for (const CommandRow& row : command_rows()) add("", row.name, typed);
    return out;
  }
  std::string_view command = typed.substr(0, blank), part = typed.substr(blank + 1),
                   before = typed.substr(0, blank + 1);
  const CommandRow* row = Console::find_command(command);
  if (row == nullptr) return out;
  if (row->name == "info")
    for (const InfoRow& info : info_rows()) add(before, info.name, part);
  if (row->name == "help")
    for (const CommandRow& other : command_rows()) add(before, other.name, part);
  if (row->name == "catch") {
    for (std::string_view word : {"stall ", "divergence", "barrier", "finding", "launch", "end"})
      add(before, word, part);
    for (const sim::StallInfo& stall : sim::kStalls) add(before, fmt::format("stall {}", stall.key), part);
  }
  if (row->name == "layout")
    for (std::string_view word : {"src", "ptx", "split", "off"}) add(before, word, part);
  if (row->name == "goto") add(before, "cycle ", part);
  if (row->name == "advance") add(before, "barrier", part);
  return out;
}

std::string command_page() {
  std::string out = "| command | short | what it does |\n|---|---|---|\n";
  for (const CommandRow& row : command_rows()) {
    std::string syntax = fmt::format("{}{}{}", row.name, row.arguments.empty() ? "" : " ", row.arguments);
    for (size_t at = 0; (at = syntax.find('|', at)) != std::string::npos; at += 2) syntax.insert(at, "\\");
    out += fmt::format("| `{}` | {} | {} |\n", syntax, row.letters.empty() ? "" : fmt::format("`{}`", row.letters),
                       row.what);
  }
  return out;
}

}  // namespace warptime::debug
