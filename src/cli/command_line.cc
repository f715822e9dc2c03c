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

/// An option of Boost's that takes so many words; their text is read from the parsed option.
class Words : public po::value_semantic {
 public:
  explicit Words(unsigned count) : count_(count) {}
  std::string name() const override { return {}; }
  unsigned min_tokens() const override { return count_; }
  unsigned max_tokens() const override { return count_; }
  bool is_composing() const override { return false; }
  bool is_required() const override { return false; }
  void parse(boost::any&, const std::vector<std::string>&, bool) const override {}
  bool apply_default(boost::any&) const override { return false; }
  void notify(const boost::any&) const override {}

 private:
  unsigned count_;
};

unsigned word_count(Option::Kind kind) { return kind == Option::Kind::Flag ? 0 : kind == Option::Kind::Pair ? 2 : 1; }

po::options_description describe(const Command& command) {
  po::options_description description;
  auto add = description.add_options();
  for (const Option& option : command.options) {
    std::string spelling = option.name;
    if (option.letter != 0) spelling += std::string{',', option.letter};
    add(spelling.c_str(), new Words(word_count(option.kind)), "");  // Boost owns it
  }
  add("words", new Words(1), "");
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

/// A bare --json means standard output ("-"): the next word is not its value, as Boost would take it.
std::vector<po::option> bare_optional_value(const Command& command, std::vector<std::string>& words) {
  const Option* option = words.front().starts_with("--") ? find_option(command, words.front().substr(2)) : nullptr;
  if (option == nullptr || option->kind != Option::Kind::OptionalValue) return {};
  po::option given(option->name, {"-"});
  given.original_tokens = {words.front()};
  words.erase(words.begin());
  return {given};
}

/// Each option and word of the line with the words that it consists of; throws host::InputError.
std::vector<po::option> parse(const Command& command, const CommandLine& line, size_t first, SourceSpan whole) {
  const std::vector<std::string> words(line.words().begin() + static_cast<ptrdiff_t>(first), line.words().end());
  auto where_of = [&](std::string_view token) {
    for (size_t i = 0; i < words.size(); ++i)
      if (words[i] == token || words[i].starts_with(std::string(token) + "=")) return line.where(first + i);
    return whole;
  };
  const po::options_description description = describe(command);
  po::positional_options_description positional;
  positional.add("words", -1);
  namespace style = po::command_line_style;
  try {
    return po::command_line_parser(words)
        .options(description)
        .positional(positional)
        .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next | style::allow_short |
               style::allow_dash_for_short | style::short_allow_next)
        .extra_style_parser([&](std::vector<std::string>& rest) { return bare_optional_value(command, rest); })
        .allow_unregistered()
        .run()
        .options;
  } catch (const po::invalid_command_line_syntax& error) {
    const std::string name = error.get_option_name();
    const Option* option =
        find_option(command, std::string_view(name).substr(std::min(name.find_first_not_of('-'), name.size())));
    if (error.kind() == po::invalid_command_line_syntax::extra_parameter)
      fail(where_of(name), fmt::format("{} takes no value", name));
    if (option != nullptr && option->kind == Option::Kind::Pair)
      fail(where_of(name), fmt::format("{} takes two words: {}", name, option->value.text));
    fail(where_of(name), fmt::format("{} needs a value", name));
  } catch (const po::error& error) {
    fail(whole, error.what());
  }
}

}  // namespace

std::vector<Option> in_group(OptionGroup group, std::vector<Option> rows) {
  for (Option& row : rows) row.group = group;
  return rows;
}

Arguments::Arguments(const Command& command, const CommandLine& line, size_t first)
    : typed_(line.words()), source_(line.source()) {
  whole_ = {line.source().get(), 0, static_cast<uint32_t>(line.source()->text().size())};
  const std::vector<std::string> words(line.words().begin() + static_cast<ptrdiff_t>(first), line.words().end());
  auto end_of_options = std::find(words.begin(), words.end(), "--");
  help_ = std::any_of(words.begin(), end_of_options,
                      [](const std::string& word) { return word == "--help" || word == "-h"; });
  if (help_) return;

  size_t at = 0;  // index in `words` of an option's first token
  for (const po::option& given : parse(command, line, first, whole_)) {
    bool behind_end = at > static_cast<size_t>(end_of_options - words.begin());
    if (at == static_cast<size_t>(end_of_options - words.begin())) {
      behind_end = true;
      ++at;
    }
    const std::string& token = given.original_tokens.front();
    const SourceSpan where = line.where(first + at);
    const bool is_word = given.position_key >= 0;
    if (given.unregistered || (is_word && !behind_end && token.size() > 1 && token[0] == '-'))
      fail_unknown(command, where, token);
    if (is_word && behind_end && command.takes_program != Command::Program::No)
      program_.push_back({given.value.front(), where});
    else if (is_word) take_word(command, {given.value.front(), where});
    else
      take_option(*find_option(command, given.string_key), given.value, given.original_tokens.size() == 1,
                  line.where(first + at + std::min<size_t>(given.original_tokens.size() - 1, 1)));
    at += given.original_tokens.size();
  }
  if (!program_.empty() && !words_.empty())
    fail(words_.front().where, fmt::format("there is a {} and a program behind \"--\"", command.word_name),
         "give one of them");
  if (words_.size() < command.min_words && program_.empty())
    fail(whole_, fmt::format("`warptime {}` needs a {}", command.name, command.word_name),
         fmt::format("usage: warptime {} {}", command.name, command.usage));
}

void Arguments::take_word(const Command& command, ArgumentText word) {
  if (words_.size() == command.max_words)
    fail(word.where, command.max_words == 0 ? fmt::format("`warptime {}` takes no \"{}\"", command.name, word.text)
                                            : fmt::format("`warptime {}` takes one {}; \"{}\" is too many",
                                                          command.name, command.word_name, word.text));
  words_.push_back(std::move(word));
}

void Arguments::take_option(const Option& option, const std::vector<std::string>& values, bool in_one_token,
                            SourceSpan value_where) {
  auto& taken = options_[option.name];
  if (!taken.empty() && option.kind != Option::Kind::Repeated)
    fail(value_where, fmt::format("--{} is given twice", option.name));
  if (values.empty()) taken.push_back({"", value_where});
  for (const std::string& text : values) {
    if (!in_one_token && text.starts_with("--"))
      fail(value_where, fmt::format("--{} needs a value, and \"{}\" looks like an option", option.name, text),
           fmt::format("write --{}={} if it is the value", option.name, text));
    SourceSpan where = value_where;
    // The value's own place in --name=VALUE, so that a caret in a longer text can point at it.
    if (in_one_token && option.kind != Option::Kind::OptionalValue && !text.empty() && where.length >= text.size()) {
      where.begin += static_cast<uint32_t>(where.length - text.size());
      where.length = static_cast<uint32_t>(text.size());
    }
    taken.push_back({text, where});
  }
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
           fmt::format("{} takes one to three positive integers, e.g. 16 or 16,8,1, not \"{}\"", what, given.text));
    extents.push_back(static_cast<uint32_t>(*number));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  extents.resize(3, 1);
  return extents;
}

}  // namespace warptime::cli
