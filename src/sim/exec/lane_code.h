// Instantiates a card's lane code as handlers, for one host instruction set. Included only by *.isa.cc files.
//
// `lanes` works on vectors as wide as the host's registers; the loops here run it over the 32 lanes of a warp. Types
// and suffix words are template arguments, so no decision is made per lane. With a full mask, results are written
// directly to their row; otherwise to a temporary, from which the lanes of the mask are copied.
#pragma once

#include "ptx/isa/cards.h"
#include "ptx/isa/vec.h"
#include "sim/exec/handler_table.h"
#include "sim/exec/lane_types.h"

namespace warptime::sim::inline WARPTIME_ISA {

using ptx::Mod, ptx::ModSet, ptx::Vec;

/// Copies the lanes of `mask`; the others keep what they had.
template <size_t kBytes>
[[gnu::noinline]] void blend(std::byte* to, const std::byte* from, uint32_t mask) {
  using T = typename ptx::UintOf<kBytes>::type;
  constexpr size_t kMost = ptx::kNativeBytes / kBytes;
  constexpr size_t N = kMost < 8 * kBytes ? kMost : 8 * kBytes;
  using V = Vec<T, N>;
  for (size_t i = 0; i < kWarpSize; i += N) {
    V old = ptx::load<V>(to + i * kBytes), now = ptx::load<V>(from + i * kBytes);
    ptx::store(to + i * kBytes, ptx::select(ptx::expand<V>(mask >> i), now, old));
  }
}

/// Where a handler may write its results: the destination row, or a place aside.
template <size_t kBytes>
class Output {
 public:
  Output(const WarpValues& warp, const Insn& insn, uint32_t mask)
      : row_(warp.rows() + insn.dst), mask_(mask), direct_(mask == kFullMask && !insn.staged) {}
  std::byte* bytes() { return direct_ ? row_ : aside_; }
  void done() {
    if (!direct_) blend<kBytes>(row_, aside_, mask_);
  }

 private:
  std::byte* row_;
  uint32_t mask_;
  bool direct_;
  alignas(64) std::byte aside_[kWarpSize * kBytes];
};

/// Lanes in one vector: its widest lane, also inside the card's code, fills a host register; and a mask of them has a
/// bit for each lane in the narrowest.
template <size_t widest, size_t narrowest>
inline constexpr size_t kChunk = [] {
  size_t n = ptx::kNativeBytes / widest;
  n = n < 8 * narrowest ? n : 8 * narrowest;
  return n < kWarpSize ? n : kWarpSize;
}();
constexpr size_t most(std::initializer_list<size_t> list) {
  size_t m = 0;
  for (size_t x : list) m = x > m ? x : m;
  return m;
}
constexpr size_t least(std::initializer_list<size_t> list) {
  size_t m = 8;
  for (size_t x : list) m = x < m ? x : m;
  return m;
}

/// The widest lane inside a card's code.
template <class Card, ModSet M, class T>
constexpr size_t inner_bytes() {
  if constexpr (requires { Card::template widest<M, T>; }) return Card::template widest<M, T>;
  else return sizeof(T);
}

/// A source as the card's code takes it: a vector of lanes, or for a predicate the mask of lanes as wide as D's.
struct PredicateLanes {};
template <class S>
inline constexpr size_t kBytesOf = sizeof(S);
template <>
inline constexpr size_t kBytesOf<PredicateLanes> = 0;

template <class S>
class Source {
 public:
  Source(const WarpValues& warp, const Insn& insn, size_t i) : bytes_(insn.src[i].in(warp)) {}
  template <class D, size_t N>
  Vec<S, N> at(size_t lane) const {
    return ptx::load<Vec<S, N>>(bytes_ + lane * sizeof(S));
  }

 private:
  const std::byte* bytes_;
};
template <>
class Source<PredicateLanes> {
 public:
  Source(const WarpValues& warp, const Insn& insn, size_t i)
      : bits_(warp.predicates[insn.src[i].bits] ^ (insn.src_negated[i] ? kFullMask : 0)) {}
  template <class D, size_t N>
  ptx::Mask<Vec<D, N>> at(size_t lane) const {
    return ptx::expand<Vec<D, N>>(bits_ >> lane);
  }

 private:
  uint32_t bits_;
};

/// Runs `f(lane)` for each chunk with the sources' vectors.
template <size_t N, class D, class F, class... S>
inline void for_chunks(F f, const Source<S>&... sources) {
  for (size_t lane = 0; lane < kWarpSize; lane += N) f(lane, sources.template at<D, N>(lane)...);
}

/// Numbers into a register row.
template <class Card, ModSet M, class D, class... S>
struct Values {
  static constexpr size_t N = kChunk<most({sizeof(D), kBytesOf<S>..., inner_bytes<Card, M, FirstOf<S...>>()}),
                                     least({sizeof(D), kBytesOf<S> == 0 ? sizeof(D) : kBytesOf<S>...})>;
  static void run(const WarpValues& warp, const Insn& insn, uint32_t mask) {
    run_with(warp, insn, mask, std::index_sequence_for<S...>{});
  }
  template <size_t... I>
  static void run_with(const WarpValues& warp, const Insn& insn, uint32_t mask, std::index_sequence<I...>) {
    Output<sizeof(D)> output(warp, insn, mask);
    std::byte* out = output.bytes();
    for_chunks<N, D>(
        [out](size_t lane, auto... v) { ptx::store(out + lane * sizeof(D), Card::template lanes<M, Vec<D, N>>(v...)); },
        Source<S>(warp, insn, I)...);
    output.done();
  }
};

/// What a comparison's mask becomes with the predicate that it is combined with.
inline uint32_t combined_masks(const WarpValues& warp, const Insn& insn, uint32_t is) {
  if (insn.combine == Combine::None) return is;
  uint32_t c = warp.predicates[insn.src[2].bits] ^ (insn.src_negated[2] ? kFullMask : 0);
  if (insn.combine == Combine::And) return is & c;
  return insn.combine == Combine::Or ? is | c : is ^ c;
}
inline void write_mask(const WarpValues& warp, uint32_t predicate, uint32_t mask, uint32_t bits) {
  if (predicate == kNoPredicate) return;
  uint32_t& out = warp.predicates[predicate];
  out = (out & ~mask) | (bits & mask);
}

/// A comparison's mask of all 32 lanes.
template <class Card, ModSet M, class... S>
struct Comparison {
  static constexpr size_t kWidth = sizeof(FirstOf<S...>);
  static constexpr size_t N = kChunk<kWidth, kWidth>;
  using P = ptx::Mask<Vec<FirstOf<S...>, N>>;

  template <size_t... I>
  static uint32_t bits(const WarpValues& warp, const Insn& insn, std::index_sequence<I...>) {
    uint32_t result = 0;
    for_chunks<N, FirstOf<S...>>(
        [&result](size_t lane, auto... v) { result |= ptx::collect<P>(Card::template lanes<M, P>(v...)) << lane; },
        Source<S>(warp, insn, I)...);
    return result;
  }

  /// setp, testp.
  static void run(const WarpValues& warp, const Insn& insn, uint32_t mask) {
    uint32_t is = bits(warp, insn, std::index_sequence_for<S...>{});
    uint32_t first = combined_masks(warp, insn, is),
             second = combined_masks(warp, insn, ~is);  // d may be the operand c
    write_mask(warp, insn.dst, mask, first);
    write_mask(warp, insn.dst2, mask, second);
  }

  /// set: all ones or 1.0 in a register.
  template <ptx::Type type, class D>
  static void run_set(const WarpValues& warp, const Insn& insn, uint32_t mask) {
    uint32_t is = combined_masks(warp, insn, bits(warp, insn, std::index_sequence_for<S...>{}));
    constexpr size_t kLanes = kChunk<sizeof(D), sizeof(D)>;
    using V = Vec<D, kLanes>;
    constexpr D kYes = type == ptx::Type::F32 ? D(1)
                       : ptx::is_half(type)   ? static_cast<D>(ptx::half_one(type))
                                              : static_cast<D>(-1);
    V yes = ptx::splat<V>(kYes);
    Output<sizeof(D)> output(warp, insn, mask);
    std::byte* out = output.bytes();
    for (size_t lane = 0; lane < kWarpSize; lane += kLanes)
      ptx::store(out + lane * sizeof(D), ptx::select(ptx::expand<V>(is >> lane), yes, V{}));
    output.done();
  }
};

// --- from forms to keys to handlers ---

/// The C++ type of a lane. Types that `kind` does not tell apart become one.
template <ptx::Type type, ptx::LaneKind kind>
struct LaneType {
  static constexpr ptx::TypeKind k = ptx::info(type).kind;
  static constexpr size_t width = k == ptx::TypeKind::Predicate ? 4 : ptx::bytes(type);
  static constexpr bool is_signed = k == ptx::TypeKind::Signed && kind == ptx::LaneKind::Exact;
  static constexpr bool is_float = k == ptx::TypeKind::Float && width >= 4 && kind != ptx::LaneKind::Bits;
  using U = typename ptx::UintOf<width>::type;
  using integer = std::conditional_t<is_signed, std::make_signed_t<U>, U>;
  using type_ = std::conditional_t<is_float, std::conditional_t<width == 4, float, double>, integer>;
  using type_or_mask = std::conditional_t<k == ptx::TypeKind::Predicate, PredicateLanes, type_>;
};

/// The handler of one variant of a form.
template <class Card, size_t form, Variant v, size_t... I>
constexpr Handler handler_of(std::index_sequence<I...>) {
  constexpr ptx::LaneKind kind = [] {
    if constexpr (requires { Card::kind(v.mods); }) return Card::kind(v.mods);
    else return ptx::LaneKind::Exact;
  }();
  constexpr OperandTypes types = operand_types(operands_of(Card::card, Card::forms[form]), v.type, v.type2);
  if constexpr (requires { Card::combines; } || types.destination == ptx::Type::Pred) {
    using Compare = Comparison<Card, v.mods, typename LaneType<types.sources[I], kind>::type_or_mask...>;
    if constexpr (types.destination == ptx::Type::Pred) return Compare::run;
    else
      return Compare::template run_set<types.destination,
                                       typename LaneType<types.destination, ptx::LaneKind::SignFree>::type_>;
  } else {
    return Values<Card, v.mods, typename LaneType<types.destination, kind>::type_,
                  typename LaneType<types.sources[I], kind>::type_or_mask...>::run;
  }
}

template <class Card, size_t form, size_t... I>
void add_form(HandlerTable& table, ptx::CardId id, std::index_sequence<I...>) {
  constexpr auto& list = kVariants<Card, form>;
  constexpr OperandTypes types = operand_types(operands_of(Card::card, Card::forms[form]), list[0].type, list[0].type2);
  constexpr size_t sources = requires { Card::combines; }
  ? 2 : types.count;
  (table.add({id, static_cast<uint8_t>(form), list[I].type, list[I].type2, list[I].mods},
             handler_of<Card, form, list[I]>(std::make_index_sequence<sources>{})),
   ...);
}

/// Adds every variant of one form, or of all forms, of a card.
template <class Card, size_t form>
void add_form(HandlerTable& table) {
  if constexpr (requires { Card::has_lanes; }) return;                                       // is decoded as another
  else if constexpr (effect_of(Card::card, Card::forms[form]) != ptx::Effect::None) return;  // handlers of its own
  else if constexpr (ptx::computes_halves(Card::forms[form])) return;                        // half_code.h
  else if constexpr (ptx::computes_packed(Card::forms[form])) return;                        // packed_code.h
  else if constexpr (constexpr size_t kCount = kVariants<Card, form>.size(); kCount > 0) {   // 0: predicates alone
    add_form<Card, form>(table, ptx::kCardId<Card>, std::make_index_sequence<kCount>{});
  }
}
template <class Card, size_t... F>
void add_forms(HandlerTable& table, std::index_sequence<F...>) {
  (add_form<Card, F>(table), ...);
}
/// Adds those cards of a chapter that compute lanes.
template <class... Cards>
void add_cards(HandlerTable& table, ptx::CardList<Cards...>) {
  (add_forms<Cards>(table, std::make_index_sequence<Cards::forms.size()>{}), ...);
}

}  // namespace warptime::sim::inline WARPTIME_ISA
