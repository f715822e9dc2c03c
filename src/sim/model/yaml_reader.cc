// The typed readers. Building the tree is in yaml_tree.cc, the only file that knows yaml-cpp.
#include "sim/model/yaml_reader.h"

#include <algorithm>

#include "base/parse_number.h"

namespace warptime::yaml {

namespace {

void wrong_type(const Node& node, std::string_view what, std::string_view wanted, const ParamCheck& check,
                Diagnostics& diagnostics) {
  std::string legal = check.describe();
  diagnostics.error(node.where, fmt::format("\"{}\" must be {}, not {}", what, wanted, describe(node)),
                    legal.empty() ? "" : "legal: " + legal);
}

template <class T>
bool read_number(const Node& node, std::string_view what, std::string_view wanted, T& value, const ParamCheck& check,
                 Diagnostics& diagnostics) {
  T parsed{};
  NumberError error = NumberError::NotANumber;
  if (node.kind == Node::Kind::Scalar && !node.quoted) error = parse_number(node.text, parsed);
  if (error == NumberError::NotANumber) {
    wrong_type(node, what, wanted, check, diagnostics);
    return false;
  }
  if (error == NumberError::TooLarge || !check.accepts(static_cast<double>(parsed))) {
    std::string legal = check.describe();
    if (legal.empty()) legal = fmt::format("{} that fits {} bits", wanted, sizeof(T) * 8);
    diagnostics.error(node.where, fmt::format("\"{}\" must be {}, not {}", what, legal, node.text));
    return false;
  }
  value = parsed;
  return true;
}

}  // namespace

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::Null: return "nothing";
    case Node::Kind::Scalar: return fmt::format("{}\"{}\"", node.quoted ? "the text " : "", node.text);
    case Node::Kind::Sequence: return "a list";
    case Node::Kind::Map: return "a map";
  }
  return "";
}

bool read(const Node& node, std::string_view what, bool& value, const ParamCheck& check, Diagnostics& diagnostics) {
  if (node.kind == Node::Kind::Scalar && !node.quoted && (node.text == "true" || node.text == "false")) {
    value = node.text == "true";
    return true;
  }
  wrong_type(node, what, "true or false", check, diagnostics);
  return false;
}

bool read(const Node& node, std::string_view what, uint32_t& value, const ParamCheck& check, Diagnostics& diagnostics) {
  return read_number(node, what, "a whole number", value, check, diagnostics);
}
bool read(const Node& node, std::string_view what, uint64_t& value, const ParamCheck& check, Diagnostics& diagnostics) {
  return read_number(node, what, "a whole number", value, check, diagnostics);
}
bool read(const Node& node, std::string_view what, int64_t& value, const ParamCheck& check, Diagnostics& diagnostics) {
  return read_number(node, what, "a whole number", value, check, diagnostics);
}
bool read(const Node& node, std::string_view what, double& value, const ParamCheck& check, Diagnostics& diagnostics) {
  return read_number(node, what, "a number", value, check, diagnostics);
}

bool read(const Node& node, std::string_view what, std::string& value, const ParamCheck& check,
          Diagnostics& diagnostics) {
  if (node.kind != Node::Kind::Scalar) {
    wrong_type(node, what, "a text", check, diagnostics);
    return false;
  }
  if (!check.accepts(std::string_view(node.text))) {
    diagnostics.error(node.where, fmt::format("\"{}\" must be {}, not {}", what, check.describe(), describe(node)));
    return false;
  }
  value = node.text;
  return true;
}

bool read(const Node& node, std::string_view what, std::vector<std::string>& value, const ParamCheck& check,
          Diagnostics& diagnostics) {
  if (node.kind != Node::Kind::Sequence) {
    wrong_type(node, what, "a list", check, diagnostics);
    return false;
  }
  std::vector<std::string> texts(node.items.size());
  bool ok = true;
  for (size_t i = 0; i < texts.size(); ++i)
    ok = read(node.items[i], fmt::format("{}[{}]", what, i), texts[i], check, diagnostics) && ok;
  if (ok) value = std::move(texts);
  return ok;
}

std::optional<size_t> read_word(const Node& node, std::string_view what, const std::vector<std::string>& words,
                                Diagnostics& diagnostics) {
  std::string legal;
  for (const std::string& word : words) legal += (legal.empty() ? "" : ", ") + word;
  if (node.kind == Node::Kind::Scalar) {
    auto found = std::find(words.begin(), words.end(), node.text);
    if (found != words.end()) return static_cast<size_t>(found - words.begin());
  }
  std::string hint = did_you_mean(node.text, {words.begin(), words.end()});
  diagnostics.error(node.where, fmt::format("\"{}\" must be one of {}, not {}", what, legal, describe(node)), hint);
  return std::nullopt;
}

void report_unknown_key(SourceSpan where, std::string_view key, std::string_view what,
                        const std::vector<std::string_view>& legal, Diagnostics& diagnostics) {
  std::string hint = did_you_mean(key, legal);
  if (hint.empty() && !legal.empty()) {
    hint = "legal here: ";
    for (size_t i = 0; i < legal.size(); ++i) hint += fmt::format("{}{}", i > 0 ? ", " : "", legal[i]);
  }
  diagnostics.error(where, fmt::format("unknown key \"{}\" in {}", key, what), hint);
}

}  // namespace warptime::yaml
