// The form of a user's YAML file as data: which keys a map has, what each holds, within which limits, and what it is
// for. The strict reader takes its keys, checks and words from here, and so do the JSON Schema of `warptime schema` and
// the reference pages, so that none of them can say anything else than the others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/config_struct.h"

namespace warptime::yaml {

struct Form;

/// A key of a map.
struct Field {
  std::string key;
  const Form* form = nullptr;
  std::string doc = {};
  bool required = false;
  std::string standard = {};  // the value without the key, as it would be written; empty: nothing
  bool former = false;        // a former name of another key: read for one version more, and in no reference page
};

/// What the keys of a map that exclude or need each other have in common.
struct KeyRule {
  enum class Kind : uint8_t { AtMostOne, AtLeastOne, ExactlyOne, Together };
  Kind kind;
  std::vector<std::string_view> keys;
  std::string_view sentence = {};  // of the error, after what the map is; empty: one that names the keys
};

struct Form {
  enum class Kind : uint8_t {
    Text,
    Scalar,  // a text or a number, kept as it is written
    Word,    // one of `words`
    Boolean,
    Whole,       // a whole number in `check`
    Number,      // in `check`
    Value,       // a value of the type that another key names
    Expression,  // a text that is computed later
    List,        // of `of`
    Map,         // with the keys of `fields`
    Names,       // keys that the user chooses, each with an `of`
    Choice       // one of `choices`, told apart by their kind or their keys
  };
  Kind kind = Kind::Text;
  ParamCheck check = {};
  bool computed = false;              // Whole, Number, Value: may be an expression over the file's parameters
  bool plain_names = false;           // Names: letters, digits and _, so that expressions can use them
  bool may_be_empty = false;          // Map, Names: the key may stand there with nothing after it
  size_t least = 0, most = SIZE_MAX;  // List, Names: entries
  std::vector<std::string> words = {};
  std::vector<std::string> former_words = {};  // read for one version more
  const Form* of = nullptr;
  std::vector<Field> fields = {};
  std::vector<KeyRule> rules = {};
  std::vector<const Form*> choices = {};
  std::string name = {};  // Map: as the reference page calls it; empty: it has no section of its own
};

/// The field of this key; nullptr: none.
const Field* field_of(const Form& form, std::string_view key);

}  // namespace warptime::yaml
