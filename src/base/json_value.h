// JSON that others wrote (a shard, a plan of Slurm, an editor's message) as a value: the only way in which the program
// makes one of a text that is not its own. nlohmann's values are copied, printed and freed recursively, so a text that
// is nested more deeply than kMostJsonNesting is none. Files that are read value by value: base/json_reader.h.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/json_reader.h"

namespace warptime {

/// Whether brackets, outside of strings, are open more than kMostJsonNesting deep anywhere.
inline bool is_nested_too_deeply(std::string_view json) {
  size_t depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') ++i;
      else if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMostJsonNesting) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

/// nullopt: it is not JSON, or nested too deeply.
inline std::optional<nlohmann::ordered_json> parse_json(std::string_view text) {
  if (is_nested_too_deeply(text)) return std::nullopt;
  auto value = nlohmann::ordered_json::parse(text, nullptr, false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

/// Whether parse_json would succeed; makes no value.
inline bool is_json(std::string_view text) {
  return !is_nested_too_deeply(text) && nlohmann::ordered_json::accept(text);
}

}  // namespace warptime
