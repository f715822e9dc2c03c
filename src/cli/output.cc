#include "cli/output.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "base/run_files.h"

namespace warptime::cli {

namespace {

[[noreturn]] void fail_write(const ArgumentText& file, const std::string& why) {
  fail(file.where, fmt::format("cannot write {}: {}", file.text, why));
}

/// What names this file on the command line, apart from the output: "--machine"; empty: nothing does.
std::string named_by(const Arguments& arguments, const std::string& path, std::string_view output) {
  FileIdentity identity(path);
  for (const ArgumentText& word : arguments.words())
    if (FileIdentity(word.text) == identity) return fmt::format("the word \"{}\"", word.text);
  for (const auto& [option, given] : arguments.options())
    for (const ArgumentText& value : given) {
      std::string name = "--" + option;
      std::string file = value.text.substr(value.text.rfind('@') + 1);  // --buffer x=u8:4:@FILE
      if (name != output && FileIdentity(file) == identity) return name;
    }
  return {};
}

}  // namespace

void check_output(const ArgumentText& file, std::string_view option, const Arguments& arguments) {
  RunFiles* files = RunFiles::current();
  auto clash = files == nullptr ? std::nullopt : files->writing(file.text, std::string(option));
  if (!clash) return;
  if (clash->is_output)
    fail(file.where, fmt::format("{} and {} are the same file \"{}\"", option, clash->what, file.text),
         "each output needs a file of its own");
  std::string named = named_by(arguments, clash->path, option);
  fail(file.where, fmt::format("{} would overwrite \"{}\", which this command reads", option, clash->path),
       named.empty() ? "give the output another name" : fmt::format("{} names the same file", named));
}

void check_writable(const ArgumentText& file, std::string_view option, const Arguments& arguments) {
  check_output(file, option, arguments);
  if (std::string why = why_not_writable(file.text); !why.empty()) fail_write(file, why);
}

Output::Output(const ArgumentText& file, std::string_view option, const Arguments& arguments)
    : name_(file), file_((check_output(file, option, arguments), file.text)) {
  check();
}

void Output::check() const {
  std::string why = file_.error();
  if (!why.empty() && name_.text == "-") fail({}, fmt::format("cannot write to standard output: {}", why));
  if (!why.empty()) fail_write(name_, why);
}

void Output::write(std::string_view text) {
  file_.write(text);
  check();
}

void Output::finish() {
  file_.commit();
  check();
}

bool Output::is_standard_output() const { return file_.place().descriptor == STDOUT_FILENO; }

std::optional<Output> output_of(const Arguments& arguments, std::string_view option) {
  auto given = arguments.value(option);
  if (!given) return std::nullopt;
  return Output(*given, fmt::format("--{}", option), arguments);
}

std::string json_text(const nlohmann::ordered_json& value) {
  return value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void print(std::string_view text) {
  if (is_printable(text, true)) write_bytes(text);
  else write_bytes(printable(text, true));
}

void write_bytes(std::string_view text) {
  OutputFile out("-");
  out.write(text);
  if (!out.commit()) fail({}, fmt::format("cannot write to standard output: {}", out.error()));
}

}  // namespace warptime::cli
