#include "sim/exec/warp_handlers.h"

#include <algorithm>
#include <array>

#include "ptx/isa/cards.h"
#include "sim/exec/member_masks.h"
#include "sim/exec/predicate_handlers.h"
#include "sim/exec/shuffle_source.h"

namespace warptime::sim {

namespace {

using ptx::Mod, ptx::Type;

/// Sets all lanes of the mask to one value.
template <class T>
void set_lanes(const WarpValues& warp, const Insn& insn, uint32_t mask, T value) {
  for_lanes_of(mask, [&](uint32_t lane) { set_lane(warp.rows() + insn.dst, lane, value); });
}

enum class Ballot { All, Any, Uniform };

template <Ballot kBallot>
void run_vote(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  uint32_t yes = predicate_source(warp, insn, 0) & mask;
  bool result = kBallot == Ballot::Any ? yes != 0 : yes == mask || (kBallot == Ballot::Uniform && yes == 0);
  write_predicate(warp, insn.dst, mask, result ? kFullMask : 0);
}
void run_ballot(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  set_lanes(warp, insn, mask, predicate_source(warp, insn, 0) & mask);
}
void run_activemask(const WarpValues& warp, const Insn& insn, uint32_t mask) { set_lanes(warp, insn, mask, mask); }

/// Lanes of any mask: from one with another mask the result is undefined (PTX ISA 9.7.9.6), and an H100, too, gives
/// what it has there if both execute the instruction at the same time. A lane that is not active gives zero, as on an
/// H100.
template <Shuffle kShuffle>
void run_shuffle(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  std::array<uint32_t, kWarpSize> a;
  std::memcpy(a.data(), insn.src[0].in(warp), sizeof a);
  const std::byte *b = insn.src[1].in(warp), *c = insn.src[2].in(warp);
  std::array<uint32_t, kWarpSize> result{};
  uint32_t inside = 0;
  for_lanes_of(mask, [&](uint32_t lane) {
    const auto [from, is_inside] =
        shuffle_source(kShuffle, lane, lane_of<uint32_t>(b, lane), lane_of<uint32_t>(c, lane));
    result[lane] = (mask >> from & 1) != 0 ? a[from] : 0;
    inside |= uint32_t{is_inside} << lane;
  });
  for_lanes_of(mask, [&](uint32_t lane) { set_lane(warp.rows() + insn.dst, lane, result[lane]); });
  write_predicate(warp, insn.dst2, mask, inside);
}

template <class T>
void run_match_any(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  std::array<T, kWarpSize> a;
  std::memcpy(a.data(), insn.src[0].in(warp), sizeof a);
  for (uint32_t rest = mask; rest != 0;) {
    T value = a[static_cast<size_t>(std::countr_zero(rest))];
    uint32_t same = 0;
    for_lanes_of(rest, [&](uint32_t lane) { same |= uint32_t{a[lane] == value} << lane; });
    set_lanes(warp, insn, same, same);
    rest &= ~same;
  }
}
template <class T>
void run_match_all(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  const std::byte* a = insn.src[0].in(warp);
  T value = lane_of<T>(a, static_cast<uint32_t>(std::countr_zero(mask)));
  bool all = true;
  for_lanes_of(mask, [&](uint32_t lane) { all &= lane_of<T>(a, lane) == value; });
  set_lanes(warp, insn, mask, all ? mask : 0);
  write_predicate(warp, insn.dst2, mask, all ? kFullMask : 0);
}

template <class T, T (*kCombine)(T, T)>
void run_redux(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  const std::byte* a = insn.src[0].in(warp);
  auto first = static_cast<uint32_t>(std::countr_zero(mask));
  T value = lane_of<T>(a, first);
  for_lanes_of(mask & (mask - 1), [&](uint32_t lane) { value = kCombine(value, lane_of<T>(a, lane)); });
  set_lanes(warp, insn, mask, value);
}
template <class T>
T least(T a, T b) {
  return std::min(a, b);
}
template <class T>
T greatest(T a, T b) {
  return std::max(a, b);
}
uint32_t sum(uint32_t a, uint32_t b) { return a + b; }
uint32_t conjunction(uint32_t a, uint32_t b) { return a & b; }
uint32_t disjunction(uint32_t a, uint32_t b) { return a | b; }
uint32_t difference(uint32_t a, uint32_t b) { return a ^ b; }

/// Numbers in the order of min and max: -0 before +0. A NaN does not count, or (kNan) is the result; with kAbs the
/// magnitudes are compared.
template <bool kGreatest, bool kAbs, bool kNan>
void run_redux_f32(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  constexpr uint32_t kCanonicalNan = 0x7fffffff, kSign = 0x80000000, kInfinity = 0x7f800000;
  const std::byte* a = insn.src[0].in(warp);
  auto order = [](uint32_t bits) { return (bits & kSign) != 0 ? ~bits : bits | kSign; };
  uint32_t result = kCanonicalNan;
  bool any_nan = false;
  for_lanes_of(mask, [&](uint32_t lane) {
    uint32_t bits = lane_of<uint32_t>(a, lane);
    if (kAbs) bits &= ~kSign;
    if ((bits & ~kSign) > kInfinity) {
      any_nan = true;
      return;
    }
    bool better = kGreatest ? order(bits) > order(result) : order(bits) < order(result);
    if (result == kCanonicalNan || better) result = bits;
  });
  set_lanes(warp, insn, mask, kNan && any_nan ? kCanonicalNan : result);
}

void run_elect(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  auto first = static_cast<uint32_t>(std::countr_zero(mask));
  set_lanes(warp, insn, mask, first);
  write_predicate(warp, insn.dst2, mask, uint32_t{1} << first);
}

/// Each lane with those that have its member mask.
template <Handler kRun>
void run_by_mask(const WarpValues& warp, const Insn& insn, uint32_t mask) {
  for_member_groups(warp, insn, mask, [&](uint32_t, uint32_t group) { kRun(warp, insn, group); });
}

template <Handler kRun>
Handler vote_of(const ptx::Instruction& in) {
  return in.mods.has(Mod::Sync) ? run_by_mask<kRun> : kRun;
}
Handler vote(const ptx::Instruction& in) {
  if (in.mods.has(Mod::Ballot)) return vote_of<run_ballot>(in);
  if (in.mods.has(Mod::All)) return vote_of<run_vote<Ballot::All>>(in);
  return in.mods.has(Mod::Any) ? vote_of<run_vote<Ballot::Any>>(in) : vote_of<run_vote<Ballot::Uniform>>(in);
}
Handler shuffle(const ptx::Instruction& in) {
  if (in.mods.has(Mod::Up)) return run_shuffle<Shuffle::Up>;
  if (in.mods.has(Mod::Down)) return run_shuffle<Shuffle::Down>;
  return in.mods.has(Mod::Bfly) ? run_shuffle<Shuffle::Butterfly> : run_shuffle<Shuffle::Index>;
}
Handler match(const ptx::Instruction& in) {
  bool wide = in.type == Type::B64;
  if (in.mods.has(Mod::Any)) return wide ? run_by_mask<run_match_any<uint64_t>> : run_by_mask<run_match_any<uint32_t>>;
  return wide ? run_by_mask<run_match_all<uint64_t>> : run_by_mask<run_match_all<uint32_t>>;
}
template <class T, T (*kCombine)(T, T)>
constexpr Handler kRedux = run_by_mask<run_redux<T, kCombine>>;
template <bool kGreatest>
Handler redux_f32(const ptx::Instruction& in) {
  bool nan = in.mods.has(Mod::NaN);
  if (in.mods.has(Mod::Abs))
    return nan ? run_by_mask<run_redux_f32<kGreatest, true, true>> : run_by_mask<run_redux_f32<kGreatest, true, false>>;
  return nan ? run_by_mask<run_redux_f32<kGreatest, false, true>> : run_by_mask<run_redux_f32<kGreatest, false, false>>;
}
Handler redux(const ptx::Instruction& in) {
  if (in.type == Type::F32) return in.mods.has(Mod::Max) ? redux_f32<true>(in) : redux_f32<false>(in);
  bool is_signed = in.type == Type::S32;
  if (in.mods.has(Mod::Min)) return is_signed ? kRedux<int32_t, least<int32_t>> : kRedux<uint32_t, least<uint32_t>>;
  if (in.mods.has(Mod::Max))
    return is_signed ? kRedux<int32_t, greatest<int32_t>> : kRedux<uint32_t, greatest<uint32_t>>;
  if (in.mods.has(Mod::And)) return kRedux<uint32_t, conjunction>;
  if (in.mods.has(Mod::Or)) return kRedux<uint32_t, disjunction>;
  return in.mods.has(Mod::Xor) ? kRedux<uint32_t, difference> : kRedux<uint32_t, sum>;
}

}  // namespace

Handler warp_handler(const ptx::Instruction& in) {
  if (ptx::is<ptx::Vote>(in)) return vote(in);
  if (ptx::is<ptx::Activemask>(in)) return run_activemask;
  if (ptx::is<ptx::Shfl>(in)) return shuffle(in);
  if (ptx::is<ptx::Match>(in)) return match(in);
  if (ptx::is<ptx::Redux>(in)) return redux(in);
  return ptx::is<ptx::Elect>(in) ? run_by_mask<run_elect> : nullptr;
}

void run_at_places(const WarpValues& warp, std::span<const LanesAt> places) {
  const Insn& first = *places.front().insn;
  if (first.run == nullptr) return;  // bar.warp.sync
  if (places.size() == 1) return first.run(warp, first, places.front().lanes);

  // One instruction whose operands and results are here: up to three sources, the mask, the result.
  constexpr uint32_t kSources = 3, kMask = 3, kResult = 4, kRows = 5, kBytes = 2 * kRowBytes;
  enum : uint32_t { Source, Result, SecondResult, Predicates };
  alignas(64) std::array<std::byte, size_t{kRows} * kBytes> rows{};
  std::array<uint32_t, Predicates> predicates{};
  WarpValues values;
  values.areas.fill(rows.data());
  values.predicates = predicates.data();
  Insn insn = first;
  for (uint32_t i = 0; i < kSources; ++i) insn.src[i] = RowRef::to(RowArea::Registers, i * kBytes);
  bool has_predicate = first.member_mask().source_bytes == 0;
  insn.set_payload(MemberMaskPayload{.mask = RowRef::to(RowArea::Registers, kMask * kBytes)});
  if (has_predicate) insn.src[0].bits = Source;
  insn.src_negated[0] = false;
  insn.dst = insn.dst_is_predicate ? Result : kResult * kBytes;
  insn.dst2 = SecondResult;

  uint32_t all = 0;
  for (const auto& [at, lanes] : places) {
    all |= lanes;
    const MemberMaskPayload& members = at->member_mask();
    if (members.source_bytes == 0) write_predicate(values, Source, lanes, predicate_source(warp, *at, 0));
    else copy_lanes(rows.data(), at->src[0].in(warp), members.source_bytes, lanes);
    for (uint32_t i = 1; i < kSources; ++i) copy_lanes(rows.data() + i * kBytes, at->src[i].in(warp), 4, lanes);
    copy_lanes(rows.data() + kMask * kBytes, members.mask.in(warp), 4, lanes);
  }
  insn.run(values, insn, all);
  for (const auto& [at, lanes] : places) {
    if (at->dst_is_predicate) write_predicate(warp, at->dst, lanes, predicates[Result]);
    else copy_lanes(warp.rows() + at->dst, rows.data() + insn.dst, 4, lanes);
    write_predicate(warp, at->dst2, lanes, predicates[SecondResult]);
  }
}

}  // namespace warptime::sim
