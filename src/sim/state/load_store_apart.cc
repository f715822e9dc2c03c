// Accesses to the shared memory of other blocks of a cluster, which are on other SMs: what they send there, what is
// done there, and what comes back. The SM has the time.
#include <bit>
#include <cstring>

#include "sim/exec/atomic_operation.h"
#include "sim/model/address_space.h"
#include "sim/state/access_fault.h"
#include "sim/state/load_store.h"

namespace warptime::sim {

namespace {

constexpr uint32_t kHalf = LoadStore::kLaneBytes / 2;  // of an atomic operation: its second operand is in the other

template <class T>
T value_at(const std::byte* from, size_t bytes = sizeof(T)) {
  T out{};
  std::memcpy(&out, from, bytes);
  return out;
}

/// Calls f(lane, its part of the data).
template <class Data, class F>
void for_parts(uint32_t lanes, Data data, const F& f) {
  size_t at = 0;
  for_lanes_of(lanes, [&](uint32_t lane) {
    f(lane, data.data() + at);
    at += LoadStore::kLaneBytes;
  });
}

}  // namespace

/// False: the access is the block's own. True: others_ has it, or the fault.
bool LoadStore::shared_apart(const Insn& insn, const Warp& warp, uint32_t mask, FaultRecord& fault) {
  const uint32_t bytes = insn.access().bytes(), own = kernel_->rank_of(warp.shared) + 1;
  others_.lanes = 0;
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    const uint32_t bits = cluster_block_bits(addresses_[lane]);
    if (bits == 0) continue;
    const Addr at = addresses_[lane] & ~kClusterBlockMask;
    if (bits == own) {
      addresses_[lane] = at;
      continue;
    }
    const bool misaligned = (at & (bytes - 1)) != 0;
    if (misaligned || bits > launch_->cluster_blocks || at >= launch_->shared_bytes ||
        launch_->shared_bytes - at < bytes) {
      fault_at(fault, misaligned ? Fault::Kind::Misaligned : Fault::Kind::OutOfBounds, ptx::Space::Shared, lane,
               addresses_[lane], bytes, launch_->shared_bytes);
      return true;
    }
    others_.lanes |= 1u << lane;
    others_.rank[lane] = static_cast<uint8_t>(bits - 1);
    others_.at[lane] = static_cast<uint32_t>(at);
  }
  return !has_taken_others_ && (others_.lanes != 0 || insn.access().of_cluster);
}

bool LoadStore::access_own(const Insn& insn, Warp& warp, uint32_t warp_slot, uint32_t mask, MemoryAccess& out,
                           FaultRecord& fault) {
  has_taken_others_ = true;
  const bool good = access(insn, warp, warp_slot, mask, out, fault);
  has_taken_others_ = false;
  return good;
}

void LoadStore::read_operands(const Insn& insn, const Warp& warp, uint32_t lanes, std::span<std::byte> out) {
  if (insn.effect == ptx::Effect::Store) {
    std::array<std::byte*, kWarpSize> to{};
    for_parts(lanes, out, [&](uint32_t lane, std::byte* part) { to[lane] = part; });
    return store_values(warp.values, insn, lanes, to);
  }
  if (insn.effect != ptx::Effect::Atomic) return;
  const AtomicPayload& operation = insn.atomic();
  const uint32_t bytes = operation.access.element_bytes;
  const bool wide = bytes == kWideWordBytes;
  auto read = [&](RowRef row, uint32_t lane, std::byte* to) {
    const uint32_t each = wide ? 8 : bytes;
    std::memcpy(to, row.in(warp.values) + size_t{lane} * each, each);
  };
  for_parts(lanes, out, [&](uint32_t lane, std::byte* part) {
    read(operation.b, lane, part);
    read(operation.c, lane, part + kHalf);
    if (!wide) return;
    read(operation.b_high, lane, part + 8);
    read(operation.c_high, lane, part + kHalf + 8);
  });
}

void LoadStore::perform(const Insn& insn, std::byte* shared, uint32_t lanes, const std::array<uint32_t, kWarpSize>& at,
                        std::span<std::byte> data) {
  const uint32_t bytes = insn.access().bytes();
  if (insn.effect == ptx::Effect::Load)
    return for_parts(lanes, data, [&](uint32_t lane, std::byte* part) { std::memcpy(part, shared + at[lane], bytes); });
  changed_memory_ = true;
  if (insn.effect == ptx::Effect::Store)
    return for_parts(lanes, data, [&](uint32_t lane, std::byte* part) { std::memcpy(shared + at[lane], part, bytes); });
  const AtomicPayload& operation = insn.atomic();
  for_parts(lanes, data, [&](uint32_t lane, std::byte* part) {
    std::byte* word = shared + at[lane];
    if (bytes == kWideWordBytes) {
      using Word = std::array<uint64_t, 2>;
      const auto old = value_at<Word>(word), b = value_at<Word>(part), c = value_at<Word>(part + kHalf);
      std::memcpy(part, old.data(), sizeof old);
      if (operation.compares && old != b) return;
      std::memcpy(word, operation.compares ? c.data() : b.data(), sizeof old);
      return;
    }
    const auto old = value_at<uint64_t>(word, bytes);
    const uint64_t value =
        operation.shared(old, value_at<uint64_t>(part, bytes), value_at<uint64_t>(part + kHalf, bytes));
    std::memcpy(word, &value, bytes);
    std::memcpy(part, &old, bytes);
  });
}

void LoadStore::write_results(const Insn& insn, const Warp& warp, uint32_t lanes, std::span<const std::byte> data) {
  if (insn.effect == ptx::Effect::Load) {
    std::array<const std::byte*, kWarpSize> from{};
    for_parts(lanes, data, [&](uint32_t lane, const std::byte* part) { from[lane] = part; });
    return load_values(warp.values, insn, lanes, from);
  }
  const AtomicPayload& operation = insn.atomic();
  const uint32_t bytes = operation.access.element_bytes;
  for_parts(lanes, data, [&](uint32_t lane, const std::byte* part) {
    if (bytes != kWideWordBytes)
      return void(std::memcpy(warp.values.rows() + insn.dst + size_t{lane} * bytes, part, bytes));
    set_lane(warp.values.rows() + insn.dst, lane, value_at<uint64_t>(part));
    set_lane(warp.values.rows() + operation.dst_high, lane, value_at<uint64_t>(part + 8));
  });
}

}  // namespace warptime::sim
