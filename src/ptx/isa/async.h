// Asynchronous copies and mbarrier objects. PTX ISA 9.0, sections 9.7.9.25 and 9.7.13.16. What an instruction of this
// chapter does is in its spelling; the decoder makes an AsyncPayload of it (sim/exec/payload.h).
//
// Copies of boxes of tensors are in tensor_copies.h.
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "ptx/isa/movement.h"
#include "ptx/isa/tensor_copies.h"

namespace warptime::ptx::inline WARPTIME_ISA {

inline constexpr ModSet kOwnShared = mods(Mod::Shared, Mod::SharedCta);
inline constexpr Slot kMbarrierSpace = opt(kOwnShared);
inline constexpr TypeSet kMbarrierType = types(Type::B64);

/// The forms of cp.async that copy, of one cache operator. A predicate in place of the size of the source: whether it
/// is ignored, so that zeros are written.
constexpr std::array<Form, 4> copy_forms(Mod cache, std::string_view plain, std::string_view ignored,
                                         std::string_view hinted, std::string_view ignored_hinted) {
  auto form = [&](bool hint, std::string_view operands) {
    Slots words = slots(one(Mod::Async), one(cache), one(kOwnShared), one(Mod::Global));
    if (hint) words.list[words.count++] = one(Mod::CacheHint);
    return Form{.slots = words}.with(operands).from(hint ? 74 : 70, 80).needs(Feature::AsyncCopies);
  };
  return {form(false, plain), form(false, ignored), form(true, hinted), form(true, ignored_hinted)};
}
/// A copy with the size of a prefetch into the L2.
constexpr Form prefetching(Form form) {
  form.slots.list[form.slots.count++] = one(mods(Mod::Prefetch64, Mod::Prefetch128, Mod::Prefetch256));
  return form.from(74, 80);
}
constexpr std::array<Form, 16> all_copy_forms() {
  constexpr std::array<std::array<Form, 4>, 2> kSets{
      copy_forms(Mod::Ca, "[d:shared], [a:global], b:copysize{, c:sourcesize}",
                 "[d:shared], [a:global], b:copysize, !c:pred",
                 "[d:shared], [a:global], b:copysize{, c:sourcesize}, e:u64",
                 "[d:shared], [a:global], b:copysize, !c:pred, e:u64"),
      copy_forms(Mod::Cg, "[d:shared], [a:global], b:copysize16{, c:sourcesize}",
                 "[d:shared], [a:global], b:copysize16, !c:pred",
                 "[d:shared], [a:global], b:copysize16{, c:sourcesize}, e:u64",
                 "[d:shared], [a:global], b:copysize16, !c:pred, e:u64")};
  std::array<Form, 16> out{};
  size_t count = 0;
  for (const auto& set : kSets)
    for (const Form& form : set) {
      out[count++] = form;
      out[count++] = prefetching(form);
    }
  return out;
}

constexpr Form copy_arrival_form(bool noinc) {
  Slots words = slots(one(Mod::Async), one(Mod::MbarrierWord), one(Mod::Arrive));
  if (noinc) words.list[words.count++] = one(Mod::NoInc);
  words.list[words.count++] = kMbarrierSpace;
  return Form{.types = kMbarrierType, .slots = words}
      .with("[a]")
      .in(Unit::Memory)
      .from(70, 80)
      .needs(Feature::Mbarriers);
}
constexpr Form copy_group_form(Mod word, std::string_view operands) {
  return Form{.slots = slots(one(Mod::Async), one(word))}.with(operands).from(70, 80).needs(Feature::AsyncCopies);
}
/// cp.async.bulk and cp.reduce.async.bulk with these words behind `first`.
constexpr Form bulk_form(Slots words, bool hint, std::string_view operands, std::string_view hinted, uint16_t ptx) {
  if (hint) words.list[words.count++] = one(Mod::CacheHint);
  return Form{.slots = words}
      .with(hint ? hinted : operands)
      .in(Unit::Memory)
      .does(Effect::BulkCopy)
      .from(ptx, 90)
      .needs(Feature::BulkCopies);
}
/// cp.async.bulk to several blocks of a cluster.
constexpr Form multicast_form(bool hint) {
  return bulk_form(slots(one(Mod::Async), one(Mod::Bulk), one(Mod::SharedCluster), one(Mod::Global),
                         one(Mod::CompleteTxBytes), one(Mod::Multicast)),
                   hint, "[d:shared], [a:global], b:bulksize, [m:shared], c:u16",
                   "[d:shared], [a:global], b:bulksize, [m:shared], c:u16, e:u64", 80);
}
/// Reductions of a range in global memory by what lies in shared memory.
constexpr Form bulk_reduction_form(bool hint, TypeSet set, ModSet ops, bool noftz = false) {
  Slots words = slots(one(Mod::Reduce), one(Mod::Async), one(Mod::Bulk), one(Mod::Global), one(Mod::SharedCta),
                      one(Mod::BulkGroup));
  if (hint) words.list[words.count++] = one(Mod::CacheHint);
  words.list[words.count++] = one(ops);
  if (noftz) words.list[words.count++] = one(Mod::Noftz);
  Form form = bulk_form(
      words, false, hint ? "[d:global], [a:shared], b:bulksize, e:u64" : "[d:global], [a:shared], b:bulksize", {}, 80);
  form.types = set;
  return form;
}
constexpr auto bulk_forms() {
  std::array<Form, 2 * 13 + 4> out{};
  size_t count = 0;
  for (bool hint : {false, true}) {
    for (Mod to : {Mod::SharedCluster, Mod::SharedCta})
      out[count++] =
          bulk_form(slots(one(Mod::Async), one(Mod::Bulk), one(to), one(Mod::Global), one(Mod::CompleteTxBytes)), hint,
                    "[d:shared], [a:global], b:bulksize, [m:shared]",
                    "[d:shared], [a:global], b:bulksize, [m:shared], e:u64", to == Mod::SharedCta ? 86 : 80);
    out[count++] =
        bulk_form(slots(one(Mod::Async), one(Mod::Bulk), one(Mod::Global), one(Mod::SharedCta), one(Mod::BulkGroup)),
                  hint, "[d:global], [a:shared], b:bulksize", "[d:global], [a:shared], b:bulksize, e:u64", 80);
    out[count++] = multicast_form(hint);
    Form prefetch =
        bulk_form(slots(one(Mod::Async), one(Mod::Bulk), one(Mod::PrefetchWord), one(Mod::L2), one(Mod::Global)), hint,
                  "[a:global], b:bulksize", "[a:global], b:bulksize, e:u64", 80);
    out[count++] = prefetch.in(Unit::Control).does(Effect::Nop);
    out[count++] = bulk_reduction_form(hint, types(Type::B32, Type::B64), mods(Mod::And, Mod::Or, Mod::Xor));
    out[count++] = bulk_reduction_form(hint, types(Type::U32, Type::S32, Type::U64), mods(Mod::Add));
    out[count++] = bulk_reduction_form(hint, types(Type::U32), mods(Mod::Inc, Mod::Dec));
    out[count++] =
        bulk_reduction_form(hint, types(Type::U32, Type::S32, Type::U64, Type::S64), mods(Mod::Min, Mod::Max));
    out[count++] = bulk_reduction_form(hint, types(Type::F32, Type::F64), mods(Mod::Add));
    out[count++] = bulk_reduction_form(hint, types(Type::F16, Type::BF16), mods(Mod::Add), true);
    out[count++] = bulk_reduction_form(hint, types(Type::F16, Type::BF16), mods(Mod::Min, Mod::Max));
  }
  out[count++] = bulk_form(
      slots(one(Mod::Async), one(Mod::Bulk), one(Mod::SharedCluster), one(Mod::SharedCta), one(Mod::CompleteTxBytes)),
      false, "[d:shared], [a:shared], b:bulksize, [m:shared]", {}, 80);
  for (Mod word : {Mod::CommitGroup, Mod::WaitGroup}) {
    const bool waits = word == Mod::WaitGroup;
    Slots words = slots(one(Mod::Async), one(Mod::Bulk), one(word));
    if (waits) words.list[words.count++] = opt(Mod::Read);
    out[count++] = Form{.slots = words}.with(waits ? "a:imm" : "").from(80, 90).needs(Feature::BulkCopies);
  }
  return std::pair(out, count);
}

constexpr auto async_copy_forms() {
  constexpr auto kBulk = bulk_forms();
  constexpr auto kTensors = tensor_copy_forms();
  std::array<Form, 21 + kBulk.second + kTensors.size()> out{};
  size_t count = 0;
  for (const Form& form : all_copy_forms()) out[count++] = form.in(Unit::Memory).does(Effect::AsyncCopy);
  out[count++] = copy_group_form(Mod::CommitGroup, "");
  out[count++] = copy_group_form(Mod::WaitGroup, "a:imm");
  out[count++] = copy_group_form(Mod::WaitAll, "");
  out[count++] = copy_arrival_form(false);
  out[count++] = copy_arrival_form(true);
  for (size_t i = 0; i < kBulk.second; ++i) out[count++] = kBulk.first[i];
  for (const Form& form : kTensors) out[count++] = form;
  return out;
}

/// cp.async: copies to shared memory that a thread waits for later, by groups or at an mbarrier object; cp.async.bulk:
/// of whole ranges, by one thread.
struct Cp {
  static constexpr Card card{.name = "cp",
                             .operands = "",
                             .unit = Unit::Control,
                             .effect = Effect::Async,
                             .summary = "asynchronous copies, and waiting for them",
                             .manual = "9.7.9.25"};
  static constexpr std::array forms = async_copy_forms();
};

enum class MbarrierOrder : uint8_t { Plain, Strong, Relaxed };
inline constexpr std::array kMbarrierOrders{MbarrierOrder::Plain, MbarrierOrder::Strong, MbarrierOrder::Relaxed};
/// `first` and `second` name the operation; `strong`: the order that it has unless it is .relaxed.
constexpr Form mbarrier_form(Slots words, MbarrierOrder order, Mod strong, Slot space, std::string_view operands,
                             Since since) {
  if (order != MbarrierOrder::Plain) {
    words.list[words.count++] = one(order == MbarrierOrder::Strong ? strong : Mod::Relaxed);
    words.list[words.count++] = one(mods(Mod::ScopeCta, Mod::ScopeCluster));
  }
  words.list[words.count++] = space;
  const uint16_t ordered = order == MbarrierOrder::Strong ? 80 : order == MbarrierOrder::Relaxed ? 86 : 10;
  return Form{.types = kMbarrierType, .slots = words}
      .with(operands)
      .from(std::max(since.ptx, ordered), since.target)
      .needs(Feature::Mbarriers);
}
constexpr Form plain_mbarrier_form(Mod word, std::string_view operands) {
  return mbarrier_form(slots(one(word)), MbarrierOrder::Plain, Mod::Release, kMbarrierSpace, operands, {70, 80});
}
inline constexpr size_t kMbarrierForms = 3 + 4 + 2 * (3 * 5 + 2) + 4 * 3;
constexpr std::array<Form, kMbarrierForms> mbarrier_forms() {
  std::array<Form, kMbarrierForms> out{};
  size_t count = 0;
  out[count++] = plain_mbarrier_form(Mod::Init, "[a], b:u32");
  out[count++] = plain_mbarrier_form(Mod::Inval, "[a]");
  out[count++] = Form{.types = kMbarrierType, .slots = slots(one(Mod::PendingCount))}
                     .with("d:u32, a")
                     .takes(Latency::IntAlu)
                     .in(Unit::Sp)
                     .from(70, 80)
                     .needs(Feature::Mbarriers);
  const Slot anywhere = opt(kOwnShared | mods(Mod::SharedCluster)), elsewhere = one(Mod::SharedCluster);
  constexpr Since kFirst{70, 80}, kCounted{78, 90}, kBytes{80, 90};
  for (Mod word : {Mod::ExpectTx, Mod::CompleteTx}) {
    out[count++] = mbarrier_form(slots(one(word)), MbarrierOrder::Plain, Mod::Relaxed, anywhere, "[a], b:u32", kBytes);
    out[count++] = mbarrier_form(slots(one(word)), MbarrierOrder::Strong, Mod::Relaxed, anywhere, "[a], b:u32", kBytes);
  }
  for (Mod word : {Mod::Arrive, Mod::ArriveDrop}) {
    for (MbarrierOrder order : kMbarrierOrders) {
      const Slots arrives = slots(one(word)), expects = slots(one(word), one(Mod::ExpectTx));
      out[count++] = mbarrier_form(arrives, order, Mod::Release, kMbarrierSpace, "d, [a]", kFirst);
      out[count++] = mbarrier_form(arrives, order, Mod::Release, kMbarrierSpace, "d, [a], b:u32", kCounted);
      out[count++] = mbarrier_form(arrives, order, Mod::Release, elsewhere, "d:sink, [a]{, b:u32}", kBytes);
      out[count++] = mbarrier_form(expects, order, Mod::Release, kMbarrierSpace, "d, [a], b:u32", kBytes);
      out[count++] = mbarrier_form(expects, order, Mod::Release, elsewhere, "d:sink, [a], b:u32", kBytes);
    }
    const Slots keeps = slots(one(word), one(Mod::NoComplete));
    out[count++] = mbarrier_form(keeps, MbarrierOrder::Plain, Mod::Release, kMbarrierSpace, "d, [a], b:u32", kFirst);
    out[count++] = mbarrier_form(keeps, MbarrierOrder::Strong, Mod::Release, kMbarrierSpace, "d, [a], b:u32", kFirst);
  }
  for (MbarrierOrder order : kMbarrierOrders) {
    auto waits = [&](Slots words, std::string_view operands, Since since) {
      out[count++] = mbarrier_form(words, order, Mod::Acquire, kMbarrierSpace, operands, since);
    };
    waits(slots(one(Mod::TestWait)), "d:pred, [a], b:u64", kFirst);
    waits(slots(one(Mod::TestWait), one(Mod::Parity)), "d:pred, [a], b:u32", {71, 80});
    waits(slots(one(Mod::TryWait)), "d:pred, [a], b:u64{, c:u32}", kCounted);
    waits(slots(one(Mod::TryWait), one(Mod::Parity)), "d:pred, [a], b:u32{, c:u32}", kCounted);
  }
  return out;
}

/// mbarrier: an object in shared memory that counts the arrivals and the bytes of each phase. Its 64 bits are
/// sim/state/mbarrier.h.
struct MbarrierCard {
  static constexpr Card card{.name = "mbarrier",
                             .operands = "[a]",
                             .unit = Unit::Memory,
                             .latency = Latency::Memory,
                             .effect = Effect::Async,
                             .summary = "barrier in shared memory that counts arrivals and bytes",
                             .manual = "9.7.13.16"};
  static constexpr std::array forms = mbarrier_forms();
};

/// mapa: the address, in the shared memory of block b of the cluster, of what a is in this block's.
struct Mapa {
  static constexpr Card card{.name = "mapa",
                             .operands = "d, a, b:u32",
                             .effect = Effect::Collective,
                             .summary = "address in the shared memory of another block of the cluster",
                             .manual = "9.7.9.23"};
  static constexpr std::array forms{
      Form{.types = types(Type::U32, Type::U64), .slots = slots(opt(Mod::SharedCluster))}.from(78, 90).needs(
          Feature::Clusters)};
};

/// getctarank: the number in the cluster of the block in whose shared memory a is.
struct Getctarank {
  static constexpr Card card{.name = "getctarank",
                             .operands = "d:u32, a",
                             .effect = Effect::Collective,
                             .summary = "which block of the cluster an address is in",
                             .manual = "9.7.9.24"};
  static constexpr std::array forms{
      Form{.types = types(Type::U32, Type::U64), .slots = slots(opt(Mod::SharedCluster))}.from(78, 90).needs(
          Feature::Clusters)};
};

using AsyncCards = CardList<Cp, MbarrierCard, Mapa, Getctarank, Tensormap>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
