// Commands that look at the thread in focus: values, memory, source, calls.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/diagnostics.h"
#include "base/parse_number.h"
#include "debug/commands/console.h"
#include "debug/names/expression.h"

namespace warptime::debug {

namespace {

constexpr uint32_t kListed = 10;          // lines
constexpr uint64_t kMostExamined = 4096;  // elements

/// "1", "1,2" or "1,2,3", also in parentheses; what is missing is 0.
bool read_position(std::string_view text, std::array<uint32_t, 3>& out) {
  if (text.starts_with("(") && text.ends_with(")")) text = text.substr(1, text.size() - 2);
  out = {0, 0, 0};
  for (size_t i = 0; i < 3; ++i) {
    size_t comma = std::min(text.find(','), text.size());
    if (parse_number(text.substr(0, comma), out[i]) != NumberError::Ok) return false;
    if (comma == text.size()) return true;
    text = text.substr(comma + 1);
  }
  return false;
}

std::optional<uint64_t> linear(const std::array<uint32_t, 3>& at, const std::array<uint32_t, 3>& shape) {
  for (size_t i = 0; i < 3; ++i)
    if (at[i] >= shape[i]) return std::nullopt;
  return (uint64_t{at[2]} * shape[1] + at[1]) * shape[0] + at[0];
}

/// The type of the elements of an array of C, or of what a pointer points to; nullopt: it is not one number.
std::optional<ptx::Type> element_shown(const LaneView& lane, const ExpressionResult& result) {
  const CTypes& types = lane.names->c_names().types();
  const CType* is = &types[result.c_type];
  while (is->kind == CType::Kind::Array || is->kind == CType::Kind::Pointer) is = &types[is->target];
  return is->kind == CType::Kind::Scalar ? std::optional(is->scalar) : std::nullopt;
}

}  // namespace

void Console::cuda(std::string_view arguments) {
  auto lane = thread();
  if (!lane) return;
  if (trimmed(arguments).empty()) return print_(focus_text());
  uint64_t block = lane->sm->block_of(lane->warp()).index;
  uint64_t in_block = uint64_t{lane->warp().index_in_block} * sim::kWarpSize + lane->lane;
  uint32_t sm = lane->sm->index(), slot = lane->slot, in_warp = lane->lane;
  bool by_block = false, by_sm = false;
  while (!trimmed(arguments).empty()) {
    std::string_view word = take_word(arguments), value = take_word(arguments);
    std::array<uint32_t, 3> at{};
    uint32_t number = 0;
    if (word == "block" || word == "thread") {
      const auto& shape = word == "block" ? debugger_->launch().grid : debugger_->launch().block;
      auto index = read_position(value, at) ? linear(at, shape) : std::nullopt;
      if (!index)
        return print_(fmt::format("\"{}\" is not a {} of {}x{}x{}\n", value, word, shape[0], shape[1], shape[2]));
      (word == "block" ? block : in_block) = *index;
      by_block = true;
    } else if (word == "sm" || word == "warp" || word == "lane") {
      if (parse_number(value, number) != NumberError::Ok) return print_(fmt::format("{} takes a number\n", word));
      (word == "sm" ? sm : word == "warp" ? slot : in_warp) = number;
      by_sm = true;
    } else {
      std::string hint = did_you_mean(word, {"block", "thread", "sm", "warp", "lane"});
      return print_(fmt::format("cuda takes block, thread, sm, warp or lane, not \"{}\"{}{}\n", word,
                                hint.empty() ? "" : "; ", hint));
    }
  }
  if (by_block && by_sm) return print_("cuda takes block and thread, or sm, warp and lane\n");
  if (by_block) {
    auto found = debugger_->find_block(block, static_cast<uint32_t>(in_block / sim::kWarpSize));
    if (!found) return print_("this thread is not resident at this cycle; `info blocks` lists the blocks that are\n");
    debugger_->set_focus(found->sm, found->slot, static_cast<uint32_t>(in_block % sim::kWarpSize));
  } else {
    const sim::SmState* state = sm < debugger_->sms() ? debugger_->session().sm(sm) : nullptr;
    bool is_there = state != nullptr && slot < state->warp_slots() && state->warp(slot).resident &&
                    !state->warp(slot).stack.done() && in_warp < sim::kWarpSize;
    if (!is_there) return print_(fmt::format("SM {} has no warp {} with a lane {} now\n", sm, slot, in_warp));
    debugger_->set_focus(sm, slot, in_warp);
  }
  listed_to_ = std::nullopt;
  frame_ = 0;
  print_(focus_text() + place_shown(debugger_->focus().pc()));
}

std::optional<Console::Shown> Console::take_format(std::string_view& arguments) {
  Shown out;
  arguments = trimmed(arguments);
  if (!arguments.starts_with("/")) return out;
  const std::string_view option = take_word(arguments).substr(1);
  out.all = option == "all";
  if (out.all) return out;
  if (option.size() == 1 && std::string_view(kFormats).find(option[0]) != std::string_view::npos) {
    out.format = option[0];
    return out;
  }
  print_(fmt::format("\"/{}\" is not a format; /all, or one of {}\n", option, kFormats));
  return std::nullopt;
}

void Console::print_value(std::string_view arguments) {
  auto lane = thread();
  if (!lane) return;
  const auto shown = take_format(arguments);
  if (!shown) return;
  std::string_view text = trimmed(arguments);
  if (text.empty()) return print_("print takes an expression: print %r1 + 1\n");
  if (shown->all) {
    if (auto lanes = all_lanes(text, shown->format)) print_(*lanes);
    return;
  }
  ExpressionResult result = evaluate(text, *lane);
  if (failed(result, text)) return;
  print_(fmt::format("${} = {}\n", ++values_, shown_text(*lane, result, shown->format)));
}

/// Eight to a row; lanes that are not active in parentheses.
std::optional<std::string> Console::all_lanes(std::string_view text, char format) {
  LaneView lane = *thread();
  std::array<std::string, sim::kWarpSize> cells;
  size_t width = 1;
  for (lane.lane = 0; lane.lane < sim::kWarpSize; ++lane.lane) {
    std::string& cell = cells[lane.lane];
    if (((lane.warp().stack.live() >> lane.lane) & 1) == 0) {
      cell = "-";
      continue;
    }
    ExpressionResult result = evaluate(text, lane);
    if (failed(result, text)) return std::nullopt;
    cell = shown_text(lane, result, format);
    if (!lane.is_active()) cell = "(" + cell + ")";
    width = std::max(width, cell.size());
  }
  std::string out;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i % 8 == 0) out += fmt::format("lane {:>2}:", i);
    out += fmt::format(" {:>{}}{}", cells[i], width, i % 8 == 7 ? "\n" : "");
  }
  return out;
}

void Console::examine(std::string_view arguments) {
  auto lane = thread();
  if (!lane) return;
  uint64_t count = 1;
  char format = 0;
  std::optional<ptx::Type> type;
  if (arguments.starts_with("/")) {
    std::string_view option = take_word(arguments).substr(1);
    size_t digits = std::min(option.find_first_not_of("0123456789"), option.size());
    if (digits > 0 &&
        (parse_number(option.substr(0, digits), count) != NumberError::Ok || count == 0 || count > kMostExamined))
      return print_(fmt::format("x shows 1 to {} elements\n", kMostExamined));
    option = option.substr(digits);
    if (!option.empty() && std::string_view(kFormats).find(option[0]) != std::string_view::npos &&
        !ptx::type_named(option)) {
      format = option[0];
      option = option.substr(1);
    }
    if (!option.empty()) type = ptx::type_named(option);
    if ((!option.empty() && !type) || (type && (ptx::bytes(*type) == 0 || ptx::bytes(*type) > 8)))
      return print_(fmt::format("\"{}\" is not a format or a type; x/8xb32 %rd1, x/4f32 %rd1\n", option));
  }
  std::string_view text = trimmed(arguments);
  if (text.empty()) return print_("x takes an address: x/4f32 %rd1\n");
  ExpressionResult result = evaluate(text, *lane);
  if (failed(result, text)) return;
  AddressMeant meant = address_meant(*lane, result);
  if (!type && result.address && result.c_type == 0) type = result.value.type;
  if (!type) type = element_shown(*lane, result);
  if (!type) type = format == 'f' ? ptx::Type::F32 : ptx::Type::B32;
  if (format == 0 && ptx::info(*type).kind == ptx::TypeKind::Bits) format = 'x';
  Addr at = meant.address;
  const uint32_t bytes = ptx::bytes(*type), per_line = std::max(1u, 16 / bytes);
  std::string out;
  for (uint64_t i = 0; i < count; ++i, at += bytes) {
    auto value = read_value(*lane, meant.space, at, *type);
    if (i % per_line == 0) out += fmt::format("{}0x{:x}:", i == 0 ? "" : "\n", at);
    if (!value) {
      out += "  cannot be read";
      break;
    }
    out += fmt::format("  {}", format_value(*value, format));
  }
  print_(out + "\n");
}

void Console::list(std::string_view arguments) {
  KernelNames& names = debugger_->names();
  bool native = settings_.native;
  if (arguments.starts_with("/")) {
    std::string_view option = take_word(arguments);
    if (option != "/native") return print_(fmt::format("list takes /native, not \"{}\"\n", option));
    native = true;
  }
  std::string_view text = trimmed(arguments);
  Line from;
  LaneView lane = debugger_->focus();
  if (lane.sm != nullptr && frame_ > 0) lane = *thread();
  const Line current = names.line_of(lane.sm == nullptr ? 0 : lane.pc());
  if (!text.empty()) {
    auto place = read_line(text);
    if (!place) return;
    from = place->line;
  } else if (listed_to_) {
    from = *listed_to_;
  } else {
    from = current;
  }
  if (!listed_to_ || !text.empty()) from.number = from.number > kListed / 2 ? from.number - kListed / 2 : 1;
  const uint32_t lines = names.line_count(from.file);
  if (from.number > lines) return print_("the source ends here\n");
  const Line ptx = names.ptx_line(lane.sm == nullptr ? 0 : lane.pc());
  std::string out = fmt::format("{}\n", names.file_name(from.file));
  uint32_t number = from.number;
  for (; number <= lines && number < from.number + kListed; ++number) {
    bool is_here = Line{from.file, number} == current || Line{from.file, number} == ptx;
    out += fmt::format("{}{:>4}  {}\n", is_here ? "=>" : "  ", number, names.text_of({from.file, number}));
    if (native && from.file == 0) out += native_text(Line{0, number});
  }
  listed_to_ = Line{from.file, number};
  print_(out);
}

void Console::backtrace(std::string_view) {
  auto lane = thread();
  if (!lane) return;
  const sim::ControlFlow& stack = lane->warp().stack;
  auto row = [&](uint32_t frame, uint32_t pc) {
    return fmt::format("{}#{}  {}\n", frame_ != 0 && frame == frame_ ? "*" : "", frame, place_text(pc));
  };
  std::string out = row(0, stack.pc());
  for (uint32_t call = 0; call < stack.calls(); ++call) out += row(call + 1, stack.caller(call));
  print_(out);
}

}  // namespace warptime::debug
