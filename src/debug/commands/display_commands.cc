// What each stop shows besides the line: expressions (`display`), and a window of the source (`layout`).
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/parse_number.h"
#include "debug/commands/console.h"

namespace warptime::debug {

namespace {

constexpr uint32_t kRows = 15;      // of a window
constexpr uint32_t kRowsSplit = 9;  // of each of two

}  // namespace

std::string Console::displayed_text(const Displayed& of) {
  const auto lane = thread();
  if (!lane) return {};
  const ExpressionResult result = evaluate(of.expression, *lane);
  if (!result.error.empty()) return fmt::format("{}: {}: {}\n", of.number, of.expression, result.error);
  if (!of.shown.all)
    return fmt::format("{}: {} = {}\n", of.number, of.expression, shown_text(*lane, result, of.shown.format));
  return fmt::format("{}: {}\n{}", of.number, of.expression, all_lanes(of.expression, of.shown.format).value_or(""));
}

std::string Console::all_displayed() {
  std::string out;
  for (const Displayed& each : displayed_) out += displayed_text(each);
  return out;
}

void Console::display(std::string_view arguments) {
  const auto lane = thread();
  if (!lane) return;
  const auto shown = take_format(arguments);
  if (!shown) return;
  const std::string_view text = trimmed(arguments);
  if (text.empty())
    return print_(displayed_.empty() ? "nothing is displayed; `display EXPRESSION` adds it\n" : all_displayed());
  if (failed(check_names(text, *lane), text)) return;
  displayed_.push_back({next_display_++, std::string(text), *shown});
  print_(displayed_text(displayed_.back()));
}

void Console::undisplay(std::string_view arguments) {
  if (trimmed(arguments).empty()) displayed_.clear();
  while (!trimmed(arguments).empty()) {
    const std::string_view word = take_word(arguments);
    uint32_t number = 0;
    const bool is_number = parse_number(word, number) == NumberError::Ok;
    if (!is_number || std::erase_if(displayed_, [&](const Displayed& each) { return each.number == number; }) == 0)
      print_(fmt::format("nothing is displayed as {}; `display` lists what is\n", word));
  }
}

void Console::layout(std::string_view arguments) {
  const std::string_view word = take_word(arguments);
  const auto lane = thread();
  if (!lane) return;
  if (word == "src") layout_ = Layout::Source;
  else if (word == "ptx" || word == "asm") layout_ = Layout::Ptx;
  else if (word == "split") layout_ = Layout::Split;
  else if (word == "off") layout_ = Layout::Off;
  else return print_("layout takes src, ptx, split or off\n");
  print_(place_shown(lane->pc()));
}

std::string Console::place_shown(uint32_t pc) {
  KernelNames& names = debugger_->names();
  const Line line = names.line_of(pc), ptx = names.ptx_line(pc);
  switch (layout_) {
    case Layout::Off: break;
    case Layout::Source: return window_text(line.file, line, kRows);
    case Layout::Ptx: return window_text(0, ptx, kRows);
    case Layout::Split:
      if (line.file == 0) return window_text(0, ptx, kRows);
      return window_text(line.file, line, kRowsSplit) + window_text(0, ptx, kRowsSplit);
  }
  return source_text(pc);
}

/// The line in the middle; how many resident warps are at each line, and its breakpoints.
std::string Console::window_text(uint32_t file, Line here, uint32_t rows) {
  KernelNames& names = debugger_->names();
  std::map<uint32_t, uint32_t> warps;  // by line
  debugger_->for_each_warp([&](const WarpPlace& place) {
    const uint32_t pc = debugger_->session().sm(place.sm)->warp(place.slot).stack.pc();
    const Line at = file == 0 ? names.ptx_line(pc) : names.cuda_line(pc);
    if (at.file == file) ++warps[at.number];
  });
  auto has_break = [&](uint32_t number) {
    return std::any_of(settings_.points.begin(), settings_.points.end(), [&](const Point& point) {
      if (point.kind != Point::Kind::Line) return false;
      Line line{point.file.empty() ? 0 : names.find_file(point.file).value_or(~0u), point.line};
      return line.file == file && !names.places(line).empty() && line.number == number;
    });
  };
  const uint32_t lines = names.line_count(file);
  const uint32_t last = std::min(lines, std::max(rows, here.number + rows / 2));
  std::string out = fmt::format("    warps  {}\n", names.file_name(file));
  for (uint32_t number = last > rows ? last - rows + 1 : 1; number <= last; ++number) {
    auto count = warps.find(number);
    out += fmt::format("{}{} {:>5} {:>5}  {}\n", number == here.number ? "=>" : "  ", has_break(number) ? "b" : " ",
                       count == warps.end() ? "" : fmt::format("{}", count->second), number,
                       names.text_of({file, number}));
  }
  return out;
}

}  // namespace warptime::debug
