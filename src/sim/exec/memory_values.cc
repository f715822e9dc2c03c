#include "sim/exec/memory_values.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/assert.h"
#include "sim/exec/lanes_of_mask.h"
#include "sim/exec/predicate_handlers.h"

namespace warptime::sim {

namespace {

template <class T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

/// Whether all 32 lanes are at consecutive places. One sum of differences: no branch for each lane.
template <size_t kStride, class P>
bool consecutive(const std::array<P, kWarpSize>& at) {
  auto first = reinterpret_cast<uintptr_t>(at[0]);
  uintptr_t difference = 0;
  for (uint32_t lane = 0; lane < kWarpSize; ++lane)
    difference |= reinterpret_cast<uintptr_t>(at[lane]) ^ (first + lane * kStride);
  return difference == 0;
}
/// Whether a whole warp's access is one copy of bytes between a row and memory.
template <class P>
bool one_copy(const LoadStorePayload& values, uint32_t mask, const std::array<P, kWarpSize>& at) {
  if (mask != kFullMask || values.access.vector != 1 || values.register_bytes != values.access.element_bytes)
    return false;
  if (values.access.element_bytes == 4) return consecutive<4>(at);
  return values.access.element_bytes == 8 && consecutive<8>(at);
}

template <class A>
void addresses_of(const WarpValues& warp, const AddressOperand& address, uint32_t mask,
                  std::array<Addr, kWarpSize>& out) {
  const std::byte* base = address.base.in(warp);
  auto offset = static_cast<A>(address.offset);
  for_lanes_of(mask, [&](uint32_t lane) { out[lane] = static_cast<A>(read<A>(base + lane * sizeof(A)) + offset); });
}

/// One element of every lane: memory type M (its sign says how to extend) into a register of type R. Bits of M that R
/// has no place for do not exist: a register is never narrower than the access.
template <class R, class M>
void load_element(std::byte* row, uint32_t mask, const std::array<const std::byte*, kWarpSize>& from, size_t at) {
  for_lanes_of(mask, [&](uint32_t lane) {
    R value = static_cast<R>(read<M>(from[lane] + at));
    std::memcpy(row + lane * sizeof(R), &value, sizeof(R));
  });
}
template <class R, class M>
void store_element(const std::byte* row, uint32_t mask, const std::array<std::byte*, kWarpSize>& to, size_t at) {
  for_lanes_of(mask, [&](uint32_t lane) {
    M value = static_cast<M>(read<R>(row + lane * sizeof(R)));
    std::memcpy(to[lane] + at, &value, sizeof(M));
  });
}

constexpr uint32_t widths(uint32_t register_bytes, uint32_t element_bytes) {
  return register_bytes * 16 + element_bytes;
}

/// Calls f with the C++ types of the register and of the access.
template <class F>
void with_types(const LoadStorePayload& values, const F& f) {
  bool s = values.sign_extend;
  switch (widths(values.register_bytes, values.access.element_bytes)) {
    case widths(1, 1): return f(uint8_t{}, uint8_t{});
    case widths(2, 1): return s ? f(uint16_t{}, int8_t{}) : f(uint16_t{}, uint8_t{});
    case widths(4, 1): return s ? f(uint32_t{}, int8_t{}) : f(uint32_t{}, uint8_t{});
    case widths(8, 1): return s ? f(uint64_t{}, int8_t{}) : f(uint64_t{}, uint8_t{});
    case widths(2, 2): return f(uint16_t{}, uint16_t{});
    case widths(4, 2): return s ? f(uint32_t{}, int16_t{}) : f(uint32_t{}, uint16_t{});
    case widths(8, 2): return s ? f(uint64_t{}, int16_t{}) : f(uint64_t{}, uint16_t{});
    case widths(4, 4): return f(uint32_t{}, uint32_t{});
    case widths(8, 4): return s ? f(uint64_t{}, int32_t{}) : f(uint64_t{}, uint32_t{});
    case widths(8, 8): return f(uint64_t{}, uint64_t{});
  }
  SIM_ASSERT(false, "a register of {} bytes and an access of {}", values.register_bytes, values.access.element_bytes);
}

}  // namespace

void lane_addresses(const WarpValues& warp, const AddressOperand& address, uint32_t mask,
                    std::array<Addr, kWarpSize>& out) {
  if (address.is_64) addresses_of<uint64_t>(warp, address, mask, out);
  else addresses_of<uint32_t>(warp, address, mask, out);
}

void load_values(const WarpValues& warp, const Insn& insn, uint32_t mask,
                 const std::array<const std::byte*, kWarpSize>& from) {
  const LoadStorePayload& values = insn.load_store();
  if (one_copy(values, mask, from)) {
    std::memcpy(warp.rows() + values.data[0].bits, from[0], size_t{kWarpSize} * values.access.element_bytes);
    return;
  }
  with_types(values, [&](auto r, auto m) {
    for (uint32_t e = 0; e < values.access.vector; ++e)
      load_element<decltype(r), decltype(m)>(warp.rows() + values.data[e].bits, mask, from, e * sizeof(m));
  });
}

void load_uniform(const WarpValues& warp, const Insn& insn, uint32_t mask, const std::byte* from) {
  const LoadStorePayload& values = insn.load_store();
  with_types(values, [&](auto r, auto m) {
    using R = decltype(r);
    using M = decltype(m);
    for (uint32_t e = 0; e < values.access.vector; ++e) {
      R value = static_cast<R>(read<M>(from + e * sizeof(M)));
      std::byte* row = warp.rows() + values.data[e].bits;
      for_lanes_of(mask, [&](uint32_t lane) { std::memcpy(row + lane * sizeof(R), &value, sizeof(R)); });
    }
  });
}

void store_values(const WarpValues& warp, const Insn& insn, uint32_t mask,
                  const std::array<std::byte*, kWarpSize>& to) {
  const LoadStorePayload& values = insn.load_store();
  if (one_copy(values, mask, to)) {
    std::memcpy(to[0], values.data[0].in(warp), size_t{kWarpSize} * values.access.element_bytes);
    return;
  }
  if (values.access.vector == 1) {
    with_types(values,
               [&](auto r, auto m) { store_element<decltype(r), decltype(m)>(values.data[0].in(warp), mask, to, 0); });
    return;
  }
  // Lane by lane, so that where vectors of several lanes overlap, all of the last lane's elements win.
  with_types(values, [&](auto r, auto m) {
    using R = decltype(r);
    using M = decltype(m);
    for_lanes_of(mask, [&](uint32_t lane) {
      for (uint32_t e = 0; e < values.access.vector; ++e) {
        M value = static_cast<M>(read<R>(values.data[e].in(warp) + lane * sizeof(R)));
        std::memcpy(to[lane] + e * sizeof(M), &value, sizeof(M));
      }
    });
  });
}

namespace {

/// Calls f(bytes of the variable in the lane's part of a row, bytes of the value, how many) for the parts of an
/// element.
template <class F>
void for_parts(uint64_t at, uint32_t bytes, const F& f) {
  for (uint32_t done = 0, count = 0; done < bytes; done += count) {
    const auto within = static_cast<uint32_t>((at + done) % 4);  // not 0: an access at any address is legal
    count = std::min(4 - within, bytes - done);
    f((at + done) / 4 * kRowBytes + within, done, count);
  }
}

}  // namespace

void load_passed(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  std::array<std::array<std::byte, 16>, kWarpSize> values;
  std::array<const std::byte*, kWarpSize> from;
  const AccessPayload& passed = insn.access();
  const std::byte* variable = passed.address.base.in(warp);
  uint32_t bytes = passed.bytes();
  for_lanes_of(mask, [&](uint32_t lane) {
    from[lane] = values[lane].data();
    for_parts(static_cast<uint64_t>(passed.address.offset), bytes, [&](uint64_t row, uint32_t at, uint32_t count) {
      std::memcpy(values[lane].data() + at, variable + row + lane * 4, count);
    });
  });
  load_values(warp, insn, mask, from);
}

void store_passed(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  std::array<std::array<std::byte, 16>, kWarpSize> values;
  std::array<std::byte*, kWarpSize> to;
  for_lanes_of(mask, [&](uint32_t lane) { to[lane] = values[lane].data(); });
  store_values(warp, insn, mask, to);
  const AccessPayload& passed = insn.access();
  std::byte* variable = warp.rows() + passed.address.base.bits;
  uint32_t bytes = passed.bytes();
  for_lanes_of(mask, [&](uint32_t lane) {
    for_parts(static_cast<uint64_t>(passed.address.offset), bytes, [&](uint64_t row, uint32_t at, uint32_t count) {
      std::memcpy(variable + row + lane * 4, values[lane].data() + at, count);
    });
  });
}

}  // namespace warptime::sim
