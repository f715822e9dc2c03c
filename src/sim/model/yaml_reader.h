// A strict reader of users' YAML: machine files and launch files. A text becomes a small tree in which every node has
// its position, so that every later error is a diagnostic with file, line, column and caret.
//
// Refused on purpose: duplicate keys, aliases (so no text can expand), tags, several documents, and anything nested
// more than 32 deep. Scalars remain text until they are read as a type.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/config_struct.h"
#include "base/diagnostics.h"
#include "base/source_text.h"

namespace warptime::yaml {

struct Entry;

struct Node {
  enum class Kind : uint8_t { Null, Scalar, Sequence, Map };
  Kind kind = Kind::Null;
  bool quoted = false;  // of a Scalar: "1.0" in quotes is never a number
  SourceSpan where;
  std::string text;            // of a Scalar
  std::vector<Node> items;     // of a Sequence
  std::vector<Entry> entries;  // of a Map, in the order of the file; keys are unique
};

struct Entry {
  std::string key;
  SourceSpan where;  // of the key
  Node value;
};

/// The one document of a text (an empty text is a Null node). nullopt if it is no YAML that we take; the diagnostics
/// then say why. Keeps `source` in the diagnostics.
std::optional<Node> parse(const std::shared_ptr<const SourceText>& source, Diagnostics& diagnostics);

/// "a map", "a list", "nothing", "the text \"12abc\"" for messages.
std::string describe(const Node& node);

// Each reads a node as a type: false, with a diagnostic that calls the value `what`, if it is not one or the check does
// not accept it. `value` then keeps what it had.
bool read(const Node& node, std::string_view what, bool& value, const ParamCheck& check, Diagnostics& diagnostics);
bool read(const Node& node, std::string_view what, uint32_t& value, const ParamCheck& check, Diagnostics& diagnostics);
bool read(const Node& node, std::string_view what, uint64_t& value, const ParamCheck& check, Diagnostics& diagnostics);
bool read(const Node& node, std::string_view what, int64_t& value, const ParamCheck& check, Diagnostics& diagnostics);
bool read(const Node& node, std::string_view what, double& value, const ParamCheck& check, Diagnostics& diagnostics);
bool read(const Node& node, std::string_view what, std::string& value, const ParamCheck& check,
          Diagnostics& diagnostics);
/// A list of texts.
bool read(const Node& node, std::string_view what, std::vector<std::string>& value, const ParamCheck& check,
          Diagnostics& diagnostics);
/// One of `words`: its index.
std::optional<size_t> read_word(const Node& node, std::string_view what, const std::vector<std::string>& words,
                                Diagnostics& diagnostics);

/// A map whose legal keys are exactly those that the reader asks for:
///
///   StrictMap map(node, "buffer \"x\"", diagnostics);
///   const Node* type = map.require("type");
///   map.read("align", align, power_of_two(4, 4096));
///   map.finish();                               // keys that were not read are errors, with the nearest legal one
class StrictMap {
 public:
  /// A node that is not a map is an error; every find then fails without another one.
  StrictMap(const Node& node, std::string_view what, Diagnostics& diagnostics);

  bool ok() const { return ok_; }
  const Node* find(std::string_view key);
  /// As find, but a missing key is an error.
  const Node* require(std::string_view key);
  /// Reads the key if it is there; false only if it was wrong.
  template <class T>
  bool read(std::string_view key, T& value, const ParamCheck& check = any()) {
    const Node* node = find(key);
    return node == nullptr || yaml::read(*node, key, value, check, diagnostics_);
  }
  void finish();

 private:
  const Node& node_;
  std::string what_;
  Diagnostics& diagnostics_;
  std::vector<std::string> known_;
  bool ok_ = true;
};

/// The error for a key that is not legal here: the nearest legal name, or all of them.
void report_unknown_key(SourceSpan where, std::string_view key, std::string_view what,
                        const std::vector<std::string_view>& legal, Diagnostics& diagnostics);

}  // namespace warptime::yaml
