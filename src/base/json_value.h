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

/// nullopt: it is not JSON, or nested too deeply.
inline std::optional<nlohmann::ordered_json> parse_json(std::string_view text) {
  bool is_too_deep = false;
  auto keep = [&](int depth, nlohmann::ordered_json::parse_event_t event, const auto&) {
    using Event = nlohmann::ordered_json::parse_event_t;
    const bool begins = event == Event::object_start || event == Event::array_start;
    is_too_deep = is_too_deep || (begins && depth >= static_cast<int>(kMostJsonNesting));  // depth: those around it
    return !is_too_deep;
  };
  auto value = nlohmann::ordered_json::parse(text, keep, false);
  if (is_too_deep || value.is_discarded()) return std::nullopt;
  return value;
}

/// Whether parse_json would succeed.
inline bool is_json(std::string_view text) { return parse_json(text).has_value(); }

}  // namespace warptime
