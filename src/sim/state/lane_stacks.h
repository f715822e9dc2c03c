// The stacks of one warp's lanes: what outer activations of functions that call themselves hold in the function's rows,
// and where in local memory the variables of inner ones are. Functions that can be active only once never come here.
// Values only: that hardware keeps this in local memory costs no time here (docs/deviations.md).
#pragma once

#include <array>
#include <vector>

#include "sim/decode/compiled_kernel.h"
#include "sim/exec/lanes_of_mask.h"

namespace warptime::sim {

/// A lane of an address row is `address`.
inline void set_address(const WarpValues& values, const AddressRow& row, uint32_t lane, uint64_t address) {
  if (row.bytes == 8) set_lane<uint64_t>(values.rows() + row.offset, lane, address);
  else set_lane<uint32_t>(values.rows() + row.offset, lane, static_cast<uint32_t>(address));
}

class LaneStacks {
 public:
  /// All lanes at the begin of a kernel.
  void clear();
  /// Puts by what the lanes' rows hold of the function, and gives it variables of its own in local memory from
  /// `stack_begin` on. Returns the lanes that have no room; if there are any, nothing is done.
  uint32_t push(const WarpValues& values, const Recursion& function, uint32_t lanes, uint32_t stack_begin);
  /// Back as they were.
  void pop(const WarpValues& values, const Recursion& function, uint32_t lanes);
  /// All that is put by, as words.
  void append_state(std::vector<uint32_t>& out) const;

 private:
  struct Lane {
    uint32_t used = 0;   // of kStackBytes
    uint32_t kept = 0;   // bytes of values
    uint32_t local = 0;  // bytes of local memory
  };
  void make_room(uint32_t bytes);

  std::array<Lane, kWarpSize> lanes_{};
  uint32_t capacity_ = 0;  // of a lane, in `kept_`
  std::vector<std::byte> kept_;
};

}  // namespace warptime::sim
