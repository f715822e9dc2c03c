// Commands that set, change and delete stops.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/diagnostics.h"
#include "base/parse_number.h"
#include "debug/commands/console.h"
#include "debug/names/expression.h"
#include "ptx/user/demangle.h"

namespace warptime::debug {

namespace {

/// "71 if %r1 == 2" -> the part before the condition; `condition` is the rest.
std::string_view split_condition(std::string_view text, std::optional<std::string>& condition) {
  text = trimmed(text);
  for (size_t at = 0; (at = text.find("if", at)) != std::string_view::npos; ++at) {
    bool begins = at == 0 || text[at - 1] == ' ', ends = at + 2 == text.size() || text[at + 2] == ' ';
    if (!begins || !ends) continue;
    condition = std::string(trimmed(text.substr(at + 2)));
    return trimmed(text.substr(0, at));
  }
  return text;
}

std::string_view noun_of(const Point& point) {
  switch (point.kind) {
    case Point::Kind::Line: return "Breakpoint";
    case Point::Kind::Launch: return point.file.empty() ? "Catchpoint" : "Breakpoint";
    case Point::Kind::Register:
    case Point::Kind::Memory: return "Watchpoint";
    case Point::Kind::Stall:
    case Point::Kind::Divergence:
    case Point::Kind::Barrier:
    case Point::Kind::Finding:
    case Point::Kind::End: break;
  }
  return "Catchpoint";
}

}  // namespace

std::optional<Console::Place> Console::read_line(std::string_view text) {
  KernelNames& names = debugger_->names();
  Place place;
  size_t colon = text.rfind(':');
  std::string_view digits = colon == std::string_view::npos ? text : text.substr(colon + 1);
  if (colon != std::string_view::npos) place.file = std::string(text.substr(0, colon));
  uint32_t number = 0;
  if (parse_number(digits, number) != NumberError::Ok || number == 0) {
    print_(fmt::format("\"{}\" is not a line: a number, or FILE:NUMBER\n", text));
    return std::nullopt;
  }
  if (colon == std::string_view::npos) {  // of the file on screen
    LaneView lane = debugger_->focus();
    const uint32_t shown = listed_to_ ? listed_to_->file : names.line_of(lane.sm == nullptr ? 0 : lane.pc()).file;
    if (shown != 0) place.file = names.module().files[shown];
    if (const uint32_t lines = names.line_count(shown); shown != 0 && number > lines) {
      print_(fmt::format("{} has {} lines; `{}:{}` is a line of the PTX\n", names.file_name(shown), lines,
                         names.file_name(0), number));
      return std::nullopt;
    }
  }
  auto file = place.file.empty() ? std::optional<uint32_t>(0) : names.find_file(place.file);
  if (!file) {
    std::vector<std::string> known{names.file_name(0)};
    for (uint32_t i = 1; i < names.module().files.size(); ++i) known.push_back(names.file_name(i));
    std::vector<std::string_view> views(known.begin(), known.end());
    std::string hint = did_you_mean(place.file, views);
    print_(fmt::format("the module has no file \"{}\"; {}\n", place.file,
                       hint.empty() ? fmt::format("its files: {}", fmt::join(known, ", ")) : hint));
    return std::nullopt;
  }
  place.line = {*file, number};
  return place;
}

std::optional<Console::Place> Console::place_of(std::string_view text) {
  KernelNames& names = debugger_->names();
  auto place = read_line(text);
  if (!place || !names.places(place->line).empty()) return place;
  print_(fmt::format("kernel {} has no instruction at {}:{} or after it\n", names.kernel_name(),
                     names.file_name(place->line.file), place->line.number));
  return std::nullopt;
}

/// "Breakpoint 3"; of one that is deleted by now, too.
std::string Console::point_name(uint32_t number) {
  const Point* point = settings_.find(number);
  return fmt::format("{} {}", noun_of(point == nullptr ? Point{} : *point), number);
}

/// Sets a point with the condition after `if`; nullptr, and a message, if nothing follows it.
Point* Console::set(Point point, const std::optional<std::string>& condition) {
  if (condition && condition->empty()) {
    print_("an expression is missing after `if`\n");
    return nullptr;
  }
  point.condition = condition.value_or("");
  if (!can_be_condition(point.condition)) return nullptr;
  return &settings_.add(std::move(point));
}

/// Prints what is wrong with a condition, as far as it is known before it is tested.
bool Console::can_be_condition(const std::string& text) {
  if (text.empty() || debugger_ == nullptr) return true;
  LaneView lane = debugger_->focus();
  return lane.sm == nullptr || !failed(check_names(text, lane), text);
}

void Console::set_break(std::string_view arguments) { add_break(arguments, false); }
void Console::set_temporary_break(std::string_view arguments) { add_break(arguments, true); }

void Console::add_break(std::string_view arguments, bool temporary) {
  Point point{.temporary = temporary};
  std::optional<std::string> condition;
  std::string_view where = split_condition(arguments, condition);
  KernelNames& names = debugger_->names();
  point.text = std::string(where);
  if (where.empty()) return print_("break takes a line or a kernel: break 71, break matmul.cu:12, break tiled_16\n");
  if (const std::vector<const ptx::Kernel*> kernels = ptx::kernels_named(names.module(), where); !kernels.empty()) {
    if (kernels.size() > 1) {
      const ptx::KernelNameError error = ptx::kernel_name_error(names.module(), where);
      return print_(fmt::format("{} {}\n", error.message, error.hint));
    }
    point.kind = Point::Kind::Launch;
    point.file = kernels.front()->name;
    if (condition) return print_("a breakpoint at a kernel's launch takes no condition\n");
    Point& added = settings_.add(std::move(point));
    return print_(fmt::format("{} at launches of kernel {}\n", point_name(added.number), where));
  }
  if (where.find_first_of("0123456789") == std::string_view::npos) {
    std::vector<std::string_view> known;
    std::vector<std::string> shorts;
    for (const ptx::Kernel& kernel : names.module().kernels) shorts.push_back(ptx::short_name(kernel.name));
    known.assign(shorts.begin(), shorts.end());
    std::string hint = did_you_mean(where, known);
    return print_(fmt::format("no line or kernel is named \"{}\"{}{}\n", where, hint.empty() ? "" : "; ", hint));
  }
  auto place = place_of(where);
  if (!place) return;
  point.file = place->file;
  if (where.find(':') == std::string_view::npos)
    point.text = fmt::format("{}:{}", names.file_name(place->line.file), where);
  uint32_t asked = 0;
  parse_number(where.substr(where.rfind(':') + 1), asked);
  point.line = asked;
  std::vector<uint32_t> places = names.places(place->line);
  const Point* added = set(std::move(point), condition);
  if (added == nullptr) return;
  std::string moved;
  if (asked != place->line.number)
    moved =
        fmt::format("; {}:{} has no instruction of {}", names.file_name(place->line.file), asked, names.kernel_name());
  print_(fmt::format("{} at {}:{}{}{}\n", point_name(added->number), names.file_name(place->line.file),
                     place->line.number, places.size() > 1 ? fmt::format(", {} places", places.size()) : "", moved));
}

void Console::watch_writes(std::string_view arguments) { add_watch(arguments, false, true); }
void Console::watch_reads(std::string_view arguments) { add_watch(arguments, true, false); }
void Console::watch_accesses(std::string_view arguments) { add_watch(arguments, true, true); }

void Console::add_watch(std::string_view arguments, bool reads, bool writes) {
  auto lane = thread();
  if (!lane) return;
  Point point{.reads = reads, .writes = writes};
  std::optional<std::string> condition;
  std::string_view what = split_condition(arguments, condition);
  point.text = std::string(what);
  point.block = lane->sm->block_of(lane->warp()).index;
  point.warp = lane->warp().index_in_block;
  point.lane = lane->lane;
  if (what.empty()) return print_("watch takes a register, or memory in brackets: watch f32 [%rd1]\n");
  std::string_view rest = what, first = take_word(rest);
  if (what.starts_with("%") && (rest.empty() || rest == "warp")) {
    if (!debugger_->names().find_register(first, lane->pc())) {
      if (!failed(evaluate(first, *lane), first)) print_("no instruction changes a special register\n");
      return;
    }
    if (reads) return print_("the reads of a register cannot be watched\n");
    point.kind = Point::Kind::Register;
    point.name = std::string(first);
    if (rest == "warp") point.lane = std::nullopt;
    if (const Point* added = set(std::move(point), condition); added != nullptr)
      print_(fmt::format("{}: changes of {} of {}\n", point_name(added->number), first,
                         rest == "warp" ? "this warp" : fmt::format("thread {}", thread_text(*lane))));
    return;
  }
  ExpressionResult result = evaluate(what, *lane);
  if (failed(result, what)) return;
  if (result.reg && !reads) {  // a variable of C in a register
    point.kind = Point::Kind::Register;
    point.name = debugger_->names().kernel().registers[*result.reg].name;
    if (const Point* added = set(std::move(point), condition); added != nullptr)
      print_(fmt::format("{}: changes of {}, in {} of thread {}\n", point_name(added->number), what, added->name,
                         thread_text(*lane)));
    return;
  }
  if (!result.address) return print_("watch takes a register, or memory in brackets: watch f32 [%rd1]\n");
  point.kind = Point::Kind::Memory;
  point.space = result.space == ptx::Space::None ? ptx::Space::Global : result.space;
  point.address = *result.address;
  point.bytes = std::max(1u, ptx::bytes(result.value.type));
  if (result.c_type != 0)
    point.bytes = static_cast<uint32_t>(debugger_->names().c_names().types()[result.c_type].bytes);
  if (const Point* added = set(std::move(point), condition); added != nullptr)
    print_(fmt::format("{}: {} of {} bytes at 0x{:x}\n", point_name(added->number),
                       !writes ? "reads"
                       : reads ? "reads and writes"
                               : "writes",
                       added->bytes, added->address));
}

void Console::set_catch(std::string_view arguments) {
  std::string_view word = take_word(arguments);
  Point point{.text = std::string(word)};
  if (word == "stall") {
    std::string_view reason = take_word(arguments), least = take_word(arguments);
    std::vector<std::string_view> known;
    size_t found = sim::kStallCount;
    for (size_t i = 0; i < sim::kStallCount; ++i) {
      known.push_back(sim::kStalls[i].key);
      if (sim::kStalls[i].key == reason) found = i;
    }
    auto begins = [&](std::string_view key) { return !reason.empty() && key.starts_with(reason); };
    if (found == sim::kStallCount && std::count_if(known.begin(), known.end(), begins) == 1)
      found = static_cast<size_t>(std::find_if(known.begin(), known.end(), begins) - known.begin());
    if (found == sim::kStallCount) {
      std::string hint = did_you_mean(reason, known);
      return print_(
          fmt::format("\"{}\" is not a stall reason; {}\n", reason, hint.empty() ? "`help catch` lists them" : hint));
    }
    auto cycles = count_of(least, "cycles");
    if (!cycles) return;
    point.kind = Point::Kind::Stall;
    point.reason = static_cast<sim::Stall>(found);
    point.at_least = *cycles;
    point.text = fmt::format("stall {} {}", known[found], *cycles);
  } else if (word == "divergence") {
    point.kind = Point::Kind::Divergence;
  } else if (word == "barrier") {
    point.kind = Point::Kind::Barrier;
  } else if (word == "finding") {
    if (!settings_.has_checkers) return print_(kNoCheckers);
    point.kind = Point::Kind::Finding;
  } else if (word == "launch") {
    point.kind = Point::Kind::Launch;
  } else if (word == "end") {
    point.kind = Point::Kind::End;
  } else if (word == "fault") {
    return print_("faults always stop the launch\n");
  } else {
    std::string hint = did_you_mean(word, {"stall", "divergence", "barrier", "finding", "launch", "end", "fault"});
    return print_(fmt::format("catch takes stall REASON [CYCLES], divergence, barrier, finding, launch or end{}{}\n",
                              hint.empty() ? "" : "; ", hint));
  }
  Point& added = settings_.add(std::move(point));
  print_(fmt::format("{}: {}\n", point_name(added.number), added.text));
}

void Console::set_condition(std::string_view arguments) {
  std::string_view word = take_word(arguments);
  uint32_t number = 0;
  Point* point = parse_number(word, number) == NumberError::Ok ? settings_.find(number) : nullptr;
  if (point == nullptr) return print_(fmt::format("there is no breakpoint {}; `info break` lists them\n", word));
  if (point->kind == Point::Kind::Launch || point->kind == Point::Kind::End)
    return print_("a breakpoint at a launch takes no condition\n");
  std::string condition(trimmed(arguments));
  if (!can_be_condition(condition)) return;
  point->condition = std::move(condition);
  print_(point->condition.empty() ? fmt::format("{}: condition removed\n", point_name(number))
                                  : fmt::format("{} only if {}\n", point_name(number), point->condition));
}

void Console::delete_points(std::string_view arguments) {
  if (trimmed(arguments).empty()) {
    print_(fmt::format("{} deleted\n", settings_.points.size()));
    return settings_.points.clear();
  }
  while (!trimmed(arguments).empty()) {
    std::string_view word = take_word(arguments);
    uint32_t number = 0;
    bool is_number = parse_number(word, number) == NumberError::Ok;
    if (!is_number || std::erase_if(settings_.points, [&](const Point& p) { return p.number == number; }) == 0)
      print_(fmt::format("there is no breakpoint {}; `info break` lists them\n", word));
  }
}

std::string Console::point_text(const Point& point) {
  switch (point.kind) {
    case Point::Kind::Line: return "line " + point.text;
    case Point::Kind::Register: return fmt::format("change of {}", point.text);
    case Point::Kind::Memory:
      return fmt::format("{} of {}", !point.writes ? "read" : point.reads ? "access" : "write", point.text);
    case Point::Kind::Launch: return point.file.empty() ? "every launch" : "launch of kernel " + point.file;
    case Point::Kind::Stall:
    case Point::Kind::Divergence:
    case Point::Kind::Barrier:
    case Point::Kind::Finding:
    case Point::Kind::End: break;
  }
  return point.text;
}

void Console::info_break(std::string_view) {
  if (settings_.points.empty()) return print_("no breakpoints, watchpoints or catchpoints are set\n");
  std::string out;
  for (const Point& point : settings_.points)
    out += fmt::format(
        "{:<14} {}{}{}{}\n", point_name(point.number), point_text(point),
        point.condition.empty() ? "" : fmt::format(" if {}", point.condition), point.temporary ? ", once" : "",
        point.hits == 0 ? "" : fmt::format(", reached {} time{}", point.hits, point.hits == 1 ? "" : "s"));
  print_(out);
}

}  // namespace warptime::debug
