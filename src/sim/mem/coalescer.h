// Turns the addresses of a warp's lanes into memory transactions, by the rule of a compute capability.
#pragma once

#include <cstdint>
#include <span>

#include "base/clock.h"

namespace warptime::sim {

/// One transaction as the SM sends it: `bytes` (32, 64 or 128) from `address` (aligned to it) for some lanes.
struct Transaction {
  Addr address = 0;
  Addr word = 0;       // 4-byte word where its first lane begins; `address` of a coalesced transaction
  uint32_t lanes = 0;  // bit a lane
  uint16_t bytes = 0;
  uint8_t half = 0;  // half-warp that it serves
};

/// At most 32 lanes x (16 bytes: one transaction each, 32-byte elements: two).
inline constexpr size_t kMaxTransactions = 64;

struct Coalesced {
  uint32_t count = 0;  // transactions written
  uint32_t coalesced_halves = 0;
  uint32_t uncoalesced_halves = 0;
};

/// Compute capability 1.0/1.1 (CUDA C Programming Guide 4.2, F.3.2.1). `addresses` has 32 entries; those outside `mask`
/// are ignored; `element_bytes` is what one lane accesses (vector included). Half-warps without an active lane produce
/// nothing.
Coalesced coalesce_1_0(std::span<const Addr, 32> addresses, uint32_t mask, uint32_t element_bytes,
                       std::span<Transaction, kMaxTransactions> out);

}  // namespace warptime::sim
