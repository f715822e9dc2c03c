#include "sim/state/call_stacks.h"

#include <algorithm>
#include <cstring>

#include "sim/exec/lanes_of_mask.h"

namespace warptime::sim {

namespace {

constexpr uint32_t kFirstCapacity = 1024;

/// Calls f(bytes in a row, how many) for what the function has in a lane.
template <class F>
void for_values(const WarpValues& values, const Recursion& function, uint32_t lane, const F& f) {
  for (const Recursion::Row& row : function.rows)
    f(values.rows() + row.offset + size_t{lane} * row.lane_bytes, row.lane_bytes);
  for (const AddressRow& row : function.addresses) f(values.rows() + row.offset + size_t{lane} * row.bytes, row.bytes);
}

}  // namespace

void CallStacks::clear() { lanes_.fill({}); }

void CallStacks::make_room(uint32_t bytes) {
  if (bytes <= capacity_) return;
  uint32_t capacity = std::max({bytes, 2 * capacity_, kFirstCapacity});
  std::vector<std::byte> kept(size_t{capacity} * kWarpSize);
  for (uint32_t lane = 0; lane < kWarpSize; ++lane)
    if (lanes_[lane].kept != 0)
      std::memcpy(kept.data() + size_t{lane} * capacity, kept_.data() + size_t{lane} * capacity_, lanes_[lane].kept);
  kept_ = std::move(kept);
  capacity_ = capacity;
}

uint32_t CallStacks::push(const WarpValues& values, const Recursion& function, uint32_t lanes, uint32_t stack_begin) {
  uint32_t full = 0, most = 0;
  for_lanes_of(lanes, [&](uint32_t lane) {
    full |= uint32_t{lanes_[lane].used + function.stack_bytes > kStackBytes} << lane;
    most = std::max(most, lanes_[lane].kept);
  });
  if (full != 0) return full;
  make_room(most + function.kept_bytes);
  for_lanes_of(lanes, [&](uint32_t lane) {
    Lane& own = lanes_[lane];
    std::byte* to = kept_.data() + size_t{lane} * capacity_ + own.kept;
    for_values(values, function, lane, [&](const std::byte* value, uint32_t bytes) {
      std::memcpy(to, value, bytes);
      to += bytes;
    });
    for (uint32_t predicate : function.predicates)
      *to++ = static_cast<std::byte>((values.predicates[predicate] >> lane) & 1);
    uint64_t moved = uint64_t{stack_begin} + own.local - function.local_begin;
    for (const AddressRow& row : function.addresses) set_address(values, row, lane, row.address + moved);
    own.used += function.stack_bytes;
    own.kept += function.kept_bytes;
    own.local += function.local_bytes;
  });
  return 0;
}

void CallStacks::pop(const WarpValues& values, const Recursion& function, uint32_t lanes) {
  for_lanes_of(lanes, [&](uint32_t lane) {
    Lane& own = lanes_[lane];
    own.used -= function.stack_bytes;
    own.kept -= function.kept_bytes;
    own.local -= function.local_bytes;
    const std::byte* from = kept_.data() + size_t{lane} * capacity_ + own.kept;
    for_values(values, function, lane, [&](std::byte* value, uint32_t bytes) {
      std::memcpy(value, from, bytes);
      from += bytes;
    });
    for (uint32_t predicate : function.predicates) {
      uint32_t& mask = values.predicates[predicate];
      mask = (mask & ~(1u << lane)) | static_cast<uint32_t>(*from++) << lane;
    }
  });
}

void CallStacks::append_state(std::vector<uint32_t>& out) const {
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    out.insert(out.end(), {lanes_[lane].used, lanes_[lane].kept, lanes_[lane].local});
    for (uint32_t at = 0; at < lanes_[lane].kept; at += 4) {
      uint32_t word = 0;
      std::memcpy(&word, kept_.data() + size_t{lane} * capacity_ + at, std::min<uint32_t>(4, lanes_[lane].kept - at));
      out.push_back(word);
    }
  }
}

}  // namespace warptime::sim
