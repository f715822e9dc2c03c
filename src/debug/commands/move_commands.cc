// Commands that move through time, and what is shown when the launch stands again.
#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostics.h"
#include "base/parse_number.h"
#include "debug/commands/console.h"
#include "debug/names/expression.h"

namespace warptime::debug {

namespace {

/// Lines, each ended, by two blanks to the right.
std::string indented(std::string_view lines) {
  std::string out = "  ";
  for (char c : lines) out += c == '\n' ? "\n  " : std::string(1, c);
  return out + "\n";
}

}  // namespace

std::string Console::place_text(uint32_t pc) {
  KernelNames& names = debugger_->names();
  Line line = names.line_of(pc);
  std::string out = names.function_of(pc) + " at ";
  // Where the CUDA source is not on this host, lines are those of the PTX.
  if (const Line cuda = names.cuda_line(pc); line.file == 0 && cuda.number != 0)
    out += fmt::format("{}:{}, ", names.file_name(cuda.file), cuda.number);
  return out + fmt::format("{}:{}", names.file_name(line.file), line.number);
}

/// The line of the source, and the instruction.
std::string Console::source_text(uint32_t pc) {
  KernelNames& names = debugger_->names();
  Line line = names.line_of(pc), ptx = names.ptx_line(pc);
  std::string out;
  if (line.file != 0) out = fmt::format("{}\t{}\n", line.number, names.text_of(line));
  out += fmt::format("{}:{}\t{}\n", names.file_name(0), ptx.number, names.instruction_text(pc));
  return settings_.native ? out + native_text(pc) : out;
}

std::string Console::native_text(uint32_t pc) {
  std::string line = native_view().line(pc);
  return line.empty() ? line : fmt::format("\t  {}\n", line);
}

std::string Console::native_text(Line ptx) {
  std::string out;
  const std::vector<host::NativeRow>& rows = native_view().rows();
  for (uint32_t pc = 0; pc < rows.size(); ++pc)
    if (rows[pc].line == ptx.number) out += native_text(pc);
  return out;
}

const host::NativeView& Console::native_view() {
  if (!native_) native_.emplace(debugger_->names().compiled(), debugger_->machine());
  return *native_;
}

std::string Console::focus_text() {
  LaneView lane = debugger_->focus();
  return fmt::format("[SM {}, warp {}, lane {}, block {}, thread {}]\n", lane.sm->index(), lane.slot, lane.lane,
                     block_text(lane), thread_text(lane));
}

void Console::show(const Stop& stop) {
  std::string out;
  listed_to_ = std::nullopt;
  frame_ = 0;
  LaneView lane = debugger_->focus();
  switch (stop.kind) {
    case Stop::Kind::Begin:
      out = fmt::format("The beginning of launch {}, kernel {}\n", debugger_->launch_number(),
                        debugger_->names().kernel_name());
      break;
    case Stop::Kind::Points:
      for (size_t i = 0; i < stop.hits.size(); ++i) {
        const Hit& hit = stop.hits[i];
        bool is_first = std::find_if(stop.hits.begin(), stop.hits.end(), [&](const Hit& other) {
                          return other.number == hit.number;
                        }) == stop.hits.begin() + static_cast<ptrdiff_t>(i);
        if (hit.number == 0 || !is_first) continue;
        auto count = std::count_if(stop.hits.begin(), stop.hits.end(),
                                   [&](const Hit& other) { return other.number == hit.number; });
        out += fmt::format("{}, {}, cycle {}{}\n", point_name(hit.number), place_text(hit.pc), debugger_->now(),
                           count > 1 ? fmt::format(", {} warps", count) : "");
        if (!hit.detail.empty()) out += indented(hit.detail);
      }
      break;
    case Stop::Kind::Step:
      if (stop.warp_ended)
        out = fmt::format("The warp in focus has ended{}\n", lane.sm == nullptr ? "" : "; another one is in focus now");
      break;
    case Stop::Kind::Fault: out = sim::format_fault(*stop.fault); break;
    case Stop::Kind::End:
      return print_(fmt::format("Launch {}, kernel {}, ended after {} cycles\n", debugger_->launch_number(),
                                debugger_->names().kernel_name(), debugger_->replay().statistics().cycles));
    case Stop::Kind::Interrupted: out = "Interrupted\n"; break;
  }
  if (lane.sm == nullptr) return print_(out + fmt::format("cycle {}: no warp is resident\n", debugger_->now()));
  if (stop.kind != Stop::Kind::Points) out += fmt::format("cycle {}, {}\n", debugger_->now(), place_text(lane.pc()));
  print_(out + focus_text() + place_shown(lane.pc()) + all_displayed());
}

void Console::resume(std::string_view) {
  has_run_ = true;
  if (debugger_->ended()) {
    next_ = Next::Launch;
    return;
  }
  Stop stop = debugger_->run();
  if (debugger_->is_left_at(stop)) next_ = Next::Launch;
  if (next_ == Next::Command || stop.kind == Stop::Kind::End) show(stop);
}

void Console::begin_anew(std::string_view arguments) {
  if (has_run_ || debugger_ == nullptr) next_ = Next::Restart;
  else resume(arguments);
}

void Console::step_instructions(std::string_view arguments) {
  if (auto count = count_of(take_word(arguments), "instructions")) show(debugger_->step_instructions(*count));
}
void Console::step_into(std::string_view) { show(debugger_->step_line(Debugger::Calls::Into)); }
void Console::step_over(std::string_view) { show(debugger_->step_line(Debugger::Calls::Over)); }

void Console::finish(std::string_view) {
  auto lane = thread();
  if (!lane) return;
  if (lane->warp().stack.calls() == 0) return print_("the warp in focus is not in a device function\n");
  show(debugger_->step_line(Debugger::Calls::Out));
}

void Console::until(std::string_view arguments) {
  auto place = place_of(trimmed(arguments));
  if (!place || !thread()) return;
  std::vector<uint32_t> places = debugger_->names().places(place->line);
  show(debugger_->until([places](uint32_t pc) { return std::find(places.begin(), places.end(), pc) != places.end(); }));
}

void Console::advance(std::string_view arguments) {
  if (std::string_view word = take_word(arguments); word != "barrier")
    return print_("advance takes the word barrier\n");
  if (!thread()) return;
  const auto& insns = debugger_->names().compiled().insns;
  show(debugger_->until([&insns](uint32_t pc) { return insns[pc].effect == ptx::Effect::Barrier; }));
}

void Console::cycles(std::string_view arguments) {
  if (auto count = count_of(take_word(arguments), "cycles"))
    show(debugger_->run(*count < kNever - debugger_->now() ? debugger_->now() + *count : kNever));
}

void Console::go_to(std::string_view arguments) {
  std::string_view word = take_word(arguments);
  uint64_t cycle = 0;
  if (word == "cycle") word = take_word(arguments);
  if (parse_number(word, cycle) != NumberError::Ok) return print_("goto takes a cycle: goto cycle 1000\n");
  show(debugger_->go_to(cycle));
}

void Console::reverse_stepi(std::string_view arguments) {
  if (auto count = count_of(take_word(arguments), "instructions")) show(debugger_->step_back_instructions(*count));
}
void Console::reverse_step(std::string_view) { show(debugger_->step_back_line(Debugger::Calls::Into)); }
void Console::reverse_next(std::string_view) { show(debugger_->step_back_line(Debugger::Calls::Over)); }

void Console::reverse_finish(std::string_view) {
  auto lane = thread();
  if (!lane) return;
  if (lane->warp().stack.calls() == 0) return print_("the warp in focus is not in a device function\n");
  show(debugger_->step_back_line(Debugger::Calls::Out));
}
void Console::reverse_continue(std::string_view) { show(debugger_->run_back()); }

void Console::last_write(std::string_view arguments) {
  auto lane = thread();
  if (!lane) return;
  std::string_view text = trimmed(arguments);
  if (text.empty()) return print_("last-write takes a register, or memory in brackets\n");
  auto reg = text.starts_with("%") ? debugger_->names().find_register(text, lane->pc()) : std::nullopt;
  if (!reg && !text.starts_with("%")) reg = evaluate(text, *lane).reg;
  if (reg) {
    auto is_write = [&](const ExecutedInstruction& e) {
      return debugger_->names().writes(e.pc, *reg) && ((e.lanes >> lane->lane) & 1) != 0;
    };
    auto past = debugger_->past([&](const auto& known) { return std::any_of(known.begin(), known.end(), is_write); });
    auto wrote = std::find_if(past.rbegin(), past.rend(), is_write);
    if (wrote == past.rend()) return print_(fmt::format("nothing has written {} of this thread yet\n", text));
    return print_(fmt::format("{} was written in cycle {} by the warp in focus, {}\n{}", text, wrote->cycle,
                              place_text(wrote->pc), source_text(wrote->pc)));
  }
  ExpressionResult result = evaluate(text, *lane);
  if (failed(result, text)) return;
  if (!result.address) return print_("last-write takes a register, or memory in brackets: last-write f32 [%rd1]\n");
  uint32_t bytes = std::max(1u, ptx::bytes(result.value.type));
  auto hit = debugger_->last_write(result.space, *result.address, bytes);
  if (!hit) return print_(fmt::format("no instruction of this launch has written 0x{:x} yet\n", *result.address));
  auto block = position_of(hit->block, debugger_->launch().grid);
  print_(fmt::format("{} in cycle {}: block {}, SM {}, warp {}, lane {}, {}\n{}", hit->detail, hit->issue,
                     position_text(block), hit->sm, hit->slot, hit->lane, place_text(hit->pc), source_text(hit->pc)));
}

}  // namespace warptime::debug
