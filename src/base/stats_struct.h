// A statistic is one row of a table: member, JSON key, unit, and the sentence that explains it.
//
//   #define CACHE_STATS(S)
//     S(accesses, "accesses", "warp instructions that looked")
//     S(hits,     "accesses", "tag and data present")
//   STATS_STRUCT(CacheStats, CACHE_STATS)
//
// All are plain 64-bit integers that add up over SMs and launches; ratios are computed where they are printed.
#pragma once

#include <cstdint>
#include <string_view>

#define STATS_MEMBER(name, unit, doc) uint64_t name = 0;
#define STATS_ADD(name, unit, doc) name += other.name;
#define STATS_VISIT(name, unit, doc) \
  visitor(std::string_view(#name), self.name, std::string_view(unit), std::string_view(doc));

/// Defines the struct with `add(other)` and `visit(self, visitor)`; visitor(name, value, unit, doc) for each row in
/// order.
#define STATS_STRUCT(struct_name, STATS)                    \
  struct struct_name {                                      \
    STATS(STATS_MEMBER)                                     \
    void add(const struct_name& other) { STATS(STATS_ADD) } \
    template <class Self, class Visitor>                    \
    static void visit(Self& self, Visitor&& visitor) {      \
      STATS(STATS_VISIT)                                    \
    }                                                       \
    bool operator==(const struct_name&) const = default;    \
  };
