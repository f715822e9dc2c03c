// What travels between a TPC and the memory partitions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/clock.h"

namespace warptime::sim {

inline constexpr uint32_t kMaxStoreBytes = 128;

/// What a read is for: decides which caches it meets. Plain ones meet none within the TPC.
enum class ReadKind : uint8_t { Plain, Data, Constant, Instruction, Texture };
inline constexpr size_t kReadKinds = 5;

/// The bytes of one store transaction, from its issue until they are visible to every load. Owned by the issuing SM's
/// StoreBuffer.
struct PendingStore {
  bool visible = false;  // set when its bytes are in DeviceMemory: the SM's own loads no longer need them from here
  Addr address = 0;      // of byte 0
  std::array<uint64_t, 2> byte_mask{};  // bit i: byte i is written
  std::array<std::byte, kMaxStoreBytes> bytes{};
};

/// A transaction that an SM sends to a partition. Ordered by (cycle, sm, slot).
struct Request {
  Cycle cycle = 0;  // ready to leave the SM
  Addr address = 0;
  Addr word = 0;                  // Transaction::word: requests of one group to the same word may share a DRAM read
  uint32_t tag = 0;               // the SM's: load to answer, or store to acknowledge
  PendingStore* store = nullptr;  // nullptr: a read
  uint16_t bytes = 0;             // 32, 64 or 128
  uint16_t sm = 0;                // index on the chip
  uint32_t group = 0;  // half-warp request it belongs to (same_address_merge); unique within an SM for long enough
  ReadKind kind = ReadKind::Plain;
};

/// An answer on its way back: data of a read, or a write's acknowledgement.
struct Response {
  Cycle cycle = 0;  // at the TPC: all data there
  uint32_t tag = 0;
  PendingStore* store = nullptr;
  uint16_t bytes = 0;
  uint16_t sm = 0;
  ReadKind kind = ReadKind::Plain;  // others: a line for the TPC's caches; the tag is theirs
};

}  // namespace warptime::sim
