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

/// call: of a device function by its name; values go by .param variables, or by registers.
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

/// bar.sync: barrier a of the block; b is the number of threads that take part. bar.warp.sync keeps a warp together,
/// which this machine's warps always are.
struct Bar {
  static constexpr Card card{.name = "bar",
                             .operands = "a:u32{, b:u32}",
                             .unit = Unit::Control,
                             .effect = Effect::Barrier,
                             .summary = "barrier of a block",
                             .manual = "9.7.13.1"};
  static constexpr std::array forms{
      Form{.slots = slots(opt(Mod::ScopeCta), one(Mod::Sync))},
      Form{.slots = slots(one(Mod::Warp), one(Mod::Sync))}.with("a:u32").does(Effect::Nop).from(60, 30)};
};

struct BarrierCard {
  static constexpr Card card{.name = "barrier",
                             .operands = "a:u32{, b:u32}",
                             .unit = Unit::Control,
                             .effect = Effect::Barrier,
                             .summary = "barrier of a block",
                             .manual = "9.7.13.1"};
  static constexpr std::array forms{
      Form{.slots = slots(opt(Mod::ScopeCta), one(Mod::Sync), opt(Mod::Aligned))}.from(60, 30).needs(
          "barrier_reduction")};
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
          .from(60, 70)};
};

}  // namespace warptime::ptx::inline WARPTIME_ISA
