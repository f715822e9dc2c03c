// Control flow, barriers and fences. PTX ISA 9.0, sections 9.7.12 and 9.7.13.
#pragma once

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

/// The forms that bar and barrier share: .arrive does not wait, .red reduces a predicate of all threads.
constexpr Form barrier_form(Slots slots, TypeSet types, std::string_view operands, bool may_be_aligned) {
  if (may_be_aligned) slots.list[slots.count++] = opt(Mod::Aligned);
  Form form = Form{.types = types, .slots = slots}.with(operands).needs("barrier_reduction");
  return may_be_aligned ? form.from(60, 30) : form.from(20, 20);
}
constexpr std::array<Form, 3> barrier_forms(bool may_be_aligned) {
  return {barrier_form(slots(opt(Mod::ScopeCta), one(Mod::Arrive)), {}, "a:u32, b:u32", may_be_aligned),
          barrier_form(slots(opt(Mod::ScopeCta), one(Mod::Red), one(Mod::Popc)), types(Type::U32),
                       "d, a:u32{, b:u32}, !c:pred", may_be_aligned),
          barrier_form(slots(opt(Mod::ScopeCta), one(Mod::Red), one(mods(Mod::And, Mod::Or))), types(Type::Pred),
                       "d:pred, a:u32{, b:u32}, !c:pred", may_be_aligned)};
}

/// bar.sync: barrier a of the block; b is the number of threads that take part. bar.warp.sync: lanes wait for the
/// others of the member mask a, where lanes are scheduled independently.
struct Bar {
  static constexpr Card card{.name = "bar",
                             .operands = "a:u32{, b:u32}",
                             .unit = Unit::Control,
                             .effect = Effect::Barrier,
                             .summary = "barrier of a block",
                             .manual = "9.7.13.1"};
  static constexpr auto kMore = barrier_forms(false);
  static constexpr std::array forms{
      Form{.slots = slots(opt(Mod::ScopeCta), one(Mod::Sync))},
      Form{.slots = slots(one(Mod::Warp), one(Mod::Sync))}.with("a:u32").does(Effect::Nop).from(60, 30), kMore[0],
      kMore[1], kMore[2]};
};

struct BarrierCard {
  static constexpr Card card{.name = "barrier",
                             .operands = "a:u32{, b:u32}",
                             .unit = Unit::Control,
                             .effect = Effect::Barrier,
                             .summary = "barrier of a block",
                             .manual = "9.7.13.1"};
  static constexpr auto kMore = barrier_forms(true);
  static constexpr std::array forms{
      Form{.slots = slots(opt(Mod::ScopeCta), one(Mod::Sync), opt(Mod::Aligned))}.from(60, 30).needs(
          "barrier_reduction"),
      kMore[0], kMore[1], kMore[2]};
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
  static constexpr std::array forms{
      Form{.slots = slots(opt(mods(Mod::Sc, Mod::AcqRel, Mod::Acquire, Mod::Release)),
                          one(mods(Mod::ScopeCta, Mod::ScopeCluster, Mod::ScopeGpu, Mod::ScopeSys)))}
          .from(60, 70),
      Form{.slots = slots(one(Mod::Proxy), one(Mod::Alias))}.from(75, 70)};
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

}  // namespace warptime::ptx::inline WARPTIME_ISA
