// Carry chains. PTX ISA 9.0, section 9.7.2. Each thread has one carry flag, CC.CF: .cc writes it, addc, subc and madc
// read it. After a subtraction it is 1 if there is no borrow. Its values are made by sim/exec/carry_handlers.cc.
#pragma once

#include "ptx/isa/card_sets.h"

namespace warptime::ptx::inline WARPTIME_ISA {

constexpr Form carries(Form form) { return form.does(Effect::Collective); }

/// add.cc, sub.cc: forms of add and sub.
inline constexpr std::array kCarryForms{carries(Form{.types = kInteger32, .slots = slots(one(Mod::Cc))}).from(12, 10),
                                        carries(Form{.types = kInteger64, .slots = slots(one(Mod::Cc))}).from(43, 20)};
/// addc, subc.
inline constexpr std::array kCarriedForms{
    carries(Form{.types = kInteger32, .slots = slots(opt(Mod::Cc))}).from(12, 10),
    carries(Form{.types = kInteger64, .slots = slots(opt(Mod::Cc))}).from(43, 20)};

constexpr Form product_carry(TypeSet set, ModSet half, Slot cc, Latency latency, uint16_t ptx) {
  return carries(Form{.types = set, .slots = slots(one(half), cc)}).takes(latency).from(ptx, 20);
}
/// mad.cc: forms of mad.
inline constexpr std::array kCarryProductForms{
    product_carry(kInteger32, ModSet::of(Mod::Lo), one(Mod::Cc), Latency::IntMul, 30),
    product_carry(kInteger32, ModSet::of(Mod::Hi), one(Mod::Cc), Latency::IntMulHi, 30),
    product_carry(kInteger64, mods(Mod::Lo, Mod::Hi), one(Mod::Cc), Latency::IntMulHi, 43)};

/// addc: d = a + b + CC.CF.
struct Addc {
  static constexpr Card card{.name = "addc", .operands = "d, a, b", .summary = "sum with a carry", .manual = "9.7.2.2"};
  static constexpr std::array forms = kCarriedForms;
};

/// subc: d = a - b - 1 + CC.CF.
struct Subc {
  static constexpr Card card{
      .name = "subc", .operands = "d, a, b", .summary = "difference with a borrow", .manual = "9.7.2.4"};
  static constexpr std::array forms = kCarriedForms;
};

/// madc: d = a half of a * b, + c + CC.CF.
struct Madc {
  static constexpr Card card{.name = "madc",
                             .operands = "d, a, b, c",
                             .latency = Latency::IntMulHi,
                             .summary = "multiply-add with a carry",
                             .manual = "9.7.2.6"};
  static constexpr std::array forms{
      product_carry(kInteger32, ModSet::of(Mod::Lo), opt(Mod::Cc), Latency::IntMul, 30),
      product_carry(kInteger32, ModSet::of(Mod::Hi), opt(Mod::Cc), Latency::IntMulHi, 30),
      product_carry(kInteger64, mods(Mod::Lo, Mod::Hi), opt(Mod::Cc), Latency::IntMulHi, 43)};
};

using CarryCards = CardList<Addc, Subc, Madc>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
