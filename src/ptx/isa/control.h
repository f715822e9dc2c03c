// Control flow, barriers and fences. PTX ISA 9.0, sections 9.7.12 and 9.7.13.
#pragma once

#include <algorithm>

#include "ptx/isa/card_sets.h"

namespace warptime::ptx::inline WARPTIME_ISA {

/// bra: .uni promises that no warp diverges here.
struct Bra {
  static constexpr Card card{.name = "bra",
                             .operands = "target",
                             .unit = Unit::Control,
                             .latency = Latency::Branch,
                             .effect = Effect::Branch,
                             .summary = "branch",
                             .manual = "9.7.12.2"};
  static constexpr std::array forms{Form{.slots = slots(opt(Mod::Uni))}};
};

/// brx.idx: to label number a of a .branchtargets list. The lanes of a warp may go to as many places as there are.
struct Brx {
  static constexpr Card card{.name = "brx",
                             .operands = "a:u32, targets",
                             .unit = Unit::Control,
                             .latency = Latency::Branch,
                             .effect = Effect::IndexedBranch,
                             .summary = "branch to one of a list of labels",
                             .manual = "9.7.12.3"};
  static constexpr std::array forms{Form{.slots = slots(one(Mod::Idx), opt(Mod::Uni))}.from(60, 30)};
};

/// call: of a device function by its name, or through a register; values go by .param variables, or by registers.
struct Call {
  static constexpr Card card{.name = "call",
                             .operands = "{(d), }function{, (a)}",
                             .unit = Unit::Control,
                             .latency = Latency::Branch,
                             .effect = Effect::Call,
                             .summary = "call a device function",
                             .manual = "9.7.12.5"};
  static constexpr std::array forms{Form{.slots = slots(opt(Mod::Uni))}};
};

/// ret: from a kernel it ends the thread.
struct Ret {
  static constexpr Card card{.name = "ret",
                             .operands = "",
                             .unit = Unit::Control,
                             .latency = Latency::Branch,
                             .effect = Effect::Return,
                             .summary = "return",
                             .manual = "9.7.12.6"};
  static constexpr std::array forms{Form{.slots = slots(opt(Mod::Uni))}};
};

struct Exit {
  static constexpr Card card{.name = "exit",
                             .operands = "",
                             .unit = Unit::Control,
                             .latency = Latency::Branch,
                             .effect = Effect::Exit,
                             .summary = "end the thread",
                             .manual = "9.7.12.7"};
  static constexpr std::array forms{Form{}};
};

struct Trap {
  static constexpr Card card{.name = "trap",
                             .operands = "",
                             .unit = Unit::Control,
                             .latency = Latency::Branch,
                             .effect = Effect::Trap,
                             .summary = "stop with a fault",
                             .manual = "9.7.19.4"};
  static constexpr std::array forms{Form{}};
};

/// brkpt: suspends the program for a debugger, of which there is none.
struct Brkpt {
  static constexpr Card card{.name = "brkpt",
                             .operands = "",
                             .unit = Unit::Control,
                             .latency = Latency::Branch,
                             .effect = Effect::Trap,
                             .summary = "stop with a fault (a breakpoint without a debugger)",
                             .manual = "9.7.19.1"};
  static constexpr std::array forms{Form{}.from(10, 11)};
};

/// The forms that bar and barrier share: .sync waits, .arrive does not, .red reduces a predicate of all threads. Only
/// "barrier" is spelled with .aligned.
constexpr std::array<Form, 4> barrier_forms(Slot aligned, Since since) {
  auto form = [&](Slots slots, TypeSet types, std::string_view operands) {
    if (!aligned.choices.empty()) slots.list[slots.count++] = aligned;
    return Form{.types = types, .slots = slots, .since = since}.with(operands);
  };
  constexpr Since kMore{20, 20};  // bar.arrive and bar.red came later than bar.sync
  auto more = [&](Slots slots, TypeSet types, std::string_view operands) {
    Form f = form(slots, types, operands).needs(Feature::BarrierReduction);
    return f.from(std::max(since.ptx, kMore.ptx), std::max(since.target, kMore.target));
  };
  return {form(slots(opt(Mod::ScopeCta), one(Mod::Sync)), {}, "a:barrier{, b:threads}"),
          more(slots(opt(Mod::ScopeCta), one(Mod::Arrive)), {}, "a:barrier, b:arrivals"),
          more(slots(opt(Mod::ScopeCta), one(Mod::Red), one(Mod::Popc)), types(Type::U32),
               "d, a:barrier{, b:threads}, !c:pred"),
          more(slots(opt(Mod::ScopeCta), one(Mod::Red), one(mods(Mod::And, Mod::Or))), types(Type::Pred),
               "d:pred, a:barrier{, b:threads}, !c:pred")};
}

/// bar.sync: barrier a of the block; b is the number of threads that take part. bar.warp.sync: lanes wait for the
/// others of the member mask a, where lanes are scheduled independently.
struct Bar {
  static constexpr Card card{.name = "bar",
                             .operands = "a:barrier{, b:threads}",
                             .unit = Unit::Control,
                             .effect = Effect::Barrier,
                             .summary = "barrier of a block",
                             .manual = "9.7.13.1"};
  static constexpr auto kShared = barrier_forms({}, {10, 10});
  static constexpr std::array forms{
      kShared[0], Form{.slots = slots(one(Mod::Warp), one(Mod::Sync))}.with("a:u32").does(Effect::Nop).from(60, 30),
      kShared[1], kShared[2], kShared[3]};
};

/// barrier: as bar; without .aligned the lanes of a warp may come to it at different places.
struct BarrierCard {
  static constexpr Card card{.name = "barrier",
                             .operands = "a:barrier{, b:threads}",
                             .unit = Unit::Control,
                             .effect = Effect::Barrier,
                             .summary = "barrier of a block",
                             .manual = "9.7.13.1"};
  static constexpr auto kOfBlock = barrier_forms(opt(Mod::Aligned), {60, 30});
  /// barrier.cluster: of all blocks of the cluster.
  static constexpr std::array kOfCluster{
      Form{.slots = slots(one(Mod::ScopeCluster), one(Mod::Arrive), opt(mods(Mod::Release, Mod::Relaxed)),
                          opt(Mod::Aligned))},
      Form{.slots = slots(one(Mod::ScopeCluster), one(Mod::Wait), opt(Mod::Acquire), opt(Mod::Aligned))}};
  static constexpr std::array forms{kOfBlock[0],
                                    kOfBlock[1],
                                    kOfBlock[2],
                                    kOfBlock[3],
                                    kOfCluster[0].with(" ").does(Effect::Async).from(78, 90).needs(Feature::Clusters),
                                    kOfCluster[1].with(" ").does(Effect::Async).from(78, 90).needs(Feature::Clusters)};
};

/// membar, fence: the warp waits until its earlier stores are acknowledged.
struct Membar {
  static constexpr Card card{.name = "membar",
                             .operands = "",
                             .unit = Unit::Memory,
                             .effect = Effect::Fence,
                             .summary = "wait for earlier stores",
                             .manual = "9.7.13.4"};
  static constexpr std::array forms{Form{.slots = slots(one(mods(Mod::ScopeCta, Mod::Gl, Mod::ScopeSys)))}};
};

struct Fence {
  static constexpr Card card{.name = "fence",
                             .operands = "",
                             .unit = Unit::Memory,
                             .effect = Effect::Fence,
                             .summary = "wait for earlier stores",
                             .manual = "9.7.13.4"};
  static constexpr Slot kProxyScope = one(mods(Mod::ScopeCta, Mod::ScopeCluster, Mod::ScopeGpu, Mod::ScopeSys));
  static constexpr std::array forms{
      Form{.slots = slots(opt(mods(Mod::Sc, Mod::AcqRel, Mod::Acquire, Mod::Release)),
                          one(mods(Mod::ScopeCta, Mod::ScopeCluster, Mod::ScopeGpu, Mod::ScopeSys)))}
          .from(60, 70),
      Form{.slots = slots(one(Mod::Proxy), one(Mod::Alias))}.from(75, 70),
      Form{.slots = slots(one(Mod::Proxy), one(Mod::Async), opt(mods(Mod::Global, Mod::SharedCta, Mod::SharedCluster)))}
          .from(80, 90)
          .needs(Feature::BulkCopies),
      Form{.slots = slots(one(Mod::Proxy), one(Mod::TensorMapGeneric), one(Mod::Release), kProxyScope)}
          .from(83, 90)
          .needs(Feature::TensorCopies),
      Form{.slots = slots(one(Mod::Proxy), one(Mod::TensorMapGeneric), one(Mod::Acquire), kProxyScope)}
          .with("[a], b:mapsize")
          .from(83, 90)
          .needs(Feature::TensorCopies),
      Form{.slots = slots(one(Mod::MbarrierInit), one(Mod::Release), one(Mod::ScopeCluster))}.from(80, 90).needs(
          Feature::Mbarriers)};
};

/// nanosleep: for up to twice as many nanoseconds as a, here none.
struct Nanosleep {
  static constexpr Card card{.name = "nanosleep",
                             .operands = "a",
                             .unit = Unit::Control,
                             .effect = Effect::Nop,
                             .summary = "sleep (for no time)",
                             .manual = "9.7.19.2"};
  static constexpr std::array forms{Form{.types = types(Type::U32)}.from(63, 70)};
};

/// pmevent: performance counters are not there to be told.
struct Pmevent {
  static constexpr Card card{.name = "pmevent",
                             .operands = "a:imm",
                             .unit = Unit::Control,
                             .effect = Effect::Nop,
                             .summary = "trigger a performance event (does nothing)",
                             .manual = "9.7.19.3"};
  static constexpr std::array forms{Form{}.from(14, 10), Form{.slots = slots(one(Mod::Mask))}.from(30, 20)};
};

/// griddepcontrol: launches run one after the other, so there is nothing to wait for.
struct Griddepcontrol {
  static constexpr Card card{.name = "griddepcontrol",
                             .operands = "",
                             .unit = Unit::Control,
                             .effect = Effect::Nop,
                             .summary = "overlap of launches (does nothing)",
                             .manual = "9.7.13.17"};
  static constexpr std::array forms{Form{.slots = slots(one(mods(Mod::LaunchDependents, Mod::Wait)))}.from(78, 90)};
};

/// setmaxnreg: how many registers the warps of a group have from here on. Registers are never short: nothing happens.
struct Setmaxnreg {
  static constexpr Card card{.name = "setmaxnreg",
                             .operands = "a:newcount",
                             .unit = Unit::Control,
                             .effect = Effect::Nop,
                             .summary = "change the number of registers (does nothing)",
                             .manual = "9.7.19.5"};
  static constexpr std::array forms{
      Form{.types = types(Type::U32), .slots = slots(one(mods(Mod::Inc, Mod::Dec)), one(Mod::Sync), one(Mod::Aligned))}
          .from(80, 90)};
};

/// alloca: a bytes of local memory up to the function's end; stacksave, stackrestore: how many are in use. Their place
/// is a variable of the module (dynamic_stack.cc).
struct Alloca {
  static constexpr Card card{
      .name = "alloca", .operands = "d, a{, b:imm}", .summary = "claim local memory", .manual = "9.7.17.3"};
  static constexpr std::array forms{
      Form{.types = types(Type::U32, Type::U64)}.does(Effect::Collective).from(73, 52).written_as(Rewrite::Stack)};
};
struct Stacksave {
  static constexpr Card card{
      .name = "stacksave", .operands = "d", .summary = "how much local memory is claimed", .manual = "9.7.17.1"};
  static constexpr std::array forms{
      Form{.types = types(Type::U32, Type::U64)}.does(Effect::Collective).from(73, 52).written_as(Rewrite::Stack)};
};
struct Stackrestore {
  static constexpr Card card{
      .name = "stackrestore", .operands = "a", .summary = "give claimed local memory back", .manual = "9.7.17.2"};
  static constexpr std::array forms{
      Form{.types = types(Type::U32, Type::U64)}.does(Effect::Collective).from(73, 52).written_as(Rewrite::Stack)};
};

using ControlCards = CardList<Alloca, Stacksave, Stackrestore, Setmaxnreg, Bra, Brx, Call, Ret, Exit, Trap, Brkpt, Bar,
                              BarrierCard, Membar, Fence, Nanosleep, Pmevent, Griddepcontrol>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
