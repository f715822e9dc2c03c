// The three rules of CUDA C Programming Guide 4.2, F.3.2.1, F.3.2.2 and F.4.2. Under the first a half-warp coalesces
// only when thread k accesses element k of an aligned segment; otherwise each active lane makes its own 32-byte
// transaction, even for the same word.
#include "sim/mem/coalescer.h"

#include <algorithm>
#include <bit>

#include "sim/model/cache_levels.h"

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
  Addr element_bytes;
  uint32_t count = 0;

  Transaction& add(Addr address, Addr word, uint32_t lanes, Addr bytes, uint32_t half) {
    out[count++] = {address,
                    word,
                    lanes << (half * kHalfLanes),
                    static_cast<uint16_t>(bytes),
                    static_cast<uint8_t>(half),
                    static_cast<uint8_t>(std::min(element_bytes, bytes))};
    return out[count - 1];
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

Coalesced strict(std::span<const Addr, 32> addresses, uint32_t mask, uint32_t element_bytes, Writer& writer) {
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
      ++result.coalesced;
    } else {
      write_separate(lanes, active, element_bytes, half, writer);
      ++result.uncoalesced;
    }
  }
  return result;
}

/// Where the aligned `bytes` (a power of two) around an address begin.
Addr segment_of(Addr address, Addr bytes) { return address & ~(bytes - 1); }

/// The lanes of `rest` in the aligned `bytes` around the lowest lane's address.
uint32_t lanes_in_segment(const Addr* addresses, uint32_t rest, Addr bytes) {
  Addr segment = segment_of(addresses[std::countr_zero(rest)], bytes);
  uint32_t lanes = 0;
  for (; rest != 0; rest &= rest - 1) {
    auto k = static_cast<uint32_t>(std::countr_zero(rest));
    lanes |= (segment_of(addresses[k], bytes) == segment ? 1u : 0u) << k;
  }
  return lanes;
}

/// Transactions of `bytes` that lanes of `element_bytes` each need at least.
uint32_t fewest(uint32_t lanes, uint32_t element_bytes, Addr bytes) {
  auto all = Addr{static_cast<uint32_t>(std::popcount(lanes))} * element_bytes;
  return static_cast<uint32_t>((all + bytes - 1) / bytes);
}

Coalesced segments(std::span<const Addr, 32> addresses, uint32_t mask, uint32_t element_bytes, Writer& writer) {
  Coalesced result;
  Addr largest = element_bytes == 1 ? 32 : element_bytes == 2 ? 64 : 128;
  for (uint32_t half = 0; half < 2; ++half) {
    const Addr* lanes = addresses.data() + half * kHalfLanes;
    uint32_t active = (mask >> (half * kHalfLanes)) & 0xffff, before = writer.count;
    for (uint32_t rest = active; rest != 0;) {
      Addr bytes = largest;
      uint32_t served = lanes_in_segment(lanes, rest, bytes);
      while (bytes > kSmallest && lanes_in_segment(lanes, served, bytes / 2) == served) bytes /= 2;
      Addr base = segment_of(lanes[std::countr_zero(served)], bytes);
      writer.add(base, base, served, bytes, half);
      rest &= ~served;
    }
    if (active == 0) continue;
    bool few = writer.count - before <= fewest(active, element_bytes, largest);
    ++(few ? result.coalesced : result.uncoalesced);
  }
  return result;
}

/// Says which granules of it the lanes access; `trims`: it becomes these, from the first to the last.
void mark(Transaction& transaction, std::span<const Addr, 32> addresses, uint32_t element_bytes, bool trims) {
  uint32_t granules = 0;
  for (uint32_t rest = transaction.lanes; rest != 0; rest &= rest - 1) {
    const Addr at = addresses[static_cast<uint32_t>(std::countr_zero(rest))] - transaction.address;
    for (Addr granule = at / kSmallest; granule <= (at + element_bytes - 1) / kSmallest; ++granule)
      granules |= 1u << granule;
  }
  const uint32_t all = (1u << transaction.bytes / kSmallest) - 1;
  granules &= all;
  const auto first = static_cast<uint32_t>(std::countr_zero(granules));
  if (trims) {
    granules >>= first;
    transaction.address = transaction.word = transaction.address + first * kSmallest;
    transaction.bytes = static_cast<uint16_t>(static_cast<uint32_t>(std::bit_width(granules)) * kSmallest);
  }
  const bool is_part = trims ? (granules & (granules + 1)) != 0 : granules != all;
  transaction.granules = static_cast<uint8_t>(is_part ? granules : 0);
}

Coalesced lines(const CoalescingRule& rule, std::span<const Addr, 32> addresses, uint32_t mask, uint32_t element_bytes,
                Writer& writer) {
  const Addr bytes = rule.line_bytes;
  // A request is 128 bytes at most: of 8-byte elements a half-warp, of 16-byte ones a quarter-warp.
  const uint32_t lanes_each = 2 * kHalfLanes * 4 / std::max(element_bytes, 4u);
  Coalesced result;
  for (uint32_t first = 0; first < 2 * kHalfLanes; first += lanes_each) {
    const uint32_t request = mask & (~0u >> (32 - lanes_each)) << first, before = writer.count;
    for (uint32_t rest = request; rest != 0;) {
      uint32_t served = lanes_in_segment(addresses.data(), rest, bytes);
      Addr base = segment_of(addresses[static_cast<uint32_t>(std::countr_zero(served))], bytes);
      Transaction& transaction = writer.add(base, base, served, bytes, 0);
      if (rule.marks) mark(transaction, addresses, element_bytes, rule.trims);
      rest &= ~served;
    }
    if (request == 0) continue;
    bool few = writer.count - before <= fewest(request, element_bytes, bytes);
    ++(few ? result.coalesced : result.uncoalesced);
  }
  return result;
}

}  // namespace

CoalescingRule coalescing_rule(const MachineConfig& machine, bool load, bool local) {
  using Kind = CoalescingRule::Kind;
  std::string_view name = machine.memory.coalescing;
  Kind kind = name == "1.0" ? Kind::Strict : name == "1.2" ? Kind::Segments : Kind::Lines;
  const bool cached = load && (local || machine.l1.spaces == CachedSpaces::global_and_local);
  const uint32_t line = cached ? first_line_bytes(machine, ReadKind::Data, CachePlace::Tpc) : 0;
  if (line != 0) return {kind, line, machine.l1.sector_bytes < line, false};
  const bool parts = machine.memory.request_bytes > kSmallest;
  return {kind, machine.memory.request_bytes, parts, parts};
}

CoalescingRule copy_rule(const MachineConfig& machine) {
  const CopyEngineConfig& engine = machine.copy_engine;
  if (engine.queue_entries == 0) return coalescing_rule(machine, false);
  const bool parts = engine.request_bytes > kSmallest;
  return {CoalescingRule::Kind::Lines, engine.request_bytes, parts, parts};
}

Coalesced coalesce(const CoalescingRule& rule, std::span<const Addr, 32> addresses, uint32_t mask,
                   uint32_t element_bytes, std::span<Transaction, kMaxTransactions> out) {
  Writer writer{out, element_bytes};
  Coalesced result;
  switch (rule.kind) {
    case CoalescingRule::Kind::Strict: result = strict(addresses, mask, element_bytes, writer); break;
    case CoalescingRule::Kind::Segments: result = segments(addresses, mask, element_bytes, writer); break;
    case CoalescingRule::Kind::Lines: result = lines(rule, addresses, mask, element_bytes, writer); break;
  }
  result.count = writer.count;
  return result;
}

void make_consecutive(std::span<const Addr, 32> addresses, uint32_t mask, uint32_t element_bytes,
                      const CoalescingRule& rule, std::span<Addr, 32> out) {
  uint32_t lanes = rule.kind == CoalescingRule::Kind::Lines ? 32 : kHalfLanes;
  for (uint32_t first = 0; first < 32; first += lanes) {
    uint32_t active = (mask >> first) & (lanes == 32 ? ~0u : (1u << lanes) - 1);
    if (active == 0) continue;
    Addr base = addresses[first + static_cast<uint32_t>(std::countr_zero(active))] & ~(Addr{lanes} * element_bytes - 1);
    for (uint32_t lane = 0; lane < lanes; ++lane) out[first + lane] = base + Addr{lane} * element_bytes;
  }
}

bool coalesce_consecutive(const CoalescingRule& rule, Addr first, Addr second,
                          std::span<Transaction, kMaxTransactions> out, Coalesced& result) {
  constexpr Addr kHalfBytes = kHalfLanes * 4;
  Writer writer{out, 4};
  if (rule.kind == CoalescingRule::Kind::Lines) {
    if (first % (2 * kHalfBytes) != 0 || second != first + kHalfBytes || rule.line_bytes > 2 * kHalfBytes) return false;
    uint32_t lanes_each = rule.line_bytes / 4, lanes = lanes_each == 32 ? ~0u : (1u << lanes_each) - 1;
    for (uint32_t lane = 0; lane < 2 * kHalfLanes; lane += lanes_each)
      writer.add(first + lane * 4, first + lane * 4, lanes << lane, rule.line_bytes, 0);
    result = {writer.count, 1, 0};
    return true;
  }
  // An aligned half-warp is one transaction under either rule.
  if (first % kHalfBytes != 0 || second % kHalfBytes != 0) return false;
  writer.add(first, first, 0xffff, kHalfBytes, 0);
  writer.add(second, second, 0xffff, kHalfBytes, 1);
  result = {2, 2, 0};
  return true;
}

bool coalesce_same(const CoalescingRule& rule, Addr first, Addr second, std::span<Transaction, kMaxTransactions> out,
                   Coalesced& result) {
  if (rule.kind != CoalescingRule::Kind::Strict) return false;
  Writer writer{out, 4};
  for (uint32_t half = 0; half < 2; ++half) {
    Addr word = half == 0 ? first : second;
    for (uint32_t k = 0; k < kHalfLanes; ++k) writer.add(word & ~(kSmallest - 1), word, 1u << k, kSmallest, half);
  }
  result = {writer.count, 0, 2};
  return true;
}

uint32_t fewest_transactions(const CoalescingRule& rule, uint32_t lanes, uint32_t element_bytes) {
  using Kind = CoalescingRule::Kind;
  const bool by_lines = rule.kind == Kind::Lines;
  const uint32_t lanes_each = by_lines ? 2 * kHalfLanes * 4 / std::max(element_bytes, 4u) : kHalfLanes;
  const Addr small = std::min<Addr>(128, kSmallest * element_bytes);  // segments of bytes and halves are shorter
  const Addr bytes = by_lines ? rule.line_bytes : rule.kind == Kind::Segments ? small : 128;
  uint32_t count = 0;
  for (uint32_t first = 0; first < 2 * kHalfLanes; first += lanes_each)
    count += fewest(lanes & (~0u >> (32 - lanes_each)) << first, element_bytes, bytes);
  return count;
}

}  // namespace warptime::sim
