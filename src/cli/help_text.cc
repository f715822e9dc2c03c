#include "cli/help_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace warptime::cli {

namespace {

constexpr size_t kIndent = 2, kLongestSpelling = 28;

struct Heading {
  OptionGroup group;
  const char* title;
};
constexpr std::array kHeadings{
    Heading{OptionGroup::Target, "target and machine"}, Heading{OptionGroup::Own, "options"},
    Heading{OptionGroup::Simulation, "simulation"},     Heading{OptionGroup::PtxFile, "launch of a PTX file"},
    Heading{OptionGroup::Checkers, "checkers"},         Heading{OptionGroup::Checkpoints, "checkpoints"},
    Heading{OptionGroup::Parts, "shards and Slurm"}};

/// Lines of at most `columns` characters, broken at blanks only.
std::vector<std::string> wrapped(std::string_view text, size_t columns) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > columns) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// A row of two columns. A spelling that does not fit into its column has a line of its own.
std::string option_rows(const std::string& spelling, const std::string& what, size_t width) {
  const std::vector<std::string> lines = wrapped(what, kHelpColumns - kIndent - width - 2);
  std::string out;
  size_t next = 0;
  if (spelling.size() > width) out += fmt::format("{:{}}{}\n", "", kIndent, spelling);
  else out += fmt::format("{:{}}{:<{}}  {}\n", "", kIndent, spelling, width, lines[next++]);
  for (; next < lines.size(); ++next) out += fmt::format("{:{}}{}\n", "", kIndent + width + 2, lines[next]);
  return out;
}

/// Lines that follow each other are one paragraph; indented ones and empty ones stay as they are.
std::string paragraphs(std::string_view text) {
  std::string out, paragraph;
  auto finish = [&] {
    if (paragraph.empty()) return;
    for (const std::string& line : wrapped(paragraph, kHelpColumns)) out += line + "\n";
    paragraph.clear();
  };
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line[0] == ' ') {
      finish();
      out += std::string(line) + "\n";
    } else {
      paragraph += (paragraph.empty() ? "" : " ") + std::string(line);
    }
  }
  finish();
  return out;
}

/// A command line of any length, continued as a shell reads it.
std::string example_lines(const std::string& example) {
  std::string out;
  for (const std::string& line : wrapped(example, kHelpColumns - 8)) out += (out.empty() ? "  " : " \\\n      ") + line;
  return out + "\n";
}

}  // namespace

std::string option_spelling(const Option& option) {
  std::string out = option.letter == 0 ? "" : fmt::format("-{}, ", option.letter);
  out += "--" + option.name;
  switch (option.kind) {
    case Option::Kind::Flag: return out;
    case Option::Kind::OptionalValue: return out + fmt::format("[={}]", option.value.text);
    case Option::Kind::Value:
    case Option::Kind::Pair:
    case Option::Kind::Repeated: return out + " " + option.value.text;
  }
  return out;
}

std::string help_text(const Command& command) {
  std::string out =
      paragraphs(fmt::format("usage: warptime {} {}\n\n{}", command.name, command.usage, command.summary));
  if (!command.details.empty()) out += "\n" + paragraphs(command.details);
  size_t width = std::string_view("--help").size();
  for (const Option& option : command.options)
    if (size_t size = option_spelling(option).size(); size <= kLongestSpelling) width = std::max(width, size);
  for (const Heading& heading : kHeadings) {
    std::string rows;
    for (const Option& option : command.options)
      if (option.group == heading.group)
        rows += option_rows(option_spelling(option),
                            option.what + (option.kind == Option::Kind::Repeated ? " (repeatable)" : ""), width);
    if (heading.group == OptionGroup::Own) rows += option_rows("--help", "print this text", width);
    if (!rows.empty()) out += fmt::format("\n{}:\n{}", heading.title, rows);
  }
  out += "\nexamples:\n";
  for (const std::string& example : command.examples) out += example_lines(example);
  return out;
}

}  // namespace warptime::cli
