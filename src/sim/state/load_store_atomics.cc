// Atomic operations of the load/store unit: at once in shared memory; in global memory they are made ready for the
// partition that performs them.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/assert.h"
#include "sim/exec/atomic_operation.h"
#include "sim/exec/lanes_of_mask.h"
#include "sim/exec/matrix_operation.h"
#include "sim/state/load_store.h"

namespace warptime::sim {

namespace {

uint64_t word_at(const std::byte* row, uint32_t lane, uint32_t bytes) {
  uint64_t value = 0;
  std::memcpy(&value, row + size_t{lane} * bytes, bytes);
  return value;
}

}  // namespace

/// Lanes at one word go one after the other: each time a word of each bank is served for one lane.
void LoadStore::shared_atomic(const Insn& insn, Warp& warp, uint32_t mask, MemoryAccess& out) {
  const AtomicPayload& operation = insn.atomic();
  uint32_t bytes = operation.access.element_bytes;
  const std::byte *b = operation.b.in(warp.values), *c = operation.c.in(warp.values);
  const SharedConfig& config = machine_.sm.shared;
  std::array<uint8_t, 128> lanes_of_bank{};  // by bank
  uint32_t degree = 0, request = ~uint32_t{0};
  auto end_of_request = [&] {
    out.conflict_degree = std::max(out.conflict_degree, degree);
    out.replays += degree > 1 ? degree - 1 : 0;
    lanes_of_bank.fill(0);
    degree = 0;
  };
  for_lanes_of(mask, [&](uint32_t lane) {
    if (lane / config.request_lanes != request) {
      end_of_request();
      request = lane / config.request_lanes;
    }
    for (Addr word = addresses_[lane] / 4; word < (addresses_[lane] + bytes + 3) / 4; ++word)
      degree = std::max<uint32_t>(degree, ++lanes_of_bank[word % config.banks]);
    std::byte* at = warp.shared + addresses_[lane];
    if (bytes == kWideWordBytes) [[unlikely]]
      return swap_wide(operation, insn, warp, lane, at);
    uint64_t old = word_at(at, 0, bytes);
    uint64_t value = operation.shared(old, word_at(b, lane, bytes), word_at(c, lane, bytes));
    std::memcpy(at, &value, bytes);
    changed_memory_ |= old != word_at(at, 0, bytes);
    if (operation.has_result) std::memcpy(warp.values.rows() + insn.dst + size_t{lane} * bytes, &old, bytes);
  });
  end_of_request();
  if (operation.access.conflict_free) out.conflict_degree = 1, out.replays = 0;
  out.on_chip = true;
  out.chip_space = ptx::Space::Shared;
}

/// A word of 128 bits in shared memory.
void LoadStore::swap_wide(const AtomicPayload& operation, const Insn& insn, Warp& warp, uint32_t lane, std::byte* at) {
  using Word = std::array<uint64_t, 2>;
  auto operand = [&](RowRef low, RowRef high) {
    return Word{word_at(low.in(warp.values), lane, 8), word_at(high.in(warp.values), lane, 8)};
  };
  Word old{};
  std::memcpy(old.data(), at, sizeof old);
  const Word b = operand(operation.b, operation.b_high);  // before the result, which may go to the same registers
  const Word value = operation.compares ? operand(operation.c, operation.c_high) : b;
  if (operation.has_result) {
    set_lane(warp.values.rows() + insn.dst, lane, old[0]);
    set_lane(warp.values.rows() + operation.dst_high, lane, old[1]);
  }
  if (operation.compares && old != b) return;
  changed_memory_ |= old != value;
  std::memcpy(at, value.data(), sizeof value);
}

void LoadStore::global_atomic(const Insn& insn, const Warp& warp, uint32_t first, MemoryAccess& out) {
  const AtomicPayload& operation = insn.atomic();
  uint32_t bytes = operation.access.element_bytes;
  const std::byte *b = operation.b.in(warp.values), *c = operation.c.in(warp.values);
  for (uint32_t i = first; i < out.count; ++i) {
    const Transaction& transaction = out.transactions[i];
    PendingAtomic& atomic = *atomics_.add(transaction.address);
    atomic.combine = operation.global;
    atomic.size = transaction.bytes;
    atomic.lanes = transaction.lanes;
    atomic.word_bytes = operation.access.element_bytes;
    atomic.conflict_free = operation.access.conflict_free;
    atomic.compares = operation.compares;
    atomic.combined = atomic.floating = false;
    out.stores[i] = &atomic;
    if (bytes == kWideWordBytes) [[unlikely]] {
      wide_operands(operation, warp, atomic);
      continue;
    }
    for_lanes_of(transaction.lanes, [&](uint32_t lane) {
      atomic.at[lane] = static_cast<uint8_t>(addresses_[lane] - transaction.address);
      atomic.b[lane] = word_at(b, lane, bytes);
      atomic.c[lane] = word_at(c, lane, bytes);
    });
  }
}

void LoadStore::wide_operands(const AtomicPayload& operation, const Warp& warp, PendingAtomic& atomic) {
  SIM_ASSERT(atomic.lanes >> 16 == 0 || (atomic.lanes & 0xffff) == 0,
             "words of 128 bits of two half-warps in one transaction");
  auto read = [&](RowRef row, uint32_t lane) { return word_at(row.in(warp.values), lane, 8); };
  for_lanes_of(atomic.lanes, [&](uint32_t lane) {
    const size_t high = PendingAtomic::upper(lane);
    atomic.at[lane] = static_cast<uint8_t>(addresses_[lane] - atomic.address);
    atomic.b[lane] = read(operation.b, lane);
    atomic.b[high] = read(operation.b_high, lane);
    atomic.c[lane] = read(operation.c, lane);
    atomic.c[high] = read(operation.c_high, lane);
  });
}

bool LoadStore::reads_pending_atomic(const Insn& insn, const Warp& warp, uint32_t mask) {
  const AccessPayload& access = insn.access();
  if (access.space != ptx::Space::Global && access.space != ptx::Space::None && access.space != ptx::Space::Generic)
    return false;
  if (access.of_warp) return !atomics_.empty();  // wherever they are
  lane_addresses(warp.values, access.address, mask, addresses_);
  uint32_t bytes = access.bytes();
  bool any = false;
  for_lanes_of(mask, [&](uint32_t lane) {
    any |= atomics_.may_change(addresses_[lane]) || atomics_.may_change(addresses_[lane] + bytes - 1);
  });
  return any;
}

void LoadStore::write_result(const Insn& insn, Warp& warp, const PendingAtomic& atomic) {
  if (atomic.word_bytes == kWideWordBytes) [[unlikely]] {
    for_lanes_of(atomic.lanes, [&](uint32_t lane) {
      set_lane(warp.values.rows() + insn.dst, lane, atomic.old[lane]);
      set_lane(warp.values.rows() + insn.atomic().dst_high, lane, atomic.old[PendingAtomic::upper(lane)]);
    });
    return;
  }
  for_lanes_of(atomic.lanes, [&](uint32_t lane) {
    std::memcpy(warp.values.rows() + insn.dst + size_t{lane} * atomic.word_bytes, &atomic.old[lane], atomic.word_bytes);
  });
}

void LoadStore::write_zeros(const Insn& insn, const Warp& warp, uint32_t lanes) {
  auto clear = [&](uint32_t row, uint32_t lane_bytes) {
    for_lanes_of(lanes, [&](uint32_t lane) {
      std::memset(warp.values.rows() + row + size_t{lane} * lane_bytes, 0, lane_bytes);
    });
  };
  if (insn.effect == ptx::Effect::Load) {
    if (const MatrixInMemory* matrix = insn.load_store().matrix()) {
      for (RowRef row : matrix->registers) clear(row.bits, matrix->register_bytes());
      return;
    }
    const uint32_t matrices = insn.load_store().matrices;
    for (uint32_t i = 0; i < (matrices != 0 ? matrices : insn.access().vector); ++i)
      clear(insn.load_store().data[i].bits, insn.load_store().register_bytes);
  } else if (insn.effect == ptx::Effect::Atomic && insn.atomic().has_result) {
    const bool is_wide = insn.access().element_bytes == kWideWordBytes;
    clear(insn.dst, is_wide ? 8 : insn.access().element_bytes);
    if (is_wide) clear(insn.atomic().dst_high, 8);
  } else if (insn.effect == ptx::Effect::Texture) {
    for (RowRef result : insn.texture().results) clear(result.bits, 4);
  }
}

}  // namespace warptime::sim
