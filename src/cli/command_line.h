// The options of a command as a table, and the parser of its command line (Boost.Program_options). Errors are
// diagnostics that point into the command line as typed, thrown as host::InputError.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace warptime::cli {

/// The value column of an option: its text in --help ("FILE"), and what it names, which shells complete.
struct Takes {
  enum class What : uint8_t {
    Text,       // anything: nothing is completed
    Words,      // one of the words between "|" in its text ("on|off"; of "N|all" only all)
    File,       // a path
    Machine,    // a machine's name or a path
    Processor,  // a processor's name or a path
    Setting,    // PARAMETER=VALUE of a machine
    Parameter,  // NAME=VALUE of the target's workload
    Output,     // NAME=FILE of the target's workload
    Statistic   // a statistic's name
  };
  std::string text;
  What what = What::Text;
  bool is_list = false;  // several with commas between them

  Takes(const char* shown, What named = What::Text, bool several = false)
      : text(shown), what(named), is_list(several) {}
  static Takes words(const char* shown) { return {shown, What::Words}; }
  static Takes file(const char* shown) { return {shown, What::File}; }
  static Takes machine(const char* shown) { return {shown, What::Machine}; }
  static Takes machines(const char* shown) { return {shown, What::Machine, true}; }
  static Takes processor(const char* shown) { return {shown, What::Processor}; }
  static Takes setting(const char* shown) { return {shown, What::Setting}; }
  static Takes settings(const char* shown) { return {shown, What::Setting, true}; }
  static Takes parameter(const char* shown) { return {shown, What::Parameter}; }
  static Takes parameters(const char* shown) { return {shown, What::Parameter, true}; }
  static Takes output(const char* shown) { return {shown, What::Output}; }
  static Takes statistics(const char* shown) { return {shown, What::Statistic, true}; }
};

/// Headings of --help, in their order.
enum class OptionGroup : uint8_t { Target, Own, Simulation, PtxFile, Checkers, Checkpoints, Parts };

/// One row of a command's options.
struct Option {
  /// Pair: takes two words; its value column is about the second.
  enum class Kind : uint8_t { Flag, Value, OptionalValue, Repeated, Pair };
  std::string name;  // without "--"
  Kind kind = Kind::Flag;
  Takes value;       // of a Flag ""
  std::string what;  // one sentence for --help
  char letter = 0;   // its short spelling, 'o' for -o; 0: none
  OptionGroup group = OptionGroup::Own;
};

std::vector<Option> in_group(OptionGroup group, std::vector<Option> rows);

struct Command {
  std::string name;
  std::string usage;    // the text after "warptime NAME"
  std::string summary;  // one line
  std::string details;  // more lines for --help
  std::vector<Option> options;
  std::vector<std::string> unavailable = {};  // options of other versions: rejected with a message of their own
  std::vector<std::string> examples;
  size_t min_words = 0, max_words = 0;  // positional words
  std::string word_name;                // kind of the positional words, for messages
  /// "-- PROGRAM [ARGS]" in place of its words: all of its launches, or one, which is captured before
  /// (captured_launch.h).
  enum class Program : uint8_t { No, Whole, OneLaunch } takes_program = Program::No;
};

/// An argument of the command line, and its position.
struct ArgumentText {
  std::string text;
  SourceSpan where;
};

/// The words after "warptime", as a source text that diagnostics can point into.
class CommandLine {
 public:
  explicit CommandLine(std::vector<std::string> words);

  const std::vector<std::string>& words() const { return words_; }
  const std::shared_ptr<const SourceText>& source() const { return source_; }
  SourceSpan where(size_t word) const;

 private:
  std::vector<std::string> words_;
  std::vector<std::pair<uint32_t, uint32_t>> spans_;  // begin, length in the source
  std::shared_ptr<const SourceText> source_;
};

/// Throws host::InputError with one error.
[[noreturn]] void fail(SourceSpan where, std::string message, std::string hint = {});
/// The contents of a file that the user named; fails if it cannot be read. `otherwise`: the hint if no file has a
/// similar name.
std::shared_ptr<const SourceText> read_file(const ArgumentText& file, std::string otherwise = {});

class Arguments {
 public:
  /// Parses the words from index `first` on; throws host::InputError. With --help among them nothing else is checked.
  Arguments(const Command& command, const CommandLine& line, size_t first);

  bool help() const { return help_; }
  const std::vector<ArgumentText>& words() const { return words_; }
  /// The words behind "--" of a command that takes a program.
  const std::vector<ArgumentText>& program() const { return program_; }
  /// How reports name the first of the words; by default as it was typed.
  const std::string& target_name() const { return target_name_.empty() ? words_.front().text : target_name_; }
  void name_target(std::string name) { target_name_ = std::move(name); }
  bool has(std::string_view option) const { return !all(option).empty(); }
  /// The option's value; nullopt if it was not given.
  std::optional<ArgumentText> value(std::string_view option) const;
  /// Every value of a repeatable option, in order; both of a pair.
  const std::vector<ArgumentText>& all(std::string_view option) const;
  std::vector<std::string> texts(std::string_view option) const;
  /// Every option that was given, with its values.
  const std::map<std::string, std::vector<ArgumentText>, std::less<>>& options() const { return options_; }
  /// The value as a whole number from low to high (one error otherwise).
  std::optional<uint64_t> number(std::string_view option, uint64_t low, uint64_t high) const;
  /// The value as one of the words; returns its index.
  std::optional<size_t> choice(std::string_view option, const std::vector<std::string_view>& choices) const;

  /// The words after "warptime", as typed.
  const std::vector<std::string>& typed() const { return typed_; }
  SourceSpan whole() const { return whole_; }
  std::shared_ptr<const SourceText> source() const { return source_; }

 private:
  void take_word(const Command& command, ArgumentText word);
  void take_option(const Option& option, const std::vector<std::string>& values, bool in_one_token,
                   SourceSpan value_where);

  bool help_ = false;
  std::vector<std::string> typed_;
  std::vector<ArgumentText> words_, program_;
  std::string target_name_;
  std::map<std::string, std::vector<ArgumentText>, std::less<>> options_;
  SourceSpan whole_;
  std::shared_ptr<const SourceText> source_;
};

/// "1x2x3" style triples: "16", "16,8", "16,8,4"; missing ones are 1.
std::vector<uint32_t> parse_extents(const ArgumentText& given, std::string_view what);

}  // namespace warptime::cli
