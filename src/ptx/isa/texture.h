// Texture fetches. PTX ISA 9.0, section 9.7.10.
//
// Left out: separate samplers (texmode_independent), arrays of textures, cube maps, explicit levels of detail, gathers.
#pragma once

#include "ptx/isa/card_sets.h"

namespace warptime::ptx::inline WARPTIME_ISA {

/// tex: the texture is a module's .texref, or a handle in a register; coordinates beyond the geometry's are not read.
struct Tex {
  static constexpr Card card{.name = "tex",
                             .operands = "d:vec, [t], c:coords",
                             .unit = Unit::Memory,
                             .latency = Latency::Memory,
                             .effect = Effect::Texture,
                             .summary = "texture fetch",
                             .manual = "9.7.10.3"};
  static constexpr std::array forms{
      Form{.types = types(Type::U32, Type::S32, Type::F32),
           .types2 = types(Type::S32, Type::F32),
           .slots = slots(one(mods(Mod::Geom1d, Mod::Geom2d, Mod::Geom3d)), one(Mod::V4))}};
};

using TextureCards = CardList<Tex>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
