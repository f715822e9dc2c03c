// Turns the addresses of a warp's lanes into memory transactions, by the rule of a compute capability.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "base/clock.h"
#include "sim/model/machine.h"

namespace warptime::sim {

/// One transaction as the SM sends it: `bytes` from `address`, which is a multiple of 32, for some lanes. It lies
/// within an aligned 128 bytes.
struct Transaction {
  Addr address = 0;
  Addr word = 0;       // 4-byte word where its first lane begins; `address` of a coalesced transaction
  uint32_t lanes = 0;  // one bit per lane
  uint16_t bytes = 0;
  uint8_t half = 0;        // its half-warp
  uint8_t lane_bytes = 0;  // that each of its lanes accesses in it
  uint8_t granules = 0;  // bit i: its lanes access some of the 32 bytes from address + 32 i; 0: of all of them, perhaps

  /// Bytes that it moves, where those are not all.
  uint32_t bytes_of_granules() const { return static_cast<uint32_t>(std::popcount(granules)) * 32; }
  /// Bytes that its lanes access in it; those that several access count once for each of them.
  uint32_t bytes_of_lanes() const { return static_cast<uint32_t>(std::popcount(lanes)) * lane_bytes; }

  /// Whether it differs from another only in the lanes of the same half-warp: such transactions may form one run
  /// (request_run.h).
  bool equals_but_lanes(const Transaction& other) const {
    return address == other.address && word == other.word && bytes == other.bytes && half == other.half;
  }
};

/// At most 32 lanes x (16 bytes: one transaction each, 32-byte elements: two).
inline constexpr size_t kMaxTransactions = 64;

struct Coalesced {
  uint32_t count = 0;  // transactions written
  /// Requests (half-warps; from compute capability 2.x on, 128 bytes of lanes) with the minimum number of transactions
  /// for their bytes, and others.
  uint32_t coalesced = 0;
  uint32_t uncoalesced = 0;
};

struct CoalescingRule {
  enum class Kind : uint8_t {
    Strict,    // 1.0, 1.1: in sequence and aligned, or a transaction per lane (F.3.2.1)
    Segments,  // 1.2, 1.3: the segments that a half-warp touches, each shrunk to what is used (F.3.2.2)
    Lines,  // 2.x: the aligned lines that a request touches: a warp, of 8-byte elements a half, of 16 a quarter (F.4.2)
  };
  Kind kind = Kind::Strict;
  uint32_t line_bytes = 128;  // of Lines
  bool marks = false;         // Lines: transactions say which granules their lanes access
  bool trims = false;         // and begin with the first of them, and end with the last
};

/// The machine's rule. Loads of compute capability 2.x take lines of 128 bytes through an L1; loads that pass it, and
/// stores, take what their lanes access of `memory.request_bytes`. `local`: of local memory.
CoalescingRule coalescing_rule(const MachineConfig& machine, bool load, bool local = false);

/// That of copies of ranges and boxes: the memory port's, or the copy engine's, whose requests are of aligned bytes.
CoalescingRule copy_rule(const MachineConfig& machine);

/// The sections are of CUDA C Programming Guide 4.2. `addresses` has 32 entries, each a multiple of `element_bytes`;
/// those outside `mask` are ignored; `element_bytes` is what one lane accesses (vector included). Half-warps without an
/// active lane produce nothing.
Coalesced coalesce(const CoalescingRule& rule, std::span<const Addr, 32> addresses, uint32_t mask,
                   uint32_t element_bytes, std::span<Transaction, kMaxTransactions> out);

/// Addresses that coalesce: those of the lanes of a request are consecutive, in the aligned segment that
/// its first active lane of `mask` is in.
void make_consecutive(std::span<const Addr, 32> addresses, uint32_t mask, uint32_t element_bytes,
                      const CoalescingRule& rule, std::span<Addr, 32> out);

/// coalesce for a whole warp of 4-byte elements with consecutive addresses in each half-warp, from `first` and from
/// `second` on. False: the alignment does not permit this fast path; nothing is written.
bool coalesce_consecutive(const CoalescingRule& rule, Addr first, Addr second,
                          std::span<Transaction, kMaxTransactions> out, Coalesced& result);

/// coalesce for a warp whose half-warps access one word each, `first` and `second`. False: by the machine's rule they
/// are one transaction.
bool coalesce_same(const CoalescingRule& rule, Addr first, Addr second, std::span<Transaction, kMaxTransactions> out,
                   Coalesced& result);

/// The fewest transactions by that rule that could carry the bytes of these lanes, wherever they are.
uint32_t fewest_transactions(const CoalescingRule& rule, uint32_t lanes, uint32_t element_bytes);

}  // namespace warptime::sim
