#include "cli/command_line.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>

#include "base/missing_file.h"
#include "host/device/device.h"

namespace warptime::cli {

namespace po = boost::program_options;

CommandLine::CommandLine(std::vector<std::string> words) : words_(std::move(words)) {
  std::string text = "warptime";
  for (const std::string& word : words_) {
    bool quote = word.empty() || word.find_first_of(" \t\n\"'\\$*?#&|;<>()") != std::string::npos;
    text += ' ';
    spans_.emplace_back(static_cast<uint32_t>(text.size()), static_cast<uint32_t>(word.size() + (quote ? 2 : 0)));
    text += quote ? "'" + word + "'" : word;
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  source_ = std::make_shared<SourceText>("command line", std::move(text));
}

SourceSpan CommandLine::where(size_t word) const {
  return {source_.get(), spans_.at(word).first, spans_.at(word).second};
}

void fail(SourceSpan where, std::string message, std::string hint) {
  throw host::InputError(format_diagnostic({Severity::Error, where, std::move(message), std::move(hint)}));
}

std::shared_ptr<const SourceText> read_file(const ArgumentText& file, std::string otherwise) {
  std::string why;
  auto source = SourceText::read_file(file.text, &why);
  if (!source) throw host::InputError(format_diagnostic(cannot_read(file.text, why, file.where, std::move(otherwise))));
  return source;
}

namespace {

po::options_description describe(const Command& command) {
  po::options_description description;
  auto add = description.add_options();
  for (const Option& option : command.options) {
    if (option.kind == Option::Kind::Flag) add(option.name.c_str(), "");
    else add(option.name.c_str(), po::value<std::string>(), "");
  }
  add("words", po::value<std::string>(), "");
  return description;
}

const Option* find_option(const Command& command, std::string_view name) {
  for (const Option& option : command.options)
    if (option.name == name) return &option;
  return nullptr;
}

[[noreturn]] void fail_unknown(const Command& command, SourceSpan where, std::string_view word) {
  std::string name(word.substr(0, word.find('=')));
  std::string bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  if (std::find(command.unavailable.begin(), command.unavailable.end(), bare) != command.unavailable.end())
    fail(where, fmt::format("{} of `warptime {}` is not available in this version", name, command.name));
  std::vector<std::string_view> known;
  for (const Option& option : command.options) known.push_back(option.name);
  auto near = nearest(bare, known);
  fail(where, fmt::format("`warptime {}` has no option \"{}\"", command.name, name),
       near ? fmt::format("did you mean --{}?", *near)
            : fmt::format("`warptime {} --help` lists its options", command.name));
}

}  // namespace

Arguments::Arguments(const Command& command, const CommandLine& line, size_t first)
    : typed_(line.words()), source_(line.source()) {
  whole_ = {line.source().get(), 0, static_cast<uint32_t>(line.source()->text().size())};
  std::vector<std::string> words(line.words().begin() + static_cast<ptrdiff_t>(first), line.words().end());
  for (std::string& word : words) {
    if (word == "--") break;
    if (word == "--help" || word == "-h") help_ = true;
    for (const Option& option : command.options)
      if (option.letter != 0 && word == std::string{'-', option.letter}) word = "--" + option.name;
    const Option* option = word.starts_with("--") ? find_option(command, word.substr(2)) : nullptr;
    // A bare --json means standard output; the next word is not its value.
    if (option != nullptr && option->kind == Option::Kind::OptionalValue) word += "=-";
  }
  if (help_) return;

  auto where_of = [&](std::string_view token) {
    for (size_t i = 0; i < words.size(); ++i)
      if (words[i] == token || words[i].starts_with(std::string(token) + "=")) return line.where(first + i);
    return whole_;
  };
  po::options_description description = describe(command);
  po::positional_options_description positional;
  positional.add("words", -1);
  std::vector<po::option> parsed;
  try {
    namespace style = po::command_line_style;
    parsed = po::command_line_parser(words)
                 .options(description)
                 .positional(positional)
                 .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next)
                 .allow_unregistered()
                 .run()
                 .options;
  } catch (const po::invalid_command_line_syntax& error) {
    bool unwanted = error.kind() == po::invalid_command_line_syntax::extra_parameter;
    fail(where_of(error.get_option_name()),
         fmt::format("{} {}", error.get_option_name(), unwanted ? "takes no value" : "needs a value"));
  } catch (const po::error& error) {
    fail(whole_, error.what());
  }

  size_t at = 0;  // index in `words` of the option's first token
  bool only_words = false;
  const Option* half = nullptr;  // a pair whose second word follows
  auto fail_half = [&] {
    fail(options_[half->name].front().where, fmt::format("--{} takes two words: {}", half->name, half->value));
  };
  for (const po::option& given : parsed) {
    if (at < words.size() && words[at] == "--" && given.original_tokens.front() != "--") {
      only_words = true;
      ++at;
    }
    SourceSpan where = line.where(first + at);
    SourceSpan value_where = line.where(first + at + given.original_tokens.size() - 1);
    at += given.original_tokens.size();
    const std::string& token = given.original_tokens.front();
    bool is_word = given.position_key >= 0;
    if (given.unregistered || (is_word && !only_words && token.size() > 1 && token[0] == '-'))
      fail_unknown(command, where, token);
    std::string text = given.value.empty() ? std::string() : given.value.front();
    if (half != nullptr) {
      if (!is_word || only_words) fail_half();
      options_[half->name].push_back({text, where});
      half = nullptr;
      continue;
    }
    if (is_word) {
      words_.push_back({text, where});
      if (words_.size() > command.max_words)
        fail(where, command.max_words == 0 ? fmt::format("`warptime {}` takes no \"{}\"", command.name, text)
                                           : fmt::format("`warptime {}` takes one {}; \"{}\" is too many", command.name,
                                                         command.word_name, text));
      continue;
    }
    const Option& option = *find_option(command, given.string_key);
    if (given.original_tokens.size() == 2 && text.starts_with("--"))
      fail(where, fmt::format("--{} needs a value, and \"{}\" looks like an option", option.name, text),
           fmt::format("write --{}={} if it is the value", option.name, text));
    auto& values = options_[option.name];
    if (!values.empty() && option.kind != Option::Kind::Repeated)
      fail(where, fmt::format("--{} is given twice", option.name));
    // The value's own place, so that a caret in a longer text can point at it.
    if (given.original_tokens.size() == 1 && !text.empty() && value_where.length >= text.size() &&
        option.kind != Option::Kind::OptionalValue) {
      value_where.begin += static_cast<uint32_t>(value_where.length - text.size());
      value_where.length = static_cast<uint32_t>(text.size());
    }
    values.push_back({text, value_where});
    if (option.kind == Option::Kind::Pair) half = &option;
  }
  if (half != nullptr) fail_half();
  if (words_.size() < command.min_words)
    fail(whole_, fmt::format("`warptime {}` needs a {}", command.name, command.word_name),
         fmt::format("usage: warptime {} {}", command.name, command.usage));
}

const std::vector<ArgumentText>& Arguments::all(std::string_view option) const {
  static const std::vector<ArgumentText> none;
  auto found = options_.find(option);
  return found == options_.end() ? none : found->second;
}

std::optional<ArgumentText> Arguments::value(std::string_view option) const {
  const std::vector<ArgumentText>& values = all(option);
  return values.empty() ? std::nullopt : std::optional(values.front());
}

std::vector<std::string> Arguments::texts(std::string_view option) const {
  std::vector<std::string> out;
  for (const ArgumentText& given : all(option)) out.push_back(given.text);
  return out;
}

namespace {

std::optional<uint64_t> whole_number(std::string_view text) {
  uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<uint64_t> Arguments::number(std::string_view option, uint64_t low, uint64_t high) const {
  auto given = value(option);
  if (!given) return std::nullopt;
  auto number = whole_number(given->text);
  if (!number) fail(given->where, fmt::format("--{} requires a whole number, not \"{}\"", option, given->text));
  if (*number < low || *number > high)
    fail(given->where, fmt::format("--{} must be {} to {}, not {}", option, low, high, given->text));
  return number;
}

std::optional<size_t> Arguments::choice(std::string_view option, const std::vector<std::string_view>& choices) const {
  auto given = value(option);
  if (!given) return std::nullopt;
  auto found = std::find(choices.begin(), choices.end(), given->text);
  if (found == choices.end())
    fail(given->where, fmt::format("--{} is {}, not \"{}\"", option, fmt::join(choices, " or "), given->text),
         did_you_mean(given->text, choices));
  return static_cast<size_t>(found - choices.begin());
}

std::vector<uint32_t> parse_extents(const ArgumentText& given, std::string_view what) {
  std::vector<uint32_t> extents;
  std::string_view rest = given.text;
  while (true) {
    size_t comma = rest.find(',');
    auto number = whole_number(rest.substr(0, comma));
    if (!number || *number == 0 || *number > 0xffffffffu || extents.size() == 3)
      fail(given.where,
           fmt::format("{} is one to three whole numbers from 1 on, as 16 or 16,8,1, not \"{}\"", what, given.text));
    extents.push_back(static_cast<uint32_t>(*number));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  extents.resize(3, 1);
  return extents;
}

std::string help_text(const Command& command) {
  std::string out = fmt::format("usage: warptime {} {}\n\n{}\n", command.name, command.usage, command.summary);
  if (!command.details.empty()) out += "\n" + command.details;
  out += "\noptions:\n";
  auto spelling = [](const Option& option) -> std::string {
    if (option.letter != 0) return fmt::format("-{}, --{} {}", option.letter, option.name, option.value);
    switch (option.kind) {
      case Option::Kind::Flag: return "--" + option.name;
      case Option::Kind::OptionalValue: return fmt::format("--{}[={}]", option.name, option.value);
      case Option::Kind::Value:
      case Option::Kind::Pair:
      case Option::Kind::Repeated: return fmt::format("--{} {}", option.name, option.value);
    }
    return std::string();
  };
  size_t width = 0;
  for (const Option& option : command.options) width = std::max(width, spelling(option).size());
  for (const Option& option : command.options)
    out += fmt::format("  {:<{}}  {}{}\n", spelling(option), width, option.what,
                       option.kind == Option::Kind::Repeated ? " (repeatable)" : "");
  out += fmt::format("  {:<{}}  this text\n", "--help", width);
  out += "\nexamples:\n";
  for (const std::string& example : command.examples) out += "  " + example + "\n";
  return out;
}

}  // namespace warptime::cli
