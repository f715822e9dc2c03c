#include "sim/exec/carry_handlers.h"

#include "ptx/isa/cards.h"
#include "sim/exec/lanes_of_mask.h"
#include "sim/exec/predicate_handlers.h"

namespace warptime::sim {

namespace {

using ptx::Mod;

__extension__ typedef unsigned __int128 Uint128;
__extension__ typedef __int128 Sint128;

enum class Sum { Add, Subtract };
enum class Half { None, Low, High };

/// The first operand of the sum: a, or a half of a * b. S is T or its signed twin, of which high halves differ.
template <Half kHalf, class S, class T>
T addend(T a, T b) {
  if constexpr (kHalf == Half::None) return a;
  if constexpr (kHalf == Half::Low) return static_cast<T>(Uint128{a} * b);
  return static_cast<T>((Sint128{static_cast<S>(a)} * static_cast<S>(b)) >> (8 * sizeof(T)));
}
/// A product of two u64 needs all 128 bits.
template <>
uint64_t addend<Half::High, uint64_t, uint64_t>(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>((Uint128{a} * b) >> 64);
}

/// A difference is a + ~b + CC.CF, or + 1 without: CC.CF is 1 where nothing is borrowed. So it is on an H100, where a
/// chain may change between sums and differences.
template <Sum kSum, Half kHalf, bool kCarries, class S>
void run_carry(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  using T = std::make_unsigned_t<S>;
  const std::byte *a = insn.src[0].in(warp), *b = insn.src[1].in(warp);
  const std::byte* c = kHalf == Half::None ? b : insn.src[2].in(warp);
  constexpr bool kSubtracts = kSum == Sum::Subtract;
  uint32_t carry_in = kCarries ? warp.predicates[insn.src[3].bits] : kSubtracts ? kFullMask : 0, carry_out = 0;
  for_lanes_of(mask, [&](uint32_t lane) {
    T x = addend<kHalf, S>(lane_of<T>(a, lane), lane_of<T>(b, lane)), y = lane_of<T>(c, lane);
    if constexpr (kSubtracts) y = static_cast<T>(~y);
    Uint128 sum = Uint128{x} + y + (carry_in >> lane & 1);
    carry_out |= (static_cast<uint32_t>(sum >> (8 * sizeof(T))) & 1) << lane;
    set_lane(warp.rows() + insn.dst, lane, static_cast<T>(sum));
  });
  write_predicate(warp, insn.dst2, mask, carry_out);
}

template <Sum kSum, Half kHalf, class S>
Handler choose(bool carries) {
  return carries ? run_carry<kSum, kHalf, true, S> : run_carry<kSum, kHalf, false, S>;
}

template <class S>
Handler choose(const ptx::Instruction& in) {
  bool carries = reads_carry(in);
  if (in.mods.has(Mod::Hi)) return choose<Sum::Add, Half::High, S>(carries);
  if (in.mods.has(Mod::Lo)) return choose<Sum::Add, Half::Low, S>(carries);
  if (ptx::is<ptx::Sub, ptx::Subc>(in)) return choose<Sum::Subtract, Half::None, S>(carries);
  return choose<Sum::Add, Half::None, S>(carries);
}

}  // namespace

bool reads_carry(const ptx::Instruction& in) { return ptx::is<ptx::Addc, ptx::Subc, ptx::Madc>(in); }

Handler carry_handler(const ptx::Instruction& in) {
  if (!reads_carry(in) && !writes_carry(in)) return nullptr;
  bool is_signed = info(in.type).kind == ptx::TypeKind::Signed;
  if (ptx::bits(in.type) == 64) return is_signed ? choose<int64_t>(in) : choose<uint64_t>(in);
  return is_signed ? choose<int32_t>(in) : choose<uint32_t>(in);
}

}  // namespace warptime::sim
