// Atomic operations of the load/store unit: at once in shared memory; in global memory they are made ready for the
// partition that performs them.
#include <algorithm>
#include <bit>
#include <cstring>

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
    atomic.combined = atomic.floating = false;
    for_lanes_of(transaction.lanes, [&](uint32_t lane) {
      atomic.at[lane] = static_cast<uint8_t>(addresses_[lane] - transaction.address);
      atomic.b[lane] = word_at(b, lane, bytes);
      atomic.c[lane] = word_at(c, lane, bytes);
    });
    out.stores[i] = &atomic;
  }
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
    clear(insn.dst, insn.access().element_bytes);
  } else if (insn.effect == ptx::Effect::Texture) {
    for (RowRef result : insn.texture().results) clear(result.bits, 4);
  }
}

}  // namespace warptime::sim
