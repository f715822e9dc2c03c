// A statistic is one row of a table: member, unit, the sentence that explains it, and the name that NVIDIA's profilers
// have for the same number, if there is one.
//
//   #define CACHE_STATS(S)
//     S(accesses, "accesses", "warp instructions that looked")
//     S(hits,     "accesses", "tag and data present", "lts__t_tag_requests_hit.sum")
//   STATS_STRUCT(CacheStats, CACHE_STATS)
//
// All are plain 64-bit integers that add up over SMs and launches; ratios are computed where they are printed. Where
// members have other types, MIXED_STATS_STRUCT takes rows that begin with the type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace warptime {

/// What is known of a statistic beside its value. Of one that has parts (a struct, a list of reasons) `doc` and
/// `profiler` are what theirs begin with.
struct StatInfo {
  std::string_view name;
  std::string_view unit = {}, doc = {};
  std::string_view profiler = {};                    // of Nsight Compute, or of the CUDA profiler for devices 1.x
  std::string_view inner = {};                       // reports have it as the only member, with this name, of an object
  std::string_view scope = {};                       // where it is counted, if elsewhere than its group
  std::span<const std::string_view> profilers = {};  // of its parts in order, if they do not have their own
};

/// A struct of statistics, or of such structs.
template <class T>
concept StatStruct = requires(const T& value) {
  T::visit(value, [](const StatInfo&, const auto&) {});
};

/// f(number, other) for each number of two of a kind: numbers, arrays of them, structs that zip their members, and the
/// least or the most of numbers (sim/model/latency.h), which say themselves what += is. Text has none.
template <class T, class F>
void for_each_number(T& a, const T& b, F&& f) {
  if constexpr (std::is_arithmetic_v<T> || requires { typename T::IsExtreme; }) {
    f(a, b);
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    for (size_t i = 0; i < a.size(); ++i) for_each_number(a[i], b[i], f);
  } else if constexpr (requires { T::zip(a, b, f); }) {
    T::zip(a, b, [&f](auto& x, const auto& y) { for_each_number(x, y, f); });
  }
}

template <class T>
void add_numbers(T& to, const T& from) {
  for_each_number(to, from, [](auto& a, const auto& b) { a += b; });
}

}  // namespace warptime

#define STATS_MEMBER(name, ...) uint64_t name = 0;
#define STATS_VISIT(name, ...) visitor(::warptime::StatInfo{#name, __VA_ARGS__}, self.name);
#define STATS_ZIP(name, ...) f(a.name, b.name);
#define MIXED_STATS_MEMBER(type, name, ...) type name{};
#define MIXED_STATS_VISIT(type, ...) STATS_VISIT(__VA_ARGS__)
#define MIXED_STATS_ZIP(type, ...) STATS_ZIP(__VA_ARGS__)

/// `visit(self, visitor)` calls visitor(StatInfo, member) for each row in order, `zip(a, b, f)` calls f(member of a,
/// member of b).
#define STATS_STRUCT_OF(struct_name, members, visits, zips)                                \
  struct struct_name {                                                                     \
    members template <class Self, class Visitor>                                           \
    static void visit(Self& self, Visitor&& visitor) {                                     \
      visits                                                                               \
    }                                                                                      \
    template <class F>                                                                     \
    static void zip(struct_name& a, const struct_name& b, F&& f) {                         \
      zips                                                                                 \
    }                                                                                      \
    void add(const struct_name& other) { ::warptime::add_numbers(*this, other); }          \
    void subtract(const struct_name& earlier) {                                            \
      ::warptime::for_each_number(*this, earlier, [](auto& a, const auto& b) { a -= b; }); \
    }                                                                                      \
    bool operator==(const struct_name&) const = default;                                   \
  };
#define STATS_STRUCT(struct_name, STATS) \
  STATS_STRUCT_OF(struct_name, STATS(STATS_MEMBER), STATS(STATS_VISIT), STATS(STATS_ZIP))
#define MIXED_STATS_STRUCT(struct_name, STATS) \
  STATS_STRUCT_OF(struct_name, STATS(MIXED_STATS_MEMBER), STATS(MIXED_STATS_VISIT), STATS(MIXED_STATS_ZIP))
