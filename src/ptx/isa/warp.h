// Warp-level instructions: vote, shfl, match, redux and the like. PTX ISA 9.0, sections 9.7.9.6 and 9.7.13.8 to
// 9.7.13.16. The .sync forms have a member mask: the lanes that take part (sim/exec/member_masks.h). Values come from
// those of them that execute the instruction together (sim/exec/warp_handlers.cc).
#pragma once

#include "ptx/isa/card_sets.h"

namespace warptime::ptx::inline WARPTIME_ISA {

/// vote: over the active lanes whose guard is true; of .sync those that have the same member mask.
struct Vote {
  static constexpr Card card{.name = "vote",
                             .operands = "d:pred, !a:pred",
                             .effect = Effect::Collective,
                             .summary = "what a predicate is in all lanes",
                             .manual = "9.7.13.9"};
  static constexpr ModSet kModes = mods(Mod::All, Mod::Any, Mod::Uni);
  static constexpr std::array forms{
      Form{.types = types(Type::Pred), .slots = slots(one(kModes))}.from(12, 12).needs(Feature::Vote),
      Form{.types = types(Type::B32), .slots = slots(one(Mod::Ballot))}
          .with("d, !a:pred")
          .from(20, 20)
          .needs(Feature::Vote),
      Form{.types = types(Type::Pred), .slots = slots(one(Mod::Sync), one(kModes))}
          .with("d:pred, !a:pred, b:u32")
          .from(60, 30)
          .needs(Feature::Vote),
      Form{.types = types(Type::B32), .slots = slots(one(Mod::Sync), one(Mod::Ballot))}
          .with("d, !a:pred, b:u32")
          .from(60, 30)
          .needs(Feature::Vote)};
};

/// activemask: the lanes that execute it.
struct Activemask {
  static constexpr Card card{.name = "activemask",
                             .operands = "d",
                             .effect = Effect::Collective,
                             .summary = "which lanes are active",
                             .manual = "9.7.13.11"};
  static constexpr std::array forms{Form{.types = types(Type::B32)}.from(62, 30).needs(Feature::Vote)};
};

/// shfl: a of another lane of the segment of lanes that c describes; q: whether there is one, else d is the lane's own.
struct Shfl {
  static constexpr Card card{.name = "shfl",
                             .operands = "d:bits|q:pred, a:bits, b:u32, c:u32",
                             .effect = Effect::Collective,
                             .summary = "a register of another lane",
                             .manual = "9.7.9.6"};
  static constexpr ModSet kModes = mods(Mod::Up, Mod::Down, Mod::Bfly, Mod::Idx);
  static constexpr std::array forms{
      Form{.types = types(Type::B32), .slots = slots(one(kModes))}.from(30, 30).needs(Feature::Shuffle),
      Form{.types = types(Type::B32), .slots = slots(one(Mod::Sync), one(kModes))}
          .with("d:bits|q:pred, a:bits, b:u32, c:u32, e:u32")
          .from(60, 30)
          .needs(Feature::Shuffle)};
};

/// match.any: the lanes with the same a. match.all: all lanes if a is the same in all, else none; q says which.
struct Match {
  static constexpr Card card{.name = "match",
                             .operands = "d:b32, a:bits, b:u32",
                             .effect = Effect::Collective,
                             .summary = "which lanes have the same value",
                             .manual = "9.7.13.10"};
  static constexpr std::array forms{
      Form{.types = types(Type::B32, Type::B64), .slots = slots(one(Mod::Any), one(Mod::Sync))}.from(60, 70).needs(
          Feature::Match),
      Form{.types = types(Type::B32, Type::B64), .slots = slots(one(Mod::All), one(Mod::Sync))}
          .with("d:b32|q:pred, a:bits, b:u32")
          .from(60, 70)
          .needs(Feature::Match)};
};

/// redux: a of all lanes reduced to one value.
struct Redux {
  static constexpr Card card{.name = "redux",
                             .operands = "d, a, b:u32",
                             .effect = Effect::Collective,
                             .summary = "one value from that of all lanes",
                             .manual = "9.7.13.12"};
  static constexpr std::array forms{
      Form{.types = kInteger32, .slots = slots(one(Mod::Sync), one(mods(Mod::Add, Mod::Min, Mod::Max)))}
          .from(70, 80)
          .needs(Feature::Match),
      Form{.types = types(Type::B32), .slots = slots(one(Mod::Sync), one(mods(Mod::And, Mod::Or, Mod::Xor)))}
          .from(70, 80)
          .needs(Feature::Match),
      Form{.types = kF32, .slots = slots(one(Mod::Sync), one(mods(Mod::Min, Mod::Max)), opt(Mod::Abs), opt(Mod::NaN))}
          .from(86, 100)
          .needs(Feature::PackedF32)};
};

/// elect: d is the number of one lane, the first; q says whether it is this one.
struct Elect {
  static constexpr Card card{.name = "elect",
                             .operands = "d:u32|q:pred, a:u32",
                             .effect = Effect::Collective,
                             .summary = "choose one lane",
                             .manual = "9.7.13.15"};
  static constexpr std::array forms{Form{.slots = slots(one(Mod::Sync))}.from(80, 90).needs(Feature::Match)};
};

using WarpCards = CardList<Vote, Activemask, Shfl, Match, Redux, Elect>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
