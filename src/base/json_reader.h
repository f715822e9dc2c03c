// JSON (RFC 8259) of any size, read once from front to back in constant memory: a handler receives it value by value.
// Deep nesting, numbers that no double holds and broken text are errors with a place; nothing in a file can end the
// program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace warptime {

/// Receives the values in their order. `key`: of a member of an object; of an item of a list it is empty. Texts last as
/// long as the call.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;
  virtual void begin_object(std::string_view key) = 0;
  virtual void begin_list(std::string_view key) = 0;
  /// The end of the innermost object or list that is open.
  virtual void end() = 0;
  /// `digits`: as it is written.
  virtual void number(std::string_view key, double value, std::string_view digits) = 0;
  virtual void text(std::string_view key, std::string_view value) = 0;
  /// true, false or null.
  virtual void word(std::string_view key, std::string_view value) = 0;
};

struct JsonMistake {
  uint64_t offset = 0;  // bytes before it
  std::string what;     // "expected a value"
};

inline constexpr size_t kMostJsonNesting = 256;

/// `read(to, most)` says how many further bytes it has put there; 0: the end. What was told before a mistake has been
/// told.
std::optional<JsonMistake> read_json(const std::function<size_t(char*, size_t)>& read, JsonEvents& events);

}  // namespace warptime
