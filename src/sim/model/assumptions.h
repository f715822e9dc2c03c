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
  /// Accesses of global memory: as if consecutive lanes accessed consecutive elements, aligned, unless that takes more
  /// bytes than it does. Of a store the bytes go where they belong; kernels with atomic operations keep their stores.
  Lines coalesced{};
  /// Accesses of shared memory: no bank conflict.
  Lines conflict_free{};
  /// Loads from constant memory: as if all lanes read one word.
  Lines uniform{};
  /// Atomic operations: as if each lane of a request changed a word, or a bank, of its own.
  Lines conflict_free_atomics{};
  /// Loads from global and local memory: the value is there at once; the transactions are sent.
  Lines at_once{};
  /// Instructions of warps that have diverged: as if the lanes that are off worked for other warps. They occupy warp
  /// scheduler and pipe for the part of their cycles that the active lanes are of the warp's threads.
  Lines filled{};
  bool operator==(const Assumptions&) const = default;
};

}  // namespace warptime::sim
