// Handlers of cvt with half-precision numbers and tf32, for one host instruction set. Between floating-point types a
// number is an f32 (from f64 with an odd last bit for what is lost) that is rounded to its type once. What becomes of a
// NaN was recorded on an H100: to and from f64 its sign and upper bits stay and it becomes quiet, from bf16 to f32 all
// bits stay; else there is one NaN for all.
#include "sim/exec/conversion_lanes.h"

namespace warptime::sim::inline WARPTIME_ISA {

void add_half_conversions(HandlerTable& table);

namespace {

using ptx::Type;

/// An integer's magnitude as an f32 with an odd last bit for what is lost.
inline float odd_float(uint64_t size, bool negative) {
  auto above = static_cast<uint32_t>(std::countl_zero(size | 1));
  uint32_t dropped = above < 40 ? 40 - above : 0;  // bits beyond the 24 of an f32
  uint64_t kept = size >> dropped;
  if (kept << dropped != size) kept |= 1;
  float scale = std::bit_cast<float>((127u + dropped) << 23);
  float value = static_cast<float>(static_cast<uint32_t>(kept)) * scale;  // exact
  return negative ? -value : value;
}

template <ModSet M, class S, Type F>
struct IntegerToHalf {
  static void run(const WarpValues& warp, const Insn& insn, uint32_t mask) {
    const ConversionPayload& conversion = insn.conversion();
    constexpr size_t N = ptx::kNativeBytes / 8;
    Output<2> output(warp, insn, mask);
    std::byte* out = output.bytes();
    const std::byte* in = insn.src[0].in(warp);
    for (size_t lane = 0; lane < kWarpSize; lane += N) {
      auto v = ptx::load<Vec<S, N>>(in + lane * sizeof(S));
      Vec<float, N> x;
      if constexpr (sizeof(S) == 8) x = from64(v, conversion);
      else x = ptx::to_odd_float(exact_double(ptx::to<uint32_t>(v), conversion));
      if (conversion.clamps) x = ptx::saturate<ModSet::of(Mod::Sat)>(x);
      ptx::store(out + 2 * lane, ptx::to<uint16_t>(ptx::half_result<F, M>(x)));
    }
    output.done();
  }

 private:
  template <class V>
  static auto from64(V v, const ConversionPayload& conversion) {
    bool is_signed = conversion.is_signed[1];
    return ptx::each<float>(
        [is_signed](uint64_t x) {
          bool negative = is_signed && x >> 63 != 0;
          return odd_float(negative ? uint64_t{0} - x : x, negative);
        },
        extended(v, conversion.width[1], is_signed));
  }
};

/// The lane of a floating-point type in a row.
template <Type type>
using FloatLane =
    std::conditional_t<type == Type::F64, double,
                       std::conditional_t<type == Type::F32, float, typename ptx::UintOf<ptx::bytes(type)>::type>>;

template <ModSet M, Type D, Type S>
struct FloatConversion {
  static constexpr size_t N = ptx::kNativeBytes / 8;
  using V = Vec<float, N>;
  using U = Vec<uint32_t, N>;

  static void run(const WarpValues& warp, const Insn& insn, uint32_t mask) {
    using Lane = FloatLane<D>;
    Output<sizeof(Lane)> output(warp, insn, mask);
    std::byte* out = output.bytes();
    for (size_t lane = 0; lane < kWarpSize; lane += N) {
      V a = number(warp, insn, 0, lane);
      if constexpr (info(D).kind == ptx::TypeKind::Packed)
        ptx::store(out + lane * sizeof(Lane), half(number(warp, insn, 1, lane)) | half(a) << 16);
      else if constexpr (D == Type::TF32) ptx::store(out + lane * sizeof(Lane), tensor_float(a));
      else if constexpr (ptx::is_half(D)) ptx::store(out + lane * sizeof(Lane), ptx::to<uint16_t>(half(a)));
      else ptx::store(out + lane * sizeof(Lane), wide(a));
    }
    output.done();
  }

 private:
  /// A source's lanes as f32.
  static V number(const WarpValues& warp, const Insn& insn, size_t source, size_t lane) {
    using Lane = FloatLane<S>;
    auto from = ptx::load<Vec<Lane, N>>(insn.src[source].in(warp) + lane * sizeof(Lane));
    V x;
    if constexpr (S == Type::F64) x = ptx::to_odd_float(from);
    else if constexpr (S == Type::F32 && ptx::half_element(D) == Type::F16) x = from;  // .ftz keeps subnormal numbers
    else if constexpr (S == Type::F32) x = ptx::flush<M>(from);
    else x = ptx::widened<S>(ptx::to<uint32_t>(from));
    if constexpr (!(M & ptx::kIntRounding).empty()) x = ptx::rounded_integer<M>(x);
    return x;
  }
  static U half(V x) {
    constexpr Type F = ptx::half_element(D);
    U bits = ptx::half_result<F, M.without(ModSet::of(Mod::Ftz))>(x);
    if constexpr (S != Type::F64 || M.has(Mod::Sat)) return bits;
    constexpr int kDropped = F == Type::F16 ? 13 : 16;
    U of_f32 = ptx::bits_of(x), sign = (of_f32 & ptx::splat<U>(ptx::kSignBit)) >> 16;
    U nan = sign | ptx::splat<U>(ptx::kHalfInfinity<F>) | (of_f32 & ptx::splat<U>(0x7fffff)) >> kDropped;
    return ptx::select(ptx::mask_of<V>(x == x), bits, nan);
  }
  /// The result as f32 or f64.
  static auto wide(V x) {
    if constexpr (D == Type::F64) return ptx::saturate<M>(ptx::quiet(ptx::to<double>(x)));
    else if constexpr (S == Type::BF16 && !M.has(Mod::Ftz)) return x;
    else return ptx::finish<M>(x);
  }
  /// The upper 19 bits of an f32. With .rna those of a NaN stay; .satfinite takes one off whatever is not finite.
  static U tensor_float(V x) {
    constexpr uint32_t kStep = 1u << 13;
    U bits = ptx::bits_of(x), sign = bits & ptx::splat<U>(ptx::kSignBit), size = bits ^ sign;
    U cut = size & ptx::splat<U>(~(kStep - 1)), infinity = ptx::splat<U>(ptx::kExponentBits);
    auto negative = ptx::mask_of<U>(sign != U{}), finite = ptx::mask_of<U>(size < infinity);
    if constexpr (M.has(Mod::Rna)) {  // ties away from zero
      size = ptx::select(finite, (size + ptx::splat<U>(kStep / 2)) & ptx::splat<U>(~(kStep - 1)), cut);
      if constexpr (M.has(Mod::Satfinite))
        size = ptx::select(ptx::mask_of<U>(size < infinity), size, size - ptx::splat<U>(kStep));
      return sign | size;
    } else {
      U result = sign | ptx::without_low_bits<M>(size, negative, 13) << 13;
      if constexpr (M.has(Mod::Satfinite)) {
        U most = ptx::splat<U>(ptx::kExponentBits - kStep);
        auto beyond = ptx::mask_of<U>((result & ptx::splat<U>(~ptx::kSignBit)) > most);
        result = ptx::select(beyond, sign | most, result);
      }
      if constexpr (M.has(Mod::Relu)) result = ptx::select(negative, U{}, result);
      return ptx::select(ptx::mask_of<V>(x == x), result, ptx::splat<U>(0x7fffe000));
    }
  }
};

template <Type F, Mod rounding, class... R>
void add_half_to_integer(HandlerTable& table, HandlerKey key, LaneTypes<R...>) {
  constexpr ModSet kRounds = ModSet::of(rounding);
  key.form = ptx::Cvt::kFirstHalf + (F == Type::F16 ? 0 : 1);
  key.type2 = F;
  key.mods = kRounds;
  ((key.type = kRegisterType<R>, table.add(key, FloatToInteger<kRounds, R, float, F>::run)), ...);
}
template <Type F, Mod rounding, class... R>
void add_integer_to_half(HandlerTable& table, HandlerKey key, LaneTypes<R...>) {
  key.form = ptx::Cvt::kFirstHalf + (F == Type::F16 ? 2 : 3);
  key.type = F;
  key.mods = ModSet::of(rounding);
  ((key.type2 = kRegisterType<R>, table.add(key, IntegerToHalf<ModSet::of(rounding), R, F>::run)), ...);
}
template <Type F>
void add_integers(HandlerTable& table, const HandlerKey& key) {
  RegisterLanes all;
  add_half_to_integer<F, Mod::Rni>(table, key, all);
  add_half_to_integer<F, Mod::Rzi>(table, key, all);
  add_half_to_integer<F, Mod::Rmi>(table, key, all);
  add_half_to_integer<F, Mod::Rpi>(table, key, all);
  add_integer_to_half<F, Mod::Rn>(table, key, all);
  add_integer_to_half<F, Mod::Rz>(table, key, all);
  add_integer_to_half<F, Mod::Rm>(table, key, all);
  add_integer_to_half<F, Mod::Rp>(table, key, all);
}

template <size_t form, size_t... I>
void add_floats(HandlerTable& table, [[maybe_unused]] HandlerKey key, std::index_sequence<I...>) {
  constexpr auto& list = kVariants<ptx::Cvt, form>;
  key.form = form;
  ((key.type = list[I].type, key.type2 = list[I].type2, key.mods = list[I].mods,
    table.add(key, FloatConversion<list[I].mods, list[I].type, list[I].type2>::run)),
   ...);
}
template <size_t... F>
void add_float_forms(HandlerTable& table, const HandlerKey& key, std::index_sequence<F...>) {
  constexpr size_t kFirst = ptx::Cvt::kFirstFloats;
  (add_floats<kFirst + F>(table, key,
                          std::make_index_sequence < ptx::Cvt::forms[kFirst + F].has_effect
                              ? 0  // numbers of 8 bits and less
                              : kVariants<ptx::Cvt, kFirst + F>.size() > {}),
   ...);
}

}  // namespace

void add_half_conversions(HandlerTable& table) {
  HandlerKey key;
  key.card = ptx::kCardId<ptx::Cvt>;
  add_integers<Type::F16>(table, key);
  add_integers<Type::BF16>(table, key);
  add_float_forms(table, key, std::make_index_sequence<ptx::Cvt::forms.size() - ptx::Cvt::kFirstFloats>{});
}

}  // namespace warptime::sim::inline WARPTIME_ISA
