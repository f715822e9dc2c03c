// Atomic operations on memory. PTX ISA 9.0, sections 9.7.13.13 and 9.7.13.14.
#pragma once

#include "ptx/isa/movement.h"

namespace warptime::ptx::inline WARPTIME_ISA {

inline constexpr Slot kAtomicOrder = opt(mods(Mod::Relaxed, Mod::Acquire, Mod::Release, Mod::AcqRel));
inline constexpr Slot kAtomicSpace = opt(mods(Mod::Global, Mod::Shared, Mod::SharedCta, Mod::SharedCluster));

inline constexpr Slot kReductionOrder = opt(mods(Mod::Relaxed, Mod::Release));  // what reads nothing acquires nothing

/// Forms of atom for the operations of `ops` on `set`.
constexpr Form atomic_form(TypeSet set, ModSet ops, Slot order = kAtomicOrder) {
  return Form{.types = set, .slots = slots(order, kScope, kAtomicSpace, one(ops))};
}
/// Forms of red for the operations of `ops` on `set`.
constexpr Form reduction_form(TypeSet set, ModSet ops) { return atomic_form(set, ops, kReductionOrder); }
/// Half-precision sums keep subnormal numbers and say so; of two numbers in a word each is summed alone.
constexpr Form unflushed(Form form) {
  form.slots.list[form.slots.count++] = one(Mod::Noftz);
  return form;
}
/// Operations on the elements of a vector in global memory: each is one of its own.
constexpr Form on_vectors(TypeSet set, ModSet vectors, Slot order, ModSet ops = mods(Mod::Add)) {
  return Form{.types = set, .slots = slots(order, kScope, opt(Mod::Global), one(ops), one(vectors))}
      .from(81, 90)
      .written_as(Rewrite::Elements);
}
constexpr Form on_half_vectors(TypeSet set, ModSet vectors, Slot order) {
  Form form = on_vectors(set, vectors, order, mods(Mod::Add, Mod::Min, Mod::Max));
  form.slots.list[form.slots.count++] = one(Mod::Noftz);
  return form;
}
inline constexpr TypeSet kHalfAlone = types(Type::F16, Type::BF16), kHalfPairs = types(Type::F16x2, Type::BF16x2);
inline constexpr ModSet kLogicOps = mods(Mod::And, Mod::Or, Mod::Xor);
inline constexpr ModSet kOrderOps = mods(Mod::Min, Mod::Max);
inline constexpr ModSet kCountOps = mods(Mod::Inc, Mod::Dec);

/// A register of 128 bits: the same word for both halves of it.
constexpr Form on_128_bits(ModSet ops, std::string_view operands) {
  return atomic_form(types(Type::B128), ops).with(operands).from(83, 90).written_as(Rewrite::Pair);
}

/// All forms, and again each with a cache policy as its last operand, which nothing looks at; not in shared memory.
template <size_t kForms>
constexpr std::array<Form, 2 * kForms> with_hints(const std::array<Form, kForms>& forms, std::string_view operands,
                                                  std::string_view vectors, std::string_view pairs = {}) {
  std::array<Form, 2 * kForms> out{};
  for (size_t i = 0; i < kForms; ++i) {
    Form hinted = forms[i];
    hinted.operands = hinted.rewrite == Rewrite::Elements ? vectors
                      : hinted.rewrite == Rewrite::Pair   ? pairs
                                                          : operands;
    hinted.slots.list[2] = opt(Mod::Global);
    hinted.slots.list[hinted.slots.count++] = one(Mod::CacheHint);
    if (hinted.since.ptx < 74) hinted.since.ptx = 74;
    if (hinted.since.target < 80) hinted.since.target = 80;
    out[i] = forms[i];
    out[kForms + i] = hinted;
  }
  return out;
}

/// red.async: on shared memory, perhaps of another block, where an mbarrier object counts its bytes.
constexpr Form async_reduction_form(TypeSet set, ModSet ops) {
  return Form{.types = set,
              .slots = slots(one(Mod::Async), one(Mod::Relaxed), one(Mod::ScopeCluster), kAsyncSpace,
                             one(Mod::CompleteTxBytes), one(ops))}
      .with("[a], b, [m]")
      .does(Effect::BulkCopy)
      .from(81, 90)
      .needs(Feature::Clusters);
}
template <size_t kFirst, size_t kSecond>
constexpr std::array<Form, kFirst + kSecond> joined(const std::array<Form, kFirst>& first,
                                                    const std::array<Form, kSecond>& second) {
  std::array<Form, kFirst + kSecond> out{};
  for (size_t i = 0; i < kFirst; ++i) out[i] = first[i];
  for (size_t i = 0; i < kSecond; ++i) out[kFirst + i] = second[i];
  return out;
}

/// atom: d = the word at [a]; the word becomes op(word, b). What f32 addition does to subnormals depends on the space.
struct Atom {
  static constexpr Card card{.name = "atom",
                             .operands = "d, [a], b",
                             .unit = Unit::Memory,
                             .latency = Latency::Memory,
                             .effect = Effect::Atomic,
                             .summary = "atomic read-modify-write",
                             .manual = "9.7.13.13"};
  static constexpr std::array kPlain{
      atomic_form(types(Type::B32), kLogicOps | mods(Mod::Exch)).from(11, 11),
      atomic_form(types(Type::U32, Type::S32), mods(Mod::Add) | kOrderOps).from(11, 11),
      atomic_form(types(Type::U32), kCountOps).from(11, 11),
      atomic_form(types(Type::U64), mods(Mod::Add)).from(12, 12).needs(Feature::Atomics64),
      atomic_form(types(Type::B64), mods(Mod::Exch)).from(12, 12).needs(Feature::Atomics64),
      atomic_form(types(Type::B64), kLogicOps).from(31, 32).needs(Feature::Atomics64),
      atomic_form(types(Type::U64, Type::S64), kOrderOps).from(31, 32).needs(Feature::Atomics64),
      atomic_form(types(Type::F32), mods(Mod::Add)).from(20, 20).needs(Feature::FloatAtomics),
      atomic_form(types(Type::F64), mods(Mod::Add)).from(50, 60).needs(Feature::DoubleAtomics),
      unflushed(atomic_form(types(Type::F16), mods(Mod::Add))).from(63, 70).needs(Feature::F16),
      unflushed(atomic_form(types(Type::F16x2), mods(Mod::Add))).from(62, 60).needs(Feature::F16),
      unflushed(atomic_form(kBF16, mods(Mod::Add))).from(78, 90).needs(Feature::BF16),
      on_vectors(kF32, mods(Mod::V2, Mod::V4), kAtomicOrder).with("d:vec, [a], b:vec").needs(Feature::FloatAtomics),
      on_half_vectors(kHalfAlone, mods(Mod::V2, Mod::V4, Mod::V8), kAtomicOrder)
          .with("d:vec, [a], b:vec")
          .needs(Feature::BF16),
      on_half_vectors(kHalfPairs, mods(Mod::V2, Mod::V4), kAtomicOrder).with("d:vec, [a], b:vec").needs(Feature::BF16),
      on_128_bits(mods(Mod::Exch), "d:pair, [a], b:pair").needs(Feature::WideAtomics)};
  static constexpr std::array kSwaps{
      atomic_form(types(Type::B32), mods(Mod::Cas)).with("d, [a], b, c").from(11, 11),
      atomic_form(types(Type::B64), mods(Mod::Cas)).with("d, [a], b, c").from(12, 12).needs(Feature::Atomics64),
      atomic_form(types(Type::B16), mods(Mod::Cas)).with("d, [a], b, c").from(63, 70).needs(Feature::DoubleAtomics),
      on_128_bits(mods(Mod::Cas), "d:pair, [a], b:pair, c:pair").needs(Feature::WideAtomics)};
  static constexpr auto forms =
      joined(with_hints(kPlain, "d, [a], b, e:u64", "d:vec, [a], b:vec, e:u64", "d:pair, [a], b:pair, e:u64"), kSwaps);
};

/// red: the same without a result.
struct Red {
  static constexpr Card card{.name = "red",
                             .operands = "[a], b",
                             .unit = Unit::Memory,
                             .latency = Latency::Memory,
                             .effect = Effect::Atomic,
                             .summary = "atomic read-modify-write, without a result",
                             .manual = "9.7.13.14"};
  static constexpr std::array kPlain{
      reduction_form(types(Type::B32), kLogicOps).from(12, 11),
      reduction_form(types(Type::U32, Type::S32), mods(Mod::Add) | kOrderOps).from(12, 11),
      reduction_form(types(Type::U32), kCountOps).from(12, 11),
      reduction_form(types(Type::U64), mods(Mod::Add)).from(12, 12).needs(Feature::Atomics64),
      reduction_form(types(Type::B64), kLogicOps).from(31, 32).needs(Feature::Atomics64),
      reduction_form(types(Type::U64, Type::S64), kOrderOps).from(31, 32).needs(Feature::Atomics64),
      reduction_form(types(Type::F32), mods(Mod::Add)).from(20, 20).needs(Feature::FloatAtomics),
      reduction_form(types(Type::F64), mods(Mod::Add)).from(50, 60).needs(Feature::DoubleAtomics),
      unflushed(reduction_form(types(Type::F16), mods(Mod::Add))).from(63, 70).needs(Feature::F16),
      unflushed(reduction_form(types(Type::F16x2), mods(Mod::Add))).from(62, 60).needs(Feature::F16),
      unflushed(reduction_form(kBF16, mods(Mod::Add))).from(78, 90).needs(Feature::BF16),
      on_vectors(kF32, mods(Mod::V2, Mod::V4), kReductionOrder).with("[a], b:vec").needs(Feature::FloatAtomics),
      on_half_vectors(kHalfAlone, mods(Mod::V2, Mod::V4, Mod::V8), kReductionOrder)
          .with("[a], b:vec")
          .needs(Feature::BF16),
      on_half_vectors(kHalfPairs, mods(Mod::V2, Mod::V4), kReductionOrder).with("[a], b:vec").needs(Feature::BF16)};
  static constexpr std::array kAsync{
      async_reduction_form(types(Type::U32, Type::S32, Type::U64, Type::S64), mods(Mod::Add)),
      async_reduction_form(types(Type::U32, Type::S32), kOrderOps), async_reduction_form(types(Type::U32), kCountOps),
      async_reduction_form(types(Type::B32), kLogicOps)};
  static constexpr auto forms = joined(with_hints(kPlain, "[a], b, e:u64", "[a], b:vec, e:u64"), kAsync);
};

using AtomicCards = CardList<Atom, Red>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
