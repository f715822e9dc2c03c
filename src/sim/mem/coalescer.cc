// Compute capability 1.0/1.1 (CUDA C Programming Guide 4.2, F.3.2.1): a half-warp coalesces only when thread k accesses
// element k of an aligned segment; otherwise each active lane makes its own 32-byte transaction, even for the same
// word.
#include "sim/mem/coalescer.h"

#include <algorithm>
#include <bit>

namespace warptime::sim {

namespace {

constexpr uint32_t kHalfLanes = 16;
constexpr Addr kSmallest = 32;  // bytes of the smallest transaction

/// Whether every active lane k accesses element k of the segment at `base`.
bool in_sequence(const Addr* addresses, uint32_t mask, uint32_t element_bytes, Addr base) {
  Addr differences = 0;
  for (uint32_t k = 0; k < kHalfLanes; ++k) {  // no early exit: the loop is a few vector instructions
    Addr active = Addr{0} - ((mask >> k) & 1);
    differences |= (addresses[k] ^ (base + Addr{k} * element_bytes)) & active;
  }
  return differences == 0;
}

struct Writer {
  std::span<Transaction, kMaxTransactions> out;
  uint32_t count = 0;

  void add(Addr address, Addr word, uint32_t lanes, Addr bytes, uint32_t half) {
    out[count++] = {address, word, lanes << (half * kHalfLanes), static_cast<uint16_t>(bytes),
                    static_cast<uint8_t>(half)};
  }
};

void write_coalesced(Addr base, uint32_t mask, uint32_t element_bytes, uint32_t half, Writer& writer) {
  Addr bytes = std::min<Addr>(128, Addr{kHalfLanes} * element_bytes);
  uint32_t lanes_each = static_cast<uint32_t>(bytes / element_bytes);  // 16, or 8 of 16 bytes: two transactions
  for (uint32_t first = 0; first < kHalfLanes; first += lanes_each, base += bytes) {
    uint32_t lanes = mask & (((1u << lanes_each) - 1) << first);
    if (lanes != 0) writer.add(base, base, lanes, bytes, half);
  }
}

void write_separate(const Addr* addresses, uint32_t mask, uint32_t element_bytes, uint32_t half, Writer& writer) {
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    auto k = static_cast<uint32_t>(std::countr_zero(rest));
    Addr end = addresses[k] + element_bytes;
    for (Addr segment = addresses[k] & ~(kSmallest - 1); segment < end; segment += kSmallest)
      writer.add(segment, std::max(addresses[k], segment) & ~Addr{3}, 1u << k, kSmallest, half);
  }
}

}  // namespace

Coalesced coalesce_1_0(std::span<const Addr, 32> addresses, uint32_t mask, uint32_t element_bytes,
                       std::span<Transaction, kMaxTransactions> out) {
  Writer writer{out};
  Coalesced result;
  bool size_coalesces = element_bytes == 4 || element_bytes == 8 || element_bytes == 16;
  Addr segment = element_bytes == 4 ? 64 : 128;
  for (uint32_t half = 0; half < 2; ++half) {
    const Addr* lanes = addresses.data() + half * kHalfLanes;
    uint32_t active = (mask >> (half * kHalfLanes)) & 0xffff;
    if (active == 0) continue;
    auto first = static_cast<uint32_t>(std::countr_zero(active));
    Addr base = lanes[first] - Addr{first} * element_bytes;
    if (size_coalesces && base % segment == 0 && in_sequence(lanes, active, element_bytes, base)) {
      write_coalesced(base, active, element_bytes, half, writer);
      ++result.coalesced_halves;
    } else {
      write_separate(lanes, active, element_bytes, half, writer);
      ++result.uncoalesced_halves;
    }
  }
  result.count = writer.count;
  return result;
}

}  // namespace warptime::sim
