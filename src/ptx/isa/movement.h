// Moves, addresses, loads and stores. PTX ISA 9.0, section 9.7.9. Caches, orders and scopes are accepted and do not
// change a value; stores become visible as the memory model of the machine has it.
#pragma once

#include "ptx/isa/vec.h"

namespace warptime::ptx::inline WARPTIME_ISA {

/// mov: a register, a constant, a special register, a symbol's address; or packs and unpacks, lowest element first; or
/// with .v2 or .v4 as many registers as there are in a vector, 128 bits at most.
struct Mov {
  static constexpr Card card{.name = "mov", .operands = "d, a", .summary = "move", .manual = "9.7.9.3"};
  static constexpr TypeSet kVectorOf32 =
      types(Type::U16, Type::S16, Type::B16, Type::U32, Type::S32, Type::B32, Type::F32);
  static constexpr std::array forms{
      Form{.types = types(Type::Pred)}.with("d, !a"),
      Form{.types = kInteger | types(Type::F32, Type::F64)}.with("d:bits, a:bits"),
      Form{.types = kBits}.with("d:pack, a:pack"),
      Form{.types = kVectorOf32 | types(Type::U64, Type::S64, Type::B64, Type::F64), .slots = slots(one(Mod::V2))}
          .with("d:bitsvec, a:bitsvec")
          .does(Effect::Collective),
      Form{.types = kVectorOf32, .slots = slots(one(Mod::V4))}.with("d:bitsvec, a:bitsvec").does(Effect::Collective),
      Form{.types = types(Type::B128)}
          .with("d:pair, a:pair")
          .does(Effect::Collective)
          .from(83, 70)
          .written_as(Rewrite::Pair)};
  static constexpr LaneKind kind(ModSet) { return LaneKind::Bits; }
  template <ModSet M, class V>
  static V lanes(V a) {
    return a;
  }
};

inline constexpr TypeSet kMemoryTypes = kAnyInteger | kBits | types(Type::B8, Type::F32, Type::F64);
inline constexpr Slot kScope = opt(mods(Mod::ScopeCta, Mod::ScopeCluster, Mod::ScopeGpu, Mod::ScopeSys));
/// Vectors have 128 bits at most, in global memory 256 (InstructionParser::check_version).
inline constexpr Slot kVector = opt(mods(Mod::V2, Mod::V4, Mod::V8));
inline constexpr Slot kEviction =
    opt(mods(Mod::EvictNormal, Mod::EvictUnchanged, Mod::EvictFirst, Mod::EvictLast, Mod::NoAllocate));
inline constexpr Slot kEvictionL2 = opt(mods(Mod::L2EvictFirst, Mod::L2EvictLast, Mod::L2EvictNormal));
inline constexpr Slot kPrefetchSize = opt(mods(Mod::Prefetch64, Mod::Prefetch128, Mod::Prefetch256));
inline constexpr Slot kLoadOrder = opt(mods(Mod::Weak, Mod::Volatile, Mod::Relaxed, Mod::Acquire));
inline constexpr Slot kLoadSpace = opt(mods(Mod::Const, Mod::Global, Mod::Local, Mod::Param, Mod::ParamEntry,
                                            Mod::ParamFunc, Mod::Shared, Mod::SharedCta, Mod::SharedCluster));
inline constexpr Slot kLoadCache = opt(mods(Mod::Ca, Mod::Cg, Mod::Cs, Mod::Lu, Mod::Cv));
inline constexpr Slot kStoreOrder = opt(mods(Mod::Weak, Mod::Volatile, Mod::Relaxed, Mod::Release));
inline constexpr Slot kStoreSpace =
    opt(mods(Mod::Global, Mod::Local, Mod::Param, Mod::ParamFunc, Mod::Shared, Mod::SharedCta, Mod::SharedCluster));
inline constexpr Slot kStoreCache = opt(mods(Mod::Wb, Mod::Cg, Mod::Cs, Mod::Wt));

/// ld and st of what may be a device's memory: each as it stands, one element.
inline constexpr Form kMmio =
    Form{.types = kMemoryTypes, .slots = slots(one(Mod::Mmio), one(Mod::Relaxed), one(Mod::ScopeSys), opt(Mod::Global))}
        .from(82, 70);

inline constexpr Slot kAsyncSpace = opt(mods(Mod::SharedCta, Mod::SharedCluster));
/// st.async: a store to shared memory whose bytes an mbarrier object counts, there.
constexpr Form async_store_form(TypeSet set, ModSet vectors) {
  return Form{.types = set,
              .slots = slots(one(Mod::Async), opt(Mod::Weak), kAsyncSpace, one(Mod::CompleteTxBytes), opt(vectors))}
      .with("[a], b:vec, [m]")
      .does(Effect::BulkCopy)
      .from(81, 90)
      .needs(Feature::Clusters);
}

/// Values of 128 bits: two of 64.
constexpr Form of_128_bits(Slots words) {
  return Form{.types = types(Type::B128), .slots = words}.from(83, 70).written_as(Rewrite::Pair);
}

/// ld: no state space means a generic address.
struct Ld {
  static constexpr Card card{.name = "ld",
                             .operands = "d:vec, [a]",
                             .unit = Unit::Memory,
                             .latency = Latency::Memory,
                             .effect = Effect::Load,
                             .summary = "load",
                             .manual = "9.7.9.8"};
  static constexpr std::array forms{
      Form{.types = kMemoryTypes,
           .slots = slots(kLoadOrder, kScope, kLoadSpace, kLoadCache, opt(Mod::Nc), kEviction, kEvictionL2,
                          kPrefetchSize, kVector)},
      Form{.types = kMemoryTypes,
           .slots = slots(kLoadOrder, kScope, kLoadSpace, kLoadCache, opt(Mod::Nc), kEviction, kEvictionL2,
                          one(Mod::CacheHint), kPrefetchSize, kVector)}
          .with("d:vec, [a], c:u64")
          .from(74, 80),
      kMmio,
      of_128_bits(
          slots(kLoadOrder, kScope, kLoadSpace, kLoadCache, opt(Mod::Nc), kEviction, kEvictionL2, kPrefetchSize))
          .with("d:pair, [a]")};
};

/// ldu: ld of global memory at an address that is the same in all lanes, which nothing relies on.
struct Ldu {
  static constexpr Card card{.name = "ldu",
                             .operands = "d:vec, [a]",
                             .unit = Unit::Memory,
                             .latency = Latency::Memory,
                             .effect = Effect::Load,
                             .summary = "load from one address for all lanes",
                             .manual = "9.7.9.10"};
  static constexpr std::array forms{Form{.types = kMemoryTypes, .slots = slots(opt(Mod::Global), kVector)}.from(20, 20),
                                    of_128_bits(slots(opt(Mod::Global))).with("d:pair, [a]")};
};

/// st: the element of a wider register is its low part.
struct St {
  static constexpr Card card{.name = "st",
                             .operands = "[a], b:vec",
                             .unit = Unit::Memory,
                             .latency = Latency::Memory,
                             .effect = Effect::Store,
                             .summary = "store",
                             .manual = "9.7.9.11"};
  static constexpr std::array forms{
      Form{.types = kMemoryTypes,
           .slots = slots(kStoreOrder, kScope, kStoreSpace, kStoreCache, kEviction, kEvictionL2, kVector)},
      Form{.types = kMemoryTypes,
           .slots = slots(kStoreOrder, kScope, kStoreSpace, kStoreCache, kEviction, kEvictionL2, one(Mod::CacheHint),
                          kVector)}
          .with("[a], b:vec, c:u64")
          .from(74, 80),
      kMmio,
      of_128_bits(slots(kStoreOrder, kScope, kStoreSpace, kStoreCache, kEviction, kEvictionL2)).with("[a], b:pair"),
      async_store_form(types(Type::B32, Type::U32, Type::S32, Type::F32), mods(Mod::V2, Mod::V4)),
      async_store_form(types(Type::B64, Type::U64, Type::S64, Type::F64), mods(Mod::V2))};
};

/// prefetch, prefetchu: nothing happens.
struct Prefetch {
  static constexpr Card card{.name = "prefetch",
                             .operands = "[a]",
                             .unit = Unit::Control,
                             .effect = Effect::Nop,
                             .summary = "prefetch (does nothing)",
                             .manual = "9.7.9.15"};
  static constexpr std::array forms{
      Form{.slots = slots(opt(mods(Mod::Global, Mod::Local)), one(mods(Mod::L1, Mod::L2)))}.from(20, 20),
      Form{.slots = slots(one(Mod::Global), one(mods(Mod::L2EvictLast, Mod::L2EvictNormal)))}.from(74, 80),
      Form{.slots = slots(opt(mods(Mod::Const, Mod::Param)), one(Mod::TensorMap))}.from(80, 90).needs(
          Feature::TensorCopies)};
};
struct Prefetchu {
  static constexpr Card card{.name = "prefetchu",
                             .operands = "[a]",
                             .unit = Unit::Control,
                             .effect = Effect::Nop,
                             .summary = "prefetch a uniform address (does nothing)",
                             .manual = "9.7.9.15"};
  static constexpr std::array forms{Form{.slots = slots(one(Mod::L1))}.from(20, 20)};
};

/// applypriority, discard: what the second-level cache does with a line of 128 bytes. Nothing happens; data that
/// discard may destroy stay.
struct Applypriority {
  static constexpr Card card{.name = "applypriority",
                             .operands = "[a], b:imm",
                             .unit = Unit::Control,
                             .effect = Effect::Nop,
                             .summary = "priority of a cache line (does nothing)",
                             .manual = "9.7.9.16"};
  static constexpr std::array forms{Form{.slots = slots(opt(Mod::Global), one(Mod::L2EvictNormal))}.from(74, 80)};
};
struct Discard {
  static constexpr Card card{.name = "discard",
                             .operands = "[a], b:imm",
                             .unit = Unit::Control,
                             .effect = Effect::Nop,
                             .summary = "drop a cache line (does nothing)",
                             .manual = "9.7.9.17"};
  static constexpr std::array forms{Form{.slots = slots(opt(Mod::Global), one(Mod::L2))}.from(74, 80)};
};

/// createpolicy: what .L2::cache_hint of a load or store takes. No cache looks at it: every policy is 0.
struct Createpolicy {
  static constexpr Card card{.name = "createpolicy",
                             .operands = "d{, a:f32}",
                             .effect = Effect::Collective,
                             .summary = "make a cache policy (always 0)",
                             .manual = "9.7.9.18"};
  static constexpr Slot kFirst =
      one(mods(Mod::L2EvictLast, Mod::L2EvictNormal, Mod::L2EvictFirst, Mod::L2EvictUnchanged));
  static constexpr Slot kSecond = opt(mods(Mod::ThenEvictFirst, Mod::ThenEvictUnchanged));
  static constexpr TypeSet kPolicy = types(Type::B64);
  static constexpr std::array forms{
      Form{.types = kPolicy, .slots = slots(one(Mod::Fractional), kFirst, kSecond)}.from(74, 80),
      Form{.types = kPolicy, .slots = slots(one(Mod::Range), opt(Mod::Global), kFirst, kSecond)}
          .with("d, [a], b:u32, c:u32")
          .from(74, 80),
      Form{.types = kPolicy, .slots = slots(one(Mod::FromHost), one(Mod::L2))}.with("d, a").from(74, 80)};
};

/// cvta: between an address in a state space and a generic address. Decoded as an addition of the window's first
/// address: it has no lane code of its own.
struct Cvta {
  static constexpr Card card{
      .name = "cvta", .operands = "d, a", .summary = "convert an address to or from generic", .manual = "9.7.9.20"};
  static constexpr bool has_lanes = false;
  static constexpr std::array forms{
      Form{.types = types(Type::U32, Type::U64),
           .slots = slots(opt(Mod::To), one(mods(Mod::Global, Mod::Shared, Mod::SharedCta, Mod::Local)))}
          .from(20, 20),
      Form{.types = types(Type::U32, Type::U64), .slots = slots(opt(Mod::To), one(Mod::Const))}.from(31, 20),
      Form{.types = types(Type::U32, Type::U64), .slots = slots(opt(Mod::To), one(mods(Mod::Param, Mod::ParamEntry)))}
          .from(77, 70)};
};

/// isspacep: whether a generic address is one of a state space.
struct Isspacep {
  static constexpr Card card{.name = "isspacep",
                             .operands = "d:pred, a:address",
                             .effect = Effect::Collective,
                             .summary = "whether an address is in a state space",
                             .manual = "9.7.9.19"};
  static constexpr std::array forms{
      Form{.slots = slots(one(mods(Mod::Global, Mod::Shared, Mod::SharedCta, Mod::Local)))}.from(20, 20),
      Form{.slots = slots(one(Mod::Const))}.from(31, 20),
      Form{.slots = slots(one(mods(Mod::Param, Mod::ParamEntry)))}.from(77, 70),
      Form{.slots = slots(one(Mod::SharedCluster))}.from(78, 90).needs(Feature::Clusters)};
};

using MovementCards =
    CardList<Mov, Ld, Ldu, St, Prefetch, Prefetchu, Applypriority, Discard, Createpolicy, Cvta, Isspacep>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
