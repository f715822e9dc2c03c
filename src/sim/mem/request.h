// Requests of SMs to the memory system, and its answers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "sim/model/cache_levels.h"

namespace warptime::sim {

inline constexpr uint32_t kMaxStoreBytes = 128;

/// The bytes of one store transaction, from its issue until they are visible to every load. Owned by the issuing SM's
/// StoreBuffer.
struct PendingStore {
  uint16_t launch = 0;              // LaunchContext::number of its warp
  bool visible = false;             // set when its bytes are in DeviceMemory: the SM's own loads then read them there
  Addr address = 0;                 // of byte 0
  PendingStore* carried = nullptr;  // the next store whose bytes travel with this one (AccessPayload::consecutive)
  std::array<uint64_t, 2> byte_mask{};  // bit i: byte i is written
  std::array<std::byte, kMaxStoreBytes> bytes{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(launch, visible);
    archive.expect(launch == 0);  // of several, no state is saved
    archive.index(address, archive.limits.memory);
    archive(byte_mask);
    archive.pointer(carried);
    archive.bytes(bytes);
  }

  bool writes(uint32_t byte) const { return ((byte_mask[byte / 64] >> (byte % 64)) & 1) != 0; }
  /// By granule of 32 bytes of the aligned 128 around it: whether it writes all of that. Of stores that travel
  /// together, and of those whose bytes are elsewhere, all do.
  uint32_t whole_granules() const {
    if (carried != nullptr || (byte_mask[0] | byte_mask[1]) == 0) return ~uint32_t{0};
    uint32_t whole = 0;
    for (uint32_t i = 0; i < kMaxStoreBytes / 32; ++i)
      if (static_cast<uint32_t>(byte_mask[i / 2] >> i % 2 * 32) == ~uint32_t{0}) whole |= 1u << i;
    return whole << address % kMaxStoreBytes / 32;
  }
};

/// Patches `out`, which holds [address, address + bytes), with a store that is not in DeviceMemory yet.
inline void overlay(const PendingStore& store, Addr address, uint32_t bytes, std::byte* out) {
  if (store.address >= address + bytes || address >= store.address + kMaxStoreBytes) return;
  Addr begin = std::max(address, store.address), end = std::min(address + bytes, store.address + kMaxStoreBytes);
  for (Addr at = begin; at < end; ++at) {
    auto index = static_cast<uint32_t>(at - store.address);
    if (store.writes(index)) out[at - address] = store.bytes[index];
  }
}

/// The part of an atomic instruction in one transaction. The partition performs it and fills in the old words and the
/// resulting store. Owned by the issuing SM.
struct PendingAtomic : PendingStore {
  uint64_t (*combine)(uint64_t old, uint64_t b, uint64_t c) = nullptr;
  uint32_t lanes = 0;  // one bit per lane
  uint8_t word_bytes = 4;
  bool compares = false;         // AtomicPayload::compares
  bool conflict_free = false;    // AccessPayload::conflict_free
  bool combined = false;         // the warp has made one operation of those of its lanes, which are at one word
  bool floating = false;         // on floating-point words
  uint16_t size = 0;             // bytes of the transaction
  uint32_t load = 0;             // the SM's number of the waiting result; kNoLoad: the old words are not needed
  uint32_t slot = 0;             // in its pool
  std::array<uint8_t, 32> at{};  // by lane: offset of its word
  std::array<uint64_t, 32> b{}, c{}, old{};
  /// Where the upper half of a lane's word of 128 bits is: the lanes of such a transaction are in one half-warp, and
  /// those of the other have no words.
  static constexpr size_t upper(size_t lane) { return lane ^ 16; }

  template <class Archive>
  void serialize(Archive& archive) {
    PendingStore::serialize(archive);
    archive.function_pointer(combine);
    archive.expect(combine != nullptr);
    archive(lanes, word_bytes, compares, conflict_free, combined, floating, size, load, slot, at, b, c, old);
    archive.expect(word_bytes <= sizeof(uint64_t) || (word_bytes == 16 && (lanes >> 16 == 0 || (lanes & 0xffff) == 0)));
    for (uint32_t lane = 0; lane < at.size(); ++lane)
      archive.expect((lanes >> lane & 1) == 0 || at[lane] + word_bytes <= kMaxStoreBytes);
  }

  static constexpr uint32_t kNoLoad = ~uint32_t{0};

  /// Performs the lanes' operations in lane order on `bytes`, which hold the transaction's bytes so far.
  void perform();
  void perform_wide();
  /// The largest number of lanes at one word: the atomic unit serves them one after the other.
  uint32_t conflict_degree() const;
};

/// A transaction that an SM sends to a partition. Ordered by (cycle, sm, slot).
struct Request {
  Cycle cycle = 0;  // ready to leave the SM
  Addr address = 0;
  Addr word = 0;                  // Transaction::word: requests of one group to the same word may share a DRAM read
  uint32_t tag = 0;               // given by the SM: load to answer, or store to acknowledge
  PendingStore* store = nullptr;  // nullptr: a read
  uint16_t bytes = 0;             // that travel: 32, 64, 96 or 128
  uint8_t granules = 0;           // bit i: those of the 32 from address + 32 i; 0: `bytes` from the address on
  uint16_t port_bytes = 0;        // of a read: what its answer occupies the TPC's port for, if more than `bytes`
  uint16_t sm = 0;                // index on the chip
  uint32_t launch = 0;            // LaunchContext::number
  uint32_t group = 0;  // its half-warp request (same_address_merge); unique among the outstanding requests of an SM
  ReadKind kind = ReadKind::Plain;
  bool atomic = false;   // `store` is a PendingAtomic
  bool counted = false;  // announced by TpcMemory::expect
};

/// An answer to an SM or the caches of a TPC: data of a read, or the acknowledgement of a write.
/// Who is answered, in a restored state: the SM's load or warp, or a line of the TPC's caches; and with an atomic
/// operation, if it says so.
template <class Archive, class A>
void expect_answer(Archive& archive, const A& answer) {
  if constexpr (Archive::kRestores) {
    const auto& limits = archive.limits;
    const uint64_t tpc = answer.sm / std::max<uint64_t>(1, limits.sms / std::max<uint64_t>(1, limits.tpcs));
    archive.expect(answer.store != nullptr || !answer.atomic);
    archive.template expect_kind<PendingAtomic>(answer.store, answer.atomic);
    if (answer.kind != ReadKind::Plain) archive.expect(tpc < limits.lines.size() && answer.tag < limits.lines[tpc]);
    else if (answer.store == nullptr)
      archive.expect(answer.sm < limits.loads.size() && answer.tag < limits.loads[answer.sm]);
    else if (!answer.atomic) archive.expect((answer.tag & 0xff) < limits.warps);
  }
}

struct Response {
  uint32_t tag = 0;                 // of the request
  uint16_t sm = 0;                  // index on the chip
  ReadKind kind = ReadKind::Plain;  // others: a line for the TPC's caches; the tag is theirs
  bool atomic = false;              // `store` is a PendingAtomic
  bool from_cache = false;          // of a read: the partition's cache had it
  Cycle cycle = 0;                  // all data have arrived
  PendingStore* store = nullptr;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(tag);
    archive.index(sm, archive.limits.sms);
    archive(kind, atomic, from_cache, cycle);
    archive.pointer(store);
    expect_answer(archive, *this);
  }
};

}  // namespace warptime::sim
