// `warptime man [COMMAND]`: the manual page of the program or of a command.
#include <filesystem>

#include "cli/cli.h"
#include "cli/man/man_page.h"
#include "cli/output.h"

namespace warptime::cli {

namespace {

const Command& describe_man() {
  static const Command command{
      .name = "man",
      .usage = "[COMMAND] [options]",
      .summary = "print the manual page of warptime or of a command",
      .details =
          "The pages follow the tables that --help is made from. An installed package brings them along; without one,\n"
          "`warptime man run | man -l -` shows the page of `warptime run`.\n",
      .options = {{"output", Option::Kind::Value, Takes::file("FILE"), "write to FILE instead of standard output"},
                  {"folder", Option::Kind::Value, Takes::file("FOLDER"),
                   "write all pages into this FOLDER: warptime.1, warptime-run.1, ..."}},
      .unavailable = {},
      .examples = {"warptime man", "warptime man run --output warptime-run.1",
                   "warptime man --folder ~/.local/share/man/man1"},
      .min_words = 0,
      .max_words = 1,
      .word_name = "command"};
  return command;
}

std::string page_of(const ArgumentText& word) {
  std::vector<std::string_view> known;
  for (const Entry& entry : commands()) {
    known.push_back(entry.describe().name);
    if (entry.describe().name == word.text) return command_page(entry.describe());
  }
  auto near = nearest(word.text, known);
  fail(word.where, fmt::format("there is no command \"{}\"", word.text),
       near ? fmt::format("did you mean \"{}\"?", *near) : fmt::format("available: {}", fmt::join(known, ", ")));
}

void write_all_pages(const ArgumentText& folder, const Arguments& arguments) {
  auto write = [&](const std::string& name, const std::string& page) {
    Output({(std::filesystem::path(folder.text) / (name + ".1")).string(), folder.where}, "--folder", arguments)
        .write_all(page);
  };
  write("warptime", general_page());
  for (const Entry& entry : commands()) write("warptime-" + entry.describe().name, command_page(entry.describe()));
}

int execute_man(const Arguments& arguments) {
  if (auto folder = arguments.value("folder")) {
    if (!arguments.words().empty())
      fail(arguments.words().front().where, "--folder writes the pages of all commands", "leave the command out");
    if (auto file = arguments.value("output")) fail(file->where, "--output is for one page, --folder for all of them");
    write_all_pages(*folder, arguments);
    return kDone;
  }
  std::string page = arguments.words().empty() ? general_page() : page_of(arguments.words().front());
  if (auto out = output_of(arguments, "output")) out->write_all(page);
  else print(page);
  return kDone;
}

}  // namespace

Entry man_command() { return {describe_man, execute_man}; }

}  // namespace warptime::cli
