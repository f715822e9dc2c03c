// What-ifs that no machine has, for `explain --check`: instructions of some PTX lines are free of a cost. Values do not
// change. No key of a machine file sets them; with none set, nothing differs.
#pragma once

#include <cstdint>

namespace warptime::sim {

/// One PTX line, all, or none.
class Lines {
 public:
  Lines() = default;
  static Lines all() { return Lines(kAll); }
  /// 0: all.
  static Lines only(uint32_t line) { return Lines(line == 0 ? kAll : line); }
  bool has(uint32_t line) const { return line_ == kAll || (line_ != 0 && line_ == line); }
  bool any() const { return line_ != 0; }
  bool operator==(const Lines&) const = default;

 private:
  static constexpr uint32_t kAll = ~uint32_t{0};
  explicit Lines(uint32_t line) : line_(line) {}
  uint32_t line_ = 0;
};

struct Assumptions {
  Lines coalesced{};      // accesses of global memory: as if consecutive lanes accessed consecutive elements, aligned
  Lines conflict_free{};  // accesses of shared memory: no bank conflict
  Lines at_once{};        // loads from global and local memory: the value is there at once; the transactions are sent
  bool operator==(const Assumptions&) const = default;
};

}  // namespace warptime::sim
