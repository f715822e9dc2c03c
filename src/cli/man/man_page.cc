#include "cli/man/man_page.h"

#include <fmt/format.h>

#include "cli/cli.h"
#include "host/report/report.h"

namespace warptime::cli {

namespace {

/// Text that roff prints as it is; a hyphen stays one that can be copied.
std::string roff_text(std::string_view text) {
  std::string out;
  for (char c : text)
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c;
  return out;
}

/// A line of the page. A point or quote at its beginning would make it a request.
std::string roff_line(std::string_view text) {
  bool is_request = text.starts_with('.') || text.starts_with('\'');
  return (is_request ? "\\&" : "") + roff_text(text) + "\n";
}

/// Lines of a help text: paragraphs, and lines that begin with a blank as they are.
std::string roff_paragraphs(std::string_view text) {
  std::string out;
  bool is_literal = false;
  auto end_literal = [&] {
    if (is_literal) out += ".fi\n.RE\n.PP\n";
    is_literal = false;
  };
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view row = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (row.empty()) {
      end_literal();
      if (!out.empty() && !out.ends_with(".PP\n")) out += ".PP\n";
    } else if (row.front() == ' ') {
      if (!is_literal) out += ".RS 4\n.nf\n";
      is_literal = true;
      out += roff_line(row.substr(std::min<size_t>(row.find_first_not_of(' '), 2)));
    } else {
      end_literal();
      out += roff_line(row);
    }
  }
  if (is_literal) out += ".fi\n.RE\n";
  if (out.ends_with(".PP\n")) out.resize(out.size() - 4);
  return out;
}

std::string roff_head(std::string_view name, std::string_view summary) {
  std::string upper(name);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return fmt::format(
      ".\\\" Printed by `warptime man`.\n.TH {} 1 \"\" \"warptime {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
      roff_text(upper), host::version(), roff_text(name), roff_text(summary));
}

std::string roff_literal(const std::vector<std::string>& rows) {
  std::string out = ".nf\n";
  for (const std::string& row : rows) out += roff_line(row);
  return out + ".fi\n";
}

/// A term of a list and what it means.
std::string roff_item(std::string_view term, std::string_view what) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}", roff_text(term), roff_line(what));
}

std::string roff_option(const Option& option) {
  std::string term = option.letter != 0 ? fmt::format("\\fB\\-{}\\fR, ", option.letter) : "";
  term += fmt::format("\\fB{}\\fR", roff_text("--" + option.name));
  std::string value = roff_text(option.value.text);
  switch (option.kind) {
    case Option::Kind::Flag: break;
    case Option::Kind::OptionalValue: term += fmt::format("[=\\fI{}\\fR]", value); break;
    case Option::Kind::Value:
    case Option::Kind::Pair:
    case Option::Kind::Repeated: term += fmt::format(" \\fI{}\\fR", value); break;
  }
  return fmt::format(".TP\n{}\n{}", term,
                     roff_line(option.what + (option.kind == Option::Kind::Repeated ? " (repeatable)" : "")));
}

/// The lines of a usage, each with the program's name.
std::vector<std::string> usage_lines(const Command& command) {
  std::vector<std::string> out;
  std::string text = fmt::format("warptime {} {}", command.name, command.usage);
  for (size_t end; (end = text.find('\n')) != std::string::npos;) {
    out.push_back(text.substr(0, end));
    text.erase(0, text.find_first_not_of(" \n", end));
  }
  out.push_back(text);
  return out;
}

}  // namespace

std::string general_page() {
  std::string out = roff_head("warptime", "a cycle-level simulator of GPUs that runs PTX programs");
  out += ".SH SYNOPSIS\n" +
         roff_literal({"warptime COMMAND [WORD...] [OPTION...]", "warptime COMMAND --help", "warptime --version"});
  out += ".SH DESCRIPTION\n" +
         roff_line("Runs PTX programs on a simulated GPU: functionally exact, timed cycle by cycle.");
  out += roff_line("The machine is a YAML file; each command has a page of its own, warptime-COMMAND(1).");
  out += ".SH COMMANDS\n";
  for (const Entry& entry : commands()) out += roff_item(entry.describe().name, entry.describe().summary);
  out += ".SH EXIT STATUS\n";
  out +=
      roff_item("0", "every check passed") + roff_item("1", "a check of a result failed") +
      roff_item(
          "2", "bad input: PTX, YAML, options, a missing file, output that cannot be written; too little host memory") +
      roff_item("3", "the simulated program faulted") + roff_item("4", "a fault of warptime itself") +
      roff_item("124", "the end of --timeout") + roff_item("130, 143", "interrupted by Ctrl-C or SIGTERM");
  out += ".SH ENVIRONMENT\n";
  out += roff_item("WARPTIME_HOME",
                   "the folder that holds configs, workloads and validation, instead of the installed one");
  out +=
      roff_item("WARPTIME_ISA", "the instructions of the host that lanes are computed with, instead of the best ones");
  out += ".SH EXAMPLES\n" + roff_literal({"warptime run matmul", "warptime run matmul:tiled --param n=256 --stats -",
                                          "warptime list workloads"});
  out += ".SH SEE ALSO\n";
  std::string pages;
  for (const Entry& entry : commands())
    pages += fmt::format("{}\\fBwarptime\\-{}\\fR(1)", pages.empty() ? "" : ",\n", entry.describe().name);
  return out + pages + "\n";
}

std::string command_page(const Command& command) {
  std::string out = roff_head("warptime-" + command.name, command.summary);
  out += ".SH SYNOPSIS\n" + roff_literal(usage_lines(command));
  out += ".SH DESCRIPTION\n" + roff_line(command.summary);
  if (!command.details.empty()) out += ".PP\n" + roff_paragraphs(command.details);
  out += ".SH OPTIONS\n";
  for (const Option& option : command.options) out += roff_option(option);
  out += roff_item("--help", "a shorter form of this page");
  out += ".SH EXAMPLES\n" + roff_literal(command.examples);
  return out + ".SH SEE ALSO\n\\fBwarptime\\fR(1)\n";
}

}  // namespace warptime::cli
