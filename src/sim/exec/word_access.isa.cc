// The words of whole warps (word_access.h), for one host instruction set.
#include "sim/exec/word_access.h"

#include "ptx/isa/vec.h"

namespace warptime::sim::inline WARPTIME_ISA {

namespace {

constexpr size_t kHalf = kWarpSize / 2;
constexpr size_t N = ptx::kNativeBytes / 4;  // lanes of a vector; at most those of a half-warp
using Words = ptx::Vec<uint32_t, N>;
using Wide = ptx::Vec<uint64_t, N / 2>;

inline std::byte* bytes_of(uint32_t* lanes) { return reinterpret_cast<std::byte*>(lanes); }

inline bool any(Words v) { return ptx::collect(ptx::mask_of<Words>(v != Words{})) != 0; }
inline bool any_top_bit(Words v) { return ptx::collect(ptx::mask_of<Words>(ptx::as<int32_t>(v) < 0)) != 0; }

template <size_t... I>
inline Words multiples_of_4(std::index_sequence<I...>) {
  return Words{static_cast<uint32_t>(4 * I)...};
}

/// Every lane's address, counted from `begin`. False: one does not fit in 32 bits.
bool subtract(const WarpValues& warp, const AddressOperand& address, uint64_t begin, uint64_t bytes, uint32_t* out) {
  const std::byte* base = address.base.in(warp);
  auto offset = static_cast<uint64_t>(address.offset);
  if (address.is_64) {
    Wide add = ptx::splat<Wide>(offset - begin), all{};
    for (size_t lane = 0; lane < kWarpSize; lane += N / 2) {
      Wide at = ptx::load<Wide>(base + lane * 8) + add;
      all |= at;
      ptx::store(bytes_of(out + lane), ptx::to<uint32_t>(at));
    }
    uint64_t high = 0;
    for (size_t i = 0; i < N / 2; ++i) high |= all[i];
    return high >> 32 == 0;
  }
  // 32-bit addresses wrap at 4 GiB: those below `begin` must not come out as small ones.
  if (begin + bytes > uint64_t{1} << 32) return false;
  Words add = ptx::splat<Words>(static_cast<uint32_t>(offset) - static_cast<uint32_t>(begin));
  for (size_t lane = 0; lane < kWarpSize; lane += N)
    ptx::store(bytes_of(out + lane), ptx::load<Words>(base + lane * 4) + add);
  return true;
}

bool locate(const WarpValues& warp, const Insn& insn, uint64_t begin, uint64_t bytes, LaneOffsets& out) {
  const AccessPayload& word = insn.access();
  uint32_t access = word.vector * 4u;
  if (bytes < access || bytes > uint64_t{1} << 31) return false;
  uint32_t* lanes = out.lanes.data();
  if (!subtract(warp, word.address, begin, bytes, lanes)) return false;
  // The top bit of an offset, or of its distance to the last place, says that it is outside.
  Words last = ptx::splat<Words>(static_cast<uint32_t>(bytes) - access), outside{}, all{};
  for (size_t half = 0; half < 2; ++half) {
    Words first = ptx::splat<Words>(lanes[half * kHalf]), same{}, consecutive{};
    Words expected = first + multiples_of_4(std::make_index_sequence<N>{});
    for (size_t i = 0; i < kHalf; i += N) {
      Words at = ptx::load<Words>(bytes_of(lanes + half * kHalf + i));
      all |= at;
      outside |= last - at;
      same |= at ^ first;
      consecutive |= at ^ expected;
      expected += ptx::splat<Words>(4 * N);
    }
    out.half[half] = !any(consecutive) ? LanePattern::Consecutive : any(same) ? LanePattern::Other : LanePattern::Same;
  }
  return !any_top_bit(outside | all) && !any(all & (access - 1));
}

inline uint32_t word_at(const std::byte* from) {
  uint32_t word;
  __builtin_memcpy(&word, from, 4);
  return word;
}

inline void copy_half(std::byte* to, const std::byte* from) {
  for (size_t i = 0; i < kHalf; i += N) ptx::store(to + i * 4, ptx::load<Words>(from + i * 4));
}

void load(const WarpValues& warp, const Insn& insn, const std::byte* memory, const LaneOffsets& at) {
  const LoadStorePayload& words = insn.load_store();
  for (uint32_t e = 0; e < words.access.vector; ++e) {
    std::byte* row = warp.rows() + words.data[e].bits;
    const std::byte* from = memory + e * 4;
    for (size_t first = 0; first < kWarpSize; first += kHalf) {
      LanePattern pattern = at.half[first / kHalf];
      if (pattern == LanePattern::Consecutive) {
        copy_half(row + first * 4, from + at.lanes[first]);
      } else if (pattern == LanePattern::Same) {
        Words word = ptx::splat<Words>(word_at(from + at.lanes[first]));
        for (size_t i = 0; i < kHalf; i += N) ptx::store(row + (first + i) * 4, word);
      } else {
        for (size_t lane = first; lane < first + kHalf; ++lane)
          __builtin_memcpy(row + lane * 4, from + at.lanes[lane], 4);
      }
    }
  }
}

void store(const WarpValues& warp, const Insn& insn, std::byte* memory, const LaneOffsets& at) {
  const std::byte* rows[8];
  const LoadStorePayload& words = insn.load_store();
  const uint32_t vector = words.access.vector;
  for (uint32_t e = 0; e < vector; ++e) rows[e] = words.data[e].in(warp);
  for (size_t first = 0; first < kWarpSize; first += kHalf) {
    if (at.half[first / kHalf] == LanePattern::Consecutive) {  // no vector: its lanes are further apart
      copy_half(memory + at.lanes[first], rows[0] + first * 4);
      continue;
    }
    for (size_t lane = first; lane < first + kHalf; ++lane)
      for (uint32_t e = 0; e < vector; ++e) __builtin_memcpy(memory + at.lanes[lane] + e * 4, rows[e] + lane * 4, 4);
  }
}

}  // namespace

WordAccess word_access();
WordAccess word_access() { return {locate, load, store}; }

}  // namespace warptime::sim::inline WARPTIME_ISA
