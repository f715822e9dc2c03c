// A parameter is one row of a table. The row is the member, the YAML key, the default, the range check, the help text
// and the line in the resolved dump:
//
//   //      type      name        default  check             what it is
//   #define CACHE_PARAMS(P)
//     P(uint32_t, line_bytes, 128, power_of_two(32, 256), "bytes in one line")
//   CONFIG_STRUCT(CacheConfig, CACHE_PARAMS)
//
// A member may itself be a CONFIG_STRUCT (its keys nest: `shared.bytes`); its row has the default `{}` and the check
// `any()`. An enumeration needs CONFIG_ENUM. Loading is in sim/model (this header knows no YAML).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace warptime {

/// A range or other condition on a parameter, with its own description for messages.
struct ParamCheck {
  enum class Kind : uint8_t { Any, Range, PowerOfTwo, OneOf };
  Kind kind = Kind::Any;
  double low = 0, high = 0;
  const char* words = "";  // OneOf: the legal strings, separated by '|'
  bool timed = true;       // false: no time of a launch depends on the parameter

  bool accepts(double value) const;
  bool accepts(std::string_view word) const;
  /// The legal strings of OneOf; otherwise none.
  std::vector<std::string> one_of_words() const;
  /// "1 to 64", "a power of two from 32 to 256", "1.0 or 1.2"; empty for Any.
  std::string describe() const;
};
constexpr ParamCheck any() { return {}; }
constexpr ParamCheck range(double low, double high) { return {ParamCheck::Kind::Range, low, high, ""}; }
constexpr ParamCheck power_of_two(double low, double high) { return {ParamCheck::Kind::PowerOfTwo, low, high, ""}; }
constexpr ParamCheck one_of(const char* words) { return {ParamCheck::Kind::OneOf, 0, 0, words}; }
/// The check of a parameter that no time of a launch depends on: a name, or a limit of what programs may ask for.
constexpr ParamCheck untimed(ParamCheck check) {
  check.timed = false;
  return check;
}

/// Whether T was made by CONFIG_STRUCT.
template <class T>
concept ConfigStruct = requires {
  T::kIsConfigStruct;
};

/// Whether T was made by CONFIG_ENUM.
template <class T>
concept ConfigEnum = std::is_enum_v<T> && requires(T value) {
  config_enum_names(value);
};

/// The YAML spellings in a CONFIG_ENUM's text, in the order of the enumerators.
std::vector<std::string> split_enum_names(std::string_view names);

}  // namespace warptime

/// CONFIG_ENUM(WarpPolicy, round_robin, oldest_first): the enumerators are the YAML spellings; one trailing underscore
/// (for words that C++ keeps for itself) is not part of the spelling. `config_enum_names` is found by
/// argument-dependent lookup.
#define CONFIG_ENUM(type, ...)               \
  enum class type : uint8_t { __VA_ARGS__ }; \
  inline constexpr const char* config_enum_names(type) { return #__VA_ARGS__; }

#define CONFIG_MEMBER(type, name, init, check, doc) type name = init;
#define CONFIG_VISIT(type, name, init, check, doc) visitor(#name, self.name, ::warptime::check, std::string_view(doc));

/// Defines the struct. `visit(self, visitor)` calls `visitor(key, member, ParamCheck, doc)` for each row in order;
/// `self` may be const. This is all the loader, the dump and the documentation use.
#define CONFIG_STRUCT(struct_name, PARAMS)             \
  struct struct_name {                                 \
    static constexpr bool kIsConfigStruct = true;      \
    PARAMS(CONFIG_MEMBER)                              \
    template <class Self, class Visitor>               \
    static void visit(Self& self, Visitor&& visitor) { \
      PARAMS(CONFIG_VISIT)                             \
    }                                                  \
  };
