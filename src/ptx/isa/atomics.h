// Atomic operations on memory, and votes of a warp. PTX ISA 9.0, sections 9.7.13.9 to 9.7.13.14.
//
// Left out: 16-bit and packed types, vectors, and cache hints.
#pragma once

#include "ptx/isa/movement.h"

namespace warptime::ptx::inline WARPTIME_ISA {

inline constexpr Slot kAtomicOrder = opt(mods(Mod::Relaxed, Mod::Acquire, Mod::Release, Mod::AcqRel));
inline constexpr Slot kAtomicSpace = opt(mods(Mod::Global, Mod::Shared, Mod::SharedCta));

/// Forms of atom and red for the operations of `ops` on `set`.
constexpr Form atomic_form(TypeSet set, ModSet ops) {
  return Form{.types = set, .slots = slots(kAtomicOrder, kScope, kAtomicSpace, one(ops))};
}
inline constexpr ModSet kLogicOps = mods(Mod::And, Mod::Or, Mod::Xor);
inline constexpr ModSet kOrderOps = mods(Mod::Min, Mod::Max);
inline constexpr ModSet kCountOps = mods(Mod::Inc, Mod::Dec);

/// atom: d = the word at [a]; the word becomes op(word, b). What f32 addition does to subnormals depends on the space.
struct Atom {
  static constexpr Card card{.name = "atom",
                             .operands = "d, [a], b",
                             .unit = Unit::Memory,
                             .latency = Latency::Memory,
                             .effect = Effect::Atomic,
                             .summary = "read, change and write a word as one",
                             .manual = "9.7.13.13"};
  static constexpr std::array forms{
      atomic_form(types(Type::B32), kLogicOps | mods(Mod::Exch)).from(11, 11),
      atomic_form(types(Type::U32, Type::S32), mods(Mod::Add) | kOrderOps).from(11, 11),
      atomic_form(types(Type::U32), kCountOps).from(11, 11),
      atomic_form(types(Type::B32), mods(Mod::Cas)).with("d, [a], b, c").from(11, 11),
      atomic_form(types(Type::U64), mods(Mod::Add)).from(12, 12).needs("atomics_64"),
      atomic_form(types(Type::B64), mods(Mod::Exch)).from(12, 12).needs("atomics_64"),
      atomic_form(types(Type::B64), mods(Mod::Cas)).with("d, [a], b, c").from(12, 12).needs("atomics_64"),
      atomic_form(types(Type::B64), kLogicOps).from(31, 32).needs("atomics_64"),
      atomic_form(types(Type::U64, Type::S64), kOrderOps).from(31, 32).needs("atomics_64"),
      atomic_form(types(Type::F32), mods(Mod::Add)).from(20, 20).needs("float_atomics")};
};

/// red: the same without a result.
struct Red {
  static constexpr Card card{.name = "red",
                             .operands = "[a], b",
                             .unit = Unit::Memory,
                             .latency = Latency::Memory,
                             .effect = Effect::Atomic,
                             .summary = "change a word in memory as one",
                             .manual = "9.7.13.14"};
  static constexpr std::array forms{
      atomic_form(types(Type::B32), kLogicOps).from(12, 11),
      atomic_form(types(Type::U32, Type::S32), mods(Mod::Add) | kOrderOps).from(12, 11),
      atomic_form(types(Type::U32), kCountOps).from(12, 11),
      atomic_form(types(Type::U64), mods(Mod::Add)).from(12, 12).needs("atomics_64"),
      atomic_form(types(Type::B64), kLogicOps).from(31, 32).needs("atomics_64"),
      atomic_form(types(Type::U64, Type::S64), kOrderOps).from(31, 32).needs("atomics_64"),
      atomic_form(types(Type::F32), mods(Mod::Add)).from(20, 20).needs("float_atomics")};
};

/// vote: over the active lanes whose guard is true. The .sync forms name them a second time.
struct Vote {
  static constexpr Card card{.name = "vote",
                             .operands = "d:pred, !a:pred",
                             .effect = Effect::Collective,
                             .summary = "what a predicate is in all lanes",
                             .manual = "9.7.13.9"};
  static constexpr ModSet kModes = mods(Mod::All, Mod::Any, Mod::Uni);
  static constexpr std::array forms{
      Form{.types = types(Type::Pred), .slots = slots(one(kModes))}.from(12, 12).needs("vote"),
      Form{.types = types(Type::B32), .slots = slots(one(Mod::Ballot))}.with("d, !a:pred").from(20, 20).needs("vote"),
      Form{.types = types(Type::Pred), .slots = slots(one(Mod::Sync), one(kModes))}
          .with("d:pred, !a:pred, b:u32")
          .from(60, 30)
          .needs("vote"),
      Form{.types = types(Type::B32), .slots = slots(one(Mod::Sync), one(Mod::Ballot))}
          .with("d, !a:pred, b:u32")
          .from(60, 30)
          .needs("vote")};
};

/// activemask: the lanes that execute it.
struct Activemask {
  static constexpr Card card{.name = "activemask",
                             .operands = "d",
                             .effect = Effect::Collective,
                             .summary = "which lanes are active",
                             .manual = "9.7.13.11"};
  static constexpr std::array forms{Form{.types = types(Type::B32)}.from(62, 30).needs("vote")};
};

}  // namespace warptime::ptx::inline WARPTIME_ISA
