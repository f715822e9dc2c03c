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
#include "base/expression.h"
#include "base/source_text.h"
#include "sim/model/yaml_form.h"

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

/// A map with the keys of a form:
///
///   StrictMap map(node, "buffer \"x\"", form, diagnostics);
///   const Node* type = map.find("type");        // a missing key is an error if the form requires it
///   map.read("align", align);                   // within the form's limits
///   map.finish();                               // unknown keys, with the nearest legal one, and the form's rules
///
/// A reader asks for every key of the form and for no other: whatever else is a fault of warptime.
class StrictMap {
 public:
  /// A node that is not a map is an error; every find then fails without another one.
  StrictMap(const Node& node, std::string_view what, const Form& form, Diagnostics& diagnostics);

  bool ok() const { return ok_; }
  const Node* find(std::string_view key);
  /// Reads the key if it is there; false only if it was wrong.
  template <class T>
  bool read(std::string_view key, T& value) {
    const Node* node = find(key);
    return node == nullptr || yaml::read(*node, key, value, field(key).form->check, diagnostics_);
  }
  /// The index of the key's word; nullopt: it is not there, or wrong.
  std::optional<size_t> read_word(std::string_view key);
  /// False if there were unknown keys, or keys that do not go together.
  bool finish();

 private:
  const Field& field(std::string_view key) const;
  bool follows(const KeyRule& rule) const;

  const Node& node_;
  std::string what_;
  const Form& form_;
  Diagnostics& diagnostics_;
  std::vector<std::string> asked_;
  bool ok_ = true;
};

/// Replaces each expression where the form allows one by its value. `names`: the file's parameters; `known`: their
/// names, for hints. What is not an expression is left as it is, for the typed readers.
void compute(Node& node, const Form& form, const ExpressionNames& names, const std::vector<std::string_view>& known,
             Diagnostics& diagnostics);

/// Which of a Choice's forms a node has: of maps, the one with most of its keys; nullptr: none.
const Form* chosen(const Form& choice, const Node& node);

/// The error for a key that is not legal here: the nearest legal name, or all of them.
void report_unknown_key(SourceSpan where, std::string_view key, std::string_view what,
                        const std::vector<std::string_view>& legal, Diagnostics& diagnostics);

}  // namespace warptime::yaml
