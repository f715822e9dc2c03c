// An mbarrier object: the 64 bits in shared memory that PTX calls opaque (PTX ISA 9.0, 9.7.13.16). A phase is complete
// when no arrival and no byte is pending; the next one then expects as many arrivals as this did, less those that were
// dropped. The state that an arrival returns is the object as it was before.
//
// The hardware has another layout, which no program may rely on; it counts phases by parity alone, here modulo 8, so
// that checkers see more.
#pragma once

#include <cstdint>

namespace warptime::sim {

struct Mbarrier {
  static constexpr uint32_t kCountBits = 20, kBytesBits = 21, kPhaseBits = 3;
  static constexpr uint32_t kMostCount = (1u << kCountBits) - 1;  // arrivals, and bytes

  uint32_t pending = 0;   // arrivals
  uint32_t expected = 0;  // arrivals of the next phase
  int32_t bytes = 0;      // pending; less than none if they came before they were expected
  uint32_t phase = 0;

  static Mbarrier of(uint64_t word) {
    Mbarrier out;
    out.pending = static_cast<uint32_t>(word) & kMostCount;
    out.expected = static_cast<uint32_t>(word >> kCountBits) & kMostCount;
    const auto bytes = static_cast<uint32_t>(word >> (2 * kCountBits)) & ((1u << kBytesBits) - 1);
    out.bytes = static_cast<int32_t>(bytes << (32 - kBytesBits)) >> (32 - kBytesBits);
    out.phase = static_cast<uint32_t>(word >> (2 * kCountBits + kBytesBits));
    return out;
  }
  static Mbarrier with(uint32_t count) { return {count & kMostCount, count & kMostCount, 0, 0}; }
  uint64_t word() const {
    return uint64_t{pending & kMostCount} | uint64_t{expected & kMostCount} << kCountBits |
           uint64_t{static_cast<uint32_t>(bytes) & ((1u << kBytesBits) - 1)} << (2 * kCountBits) |
           uint64_t{phase} << (2 * kCountBits + kBytesBits);
  }

  /// Whether the phase of a state, or the last one of a parity, is complete.
  bool has_completed(uint64_t state) const { return of(state).phase != phase; }
  bool has_completed_parity(uint32_t parity) const { return (phase & 1) != (parity & 1); }

  void arrive(uint32_t count) {
    pending = (pending - count) & kMostCount;
    complete_if_done();
  }
  void complete_bytes(uint32_t count) {
    bytes -= static_cast<int32_t>(count);
    complete_if_done();
  }
  void complete_if_done() {
    if (pending != 0 || bytes != 0) return;
    phase = (phase + 1) % (1u << kPhaseBits);
    pending = expected;
  }
};

}  // namespace warptime::sim
