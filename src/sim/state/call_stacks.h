// The stacks of one warp's lanes, for recursive functions: the register values of outer activations, and the addresses
// in local memory of the variables of inner ones. Functions that can be active only once do not use them. Values only:
// hardware keeps stacks in local memory, but they take no time here (docs/deviations.md).
#pragma once

#include <array>
#include <vector>

#include "sim/decode/compiled_kernel.h"
#include "sim/exec/lanes_of_mask.h"

namespace warptime::sim {

/// Sets a lane of an address row to `address`.
inline void set_address(const WarpValues& values, const AddressRow& row, uint32_t lane, uint64_t address) {
  if (row.bytes == 8) set_lane<uint64_t>(values.rows() + row.offset, lane, address);
  else set_lane<uint32_t>(values.rows() + row.offset, lane, static_cast<uint32_t>(address));
}

class CallStacks {
 public:
  /// Empty stacks at the beginning of a kernel.
  void clear();
  /// Saves the lanes' values in the function's rows, and allocates new variables in local memory from `stack_begin` on.
  /// Returns the lanes whose stacks would overflow; if any, nothing is changed.
  uint32_t push(const WarpValues& values, const Recursion& function, uint32_t lanes, uint32_t stack_begin);
  /// Restores the rows and the variables.
  void pop(const WarpValues& values, const Recursion& function, uint32_t lanes);
  /// All saved values, as words.
  void append_state(std::vector<uint32_t>& out) const;

 private:
  struct Lane {
    uint32_t used = 0;   // of kStackBytes
    uint32_t kept = 0;   // bytes of saved values
    uint32_t local = 0;  // bytes of local memory

    template <class Archive>
    void serialize(Archive& archive) {
      archive(used, kept, local);
    }
  };
  void make_room(uint32_t bytes);

  std::array<Lane, kWarpSize> lanes_{};
  uint32_t capacity_ = 0;  // per lane, in `kept_`
  std::vector<std::byte> kept_;

 public:
  /// Saves or restores what changes (base/state_archive.h).
  template <class Archive>
  void serialize(Archive& archive) {
    archive(lanes_, capacity_);
    if constexpr (Archive::kRestores) archive.expect(capacity_ <= archive.left() * Archive::kPart / kWarpSize);
    for (const Lane& lane : lanes_) archive.expect(lane.kept <= capacity_ && lane.used <= kStackBytes);
    if constexpr (Archive::kRestores) kept_.resize(size_t{capacity_} * kWarpSize);
    archive.bytes(kept_);
  }
};

}  // namespace warptime::sim
