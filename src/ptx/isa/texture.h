// Textures and surfaces. PTX ISA 9.0, sections 9.7.10 and 9.7.11. What names no level of detail reads the first.
//
// Left out: separate samplers (texmode_independent), offsets, depth comparisons, predicates of residency, f16 results.
// Fetches from multisampled textures are legal and refused where a kernel is loaded: nothing makes such a texture.
#pragma once

#include "ptx/isa/atomics.h"

namespace warptime::ptx::inline WARPTIME_ISA {

inline constexpr ModSet kPlainGeometry = mods(Mod::Geom1d, Mod::Geom2d, Mod::Geom3d);
inline constexpr ModSet kArrayGeometry = mods(Mod::Geom1dArray, Mod::Geom2dArray);
inline constexpr ModSet kCubeGeometry = mods(Mod::GeomCube, Mod::GeomCubeArray);
inline constexpr ModSet kSampleGeometry = mods(Mod::GeomSamples, Mod::GeomSamplesArray);
inline constexpr TypeSet kTexels = types(Type::U32, Type::S32, Type::F32);

constexpr Form texture_form(ModSet geometry, TypeSet coordinates) {
  return {.types = kTexels, .types2 = coordinates, .slots = slots(one(geometry), one(Mod::V4))};
}
/// The word of a level stands before the geometry.
constexpr Form level_form(Mod word, ModSet geometry, TypeSet coordinates, std::string_view operands) {
  return Form{.types = kTexels, .types2 = coordinates, .slots = slots(one(word), one(geometry), one(Mod::V4))}
      .with(operands)
      .from(30, 20);
}

/// tex: the texture is a module's .texref, or a handle in a register; coordinates beyond the geometry's are not read.
struct Tex {
  static constexpr Card card{.name = "tex",
                             .operands = "d:vec, [t], c:coords",
                             .unit = Unit::Memory,
                             .latency = Latency::Memory,
                             .effect = Effect::Texture,
                             .summary = "texture fetch",
                             .manual = "9.7.10.3"};
  static constexpr TypeSet kBoth = types(Type::S32, Type::F32);
  static constexpr ModSet kLayers = kPlainGeometry | kArrayGeometry;
  static constexpr std::string_view kLevel = "d:vec, [t], c:coords, e:2",
                                    kGradients = "d:vec, [t], c:coords, e:slope, f:slope";
  static constexpr std::array forms{texture_form(kPlainGeometry, kBoth),
                                    texture_form(kArrayGeometry, kBoth).from(15, 20),
                                    texture_form(kCubeGeometry, kF32).from(30, 20),
                                    texture_form(kSampleGeometry, types(Type::S32)).from(32, 30),
                                    level_form(Mod::LevelOfDetail, kLayers, kBoth, kLevel),
                                    level_form(Mod::LevelOfDetail, kCubeGeometry, kF32, kLevel),
                                    level_form(Mod::BaseLevel, kLayers, kBoth, {}),
                                    level_form(Mod::BaseLevel, kCubeGeometry, kF32, {}),
                                    level_form(Mod::BaseLevel, kSampleGeometry, types(Type::S32), {}).from(32, 30),
                                    level_form(Mod::Gradient, kLayers, kBoth, kGradients),
                                    level_form(Mod::Gradient, kCubeGeometry, kF32, kGradients)};
};

/// tld4: one channel of the four texels that a filtered fetch would read.
struct Tld4 {
  static constexpr Card card{.name = "tld4",
                             .operands = "d:vec, [t], c:coords",
                             .unit = Unit::Memory,
                             .latency = Latency::Memory,
                             .effect = Effect::Texture,
                             .summary = "one channel of four texels",
                             .manual = "9.7.10.4"};
  static constexpr std::array forms{
      Form{.types = kTexels,
           .types2 = kF32,
           .slots = slots(one(mods(Mod::Red1, Mod::Green, Mod::Blue, Mod::Alpha)),
                          one(mods(Mod::Geom2d, Mod::Geom2dArray) | kCubeGeometry), one(Mod::V4))}
          .from(22, 20)};
};

/// txq, suq: what a texture or a surface is. istypep: whether a handle is one.
inline constexpr ModSet kAsked =
    mods(Mod::Width, Mod::Height, Mod::Depth, Mod::ArraySize, Mod::ChannelType, Mod::ChannelOrder);
struct Txq {
  static constexpr Card card{.name = "txq",
                             .operands = "d:query, [t]",
                             .unit = Unit::Memory,
                             .latency = Latency::Memory,
                             .effect = Effect::Texture,
                             .summary = "what a texture is",
                             .manual = "9.7.10.5"};
  static constexpr std::array forms{
      Form{.types = types(Type::B32), .slots = slots(one(kAsked | mods(Mod::Normalized, Mod::Levels, Mod::Samples)))}
          .from(15, 10),
      Form{.types = types(Type::B32),
           .slots = slots(one(Mod::LevelOfDetail), one(mods(Mod::Width, Mod::Height, Mod::Depth)))}
          .with("d:query, [t], c:u32")
          .from(42, 30)};
};
struct Suq {
  static constexpr Card card{.name = "suq",
                             .operands = "d:query, [t]",
                             .unit = Unit::Memory,
                             .latency = Latency::Memory,
                             .effect = Effect::Texture,
                             .summary = "what a surface is",
                             .manual = "9.7.11.5"};
  static constexpr std::array forms{Form{.types = types(Type::B32), .slots = slots(one(kAsked))}.from(15, 20)};
};
struct Istypep {
  static constexpr Card card{.name = "istypep",
                             .operands = "d:pred, a:u64",
                             .unit = Unit::Memory,
                             .latency = Latency::Memory,
                             .effect = Effect::Texture,
                             .summary = "whether a handle is a texture or a surface",
                             .manual = "9.7.10.6"};
  static constexpr std::array forms{
      Form{.slots = slots(one(mods(Mod::IsTexture, Mod::IsSampler, Mod::IsSurface)))}.from(40, 30)};
};

/// suld, sust, sured: loads, stores and reductions in a surface. x counts bytes; with .p (formatted) texels, of sured
/// words of its type. What is outside is a fault (.trap), is not stored and loads as zero (.zero), or is at the nearest
/// place inside (.clamp).
inline constexpr ModSet kSurfaceGeometry = kPlainGeometry | kArrayGeometry;
inline constexpr Slot kOutside = one(mods(Mod::TrapOutside, Mod::Clamp, Mod::ZeroOutside));
inline constexpr TypeSet kSurfaceTypes = types(Type::B8, Type::B16, Type::B32, Type::B64);
constexpr Form surface_form(TypeSet set, ModSet vector, Slot cache) {
  return Form{.types = set, .slots = slots(one(Mod::Unformatted), one(kSurfaceGeometry), cache, opt(vector), kOutside)}
      .type_after(4)
      .from(15, 20);
}
/// Numbers of 32 bits that become what the surface's channels are.
constexpr Form formatted_store() {
  return Form{
      .types = types(Type::B32),
      .slots = slots(one(Mod::Formatted), one(kSurfaceGeometry), kStoreCache, opt(mods(Mod::V2, Mod::V4)), kOutside)}
      .type_after(4)
      .from(15, 20);
}
struct Suld {
  static constexpr Card card{.name = "suld",
                             .operands = "d:vec, [t], c:places",
                             .unit = Unit::Memory,
                             .latency = Latency::Memory,
                             .effect = Effect::Load,
                             .summary = "load from a surface",
                             .manual = "9.7.11.1"};
  static constexpr std::array forms{surface_form(kSurfaceTypes, mods(Mod::V2), kLoadCache),
                                    surface_form(types(Type::B8, Type::B16, Type::B32), mods(Mod::V4), kLoadCache)};
};
struct Sust {
  static constexpr Card card{.name = "sust",
                             .operands = "[t], c:places, b:vec",
                             .unit = Unit::Memory,
                             .latency = Latency::Memory,
                             .effect = Effect::Store,
                             .summary = "store to a surface",
                             .manual = "9.7.11.2"};
  static constexpr std::array forms{surface_form(kSurfaceTypes, mods(Mod::V2), kStoreCache),
                                    surface_form(types(Type::B8, Type::B16, Type::B32), mods(Mod::V4), kStoreCache),
                                    formatted_store()};
};
constexpr Form surface_reduction(TypeSet set, ModSet ops, Mod addressing = Mod::Unformatted) {
  return Form{.types = set, .slots = slots(one(addressing), one(ops), one(kPlainGeometry), kOutside)}
      .type_after(3)
      .from(20, 20);
}
struct Sured {
  static constexpr Card card{.name = "sured",
                             .operands = "[t], c:places, b",
                             .unit = Unit::Memory,
                             .latency = Latency::Memory,
                             .effect = Effect::Atomic,
                             .summary = "reduction in a surface",
                             .manual = "9.7.11.3"};
  static constexpr std::array forms{
      surface_reduction(types(Type::U32, Type::S32), mods(Mod::Add, Mod::Min, Mod::Max)),
      surface_reduction(types(Type::B32), mods(Mod::And, Mod::Or)),
      surface_reduction(types(Type::U64), mods(Mod::Add)).needs(Feature::Atomics64),
      surface_reduction(types(Type::U64, Type::S64), kOrderOps).needs(Feature::Atomics64),
      surface_reduction(types(Type::B32), mods(Mod::Add, Mod::And, Mod::Or) | kOrderOps, Mod::Formatted),
      surface_reduction(types(Type::B64), kOrderOps, Mod::Formatted).needs(Feature::Atomics64)};
};

using TextureCards = CardList<Tex, Tld4, Txq, Suq, Istypep, Suld, Sust, Sured>;

}  // namespace warptime::ptx::inline WARPTIME_ISA
