// Copies of boxes of tensors, and the tensor maps that describe the tensors. PTX ISA 9.0, sections 5.5, 9.7.9.27 and
// 9.7.9.28. What a tensor map is, is in sim/mem/tensor_map.h; the decoder makes a BulkDetail of an instruction.
//
// Left out: what only sm_100 and later have (.tile::gather4, .tile::scatter4, .im2col::w, .cta_group).
#pragma once

#include <array>

#include "ptx/isa/card_sets.h"

namespace warptime::ptx::inline WARPTIME_ISA {

inline constexpr ModSet kTensorDims = mods(Mod::Geom1d, Mod::Geom2d, Mod::Geom3d, Mod::Geom4d, Mod::Geom5d);
inline constexpr ModSet kIm2colDims = mods(Mod::Geom3d, Mod::Geom4d, Mod::Geom5d);

/// How an instruction goes through a tensor: a box, the pixels of a bounding box, or those of its results.
enum class TensorMode : uint8_t { Tile, Im2col, NoOffsets };

constexpr void append(Slots& words, Slot word) { words.list[words.count++] = word; }

/// cp.async.bulk.tensor and its like: words, then those that follow the mode.
constexpr Form tensor_form(Slots words, TensorMode mode, std::initializer_list<Slot> rest, std::string_view operands) {
  if (mode == TensorMode::Tile) append(words, opt(Mod::Tile));
  else append(words, one(mode == TensorMode::Im2col ? Mod::Im2col : Mod::Im2colNoOffsets));
  for (Slot word : rest) append(words, word);
  return Form{.slots = words}
      .with(operands)
      .in(Unit::Memory)
      .does(Effect::BulkCopy)
      .from(80, 90)
      .needs(Feature::TensorCopies);
}
constexpr Slot tensor_dims(TensorMode mode) { return one(mode == TensorMode::Tile ? kTensorDims : kIm2colDims); }

constexpr Form tensor_load_form(Mod to, TensorMode mode, bool multicast, bool hint) {
  constexpr std::array<std::string_view, 8> kOperands{
      "[d:shared], [a:generic], c:box, [m:shared]",
      "[d:shared], [a:generic], c:box, [m:shared], e:u64",
      "[d:shared], [a:generic], c:box, [m:shared], b:u16",
      "[d:shared], [a:generic], c:box, [m:shared], b:u16, e:u64",
      "[d:shared], [a:generic], c:box, [m:shared], f:offsets",
      "[d:shared], [a:generic], c:box, [m:shared], f:offsets, e:u64",
      "[d:shared], [a:generic], c:box, [m:shared], f:offsets, b:u16",
      "[d:shared], [a:generic], c:box, [m:shared], f:offsets, b:u16, e:u64"};
  const size_t operands = (mode == TensorMode::Im2col ? 4u : 0u) + (multicast ? 2u : 0u) + (hint ? 1u : 0u);
  Form form = tensor_form(
      slots(one(Mod::Async), one(Mod::Bulk), one(Mod::Tensor), tensor_dims(mode), one(to), one(Mod::Global)), mode,
      {one(Mod::CompleteTxBytes)}, kOperands[operands]);
  if (multicast) append(form.slots, one(Mod::Multicast));
  if (hint) append(form.slots, one(Mod::CacheHint));
  return form.from(to == Mod::SharedCta ? 86 : 80, 90);
}

constexpr Form tensor_store_form(TensorMode mode, bool hint) {
  Form form = tensor_form(slots(one(Mod::Async), one(Mod::Bulk), one(Mod::Tensor), tensor_dims(mode), one(Mod::Global),
                                one(Mod::SharedCta)),
                          mode, {one(Mod::BulkGroup)},
                          hint ? "[d:generic], c:box, [a:shared], e:u64" : "[d:generic], c:box, [a:shared]");
  if (hint) append(form.slots, one(Mod::CacheHint));
  return form;
}

/// The type is that of the tensor map.
constexpr Form tensor_reduction_form(TensorMode mode, bool hint) {
  constexpr ModSet kOperations = mods(Mod::Add, Mod::Min, Mod::Max, Mod::Inc, Mod::Dec, Mod::And, Mod::Or, Mod::Xor);
  Form form = tensor_form(slots(one(Mod::Reduce), one(Mod::Async), one(Mod::Bulk), one(Mod::Tensor), tensor_dims(mode),
                                one(Mod::Global), one(Mod::SharedCta), one(kOperations)),
                          mode, {one(Mod::BulkGroup)},
                          hint ? "[d:generic], c:box, [a:shared], e:u64" : "[d:generic], c:box, [a:shared]");
  if (hint) append(form.slots, one(Mod::CacheHint));
  return form;
}

/// It does nothing.
constexpr Form tensor_prefetch_form(TensorMode mode, bool hint) {
  constexpr std::array<std::string_view, 4> kOperands{"[a:generic], c:box", "[a:generic], c:box, e:u64",
                                                      "[a:generic], c:box, f:offsets",
                                                      "[a:generic], c:box, f:offsets, e:u64"};
  Form form = tensor_form(slots(one(Mod::Async), one(Mod::Bulk), one(Mod::PrefetchWord), one(Mod::Tensor),
                                tensor_dims(mode), one(Mod::L2), one(Mod::Global)),
                          mode, {}, kOperands[(mode == TensorMode::Im2col ? 2u : 0u) + (hint ? 1u : 0u)]);
  if (hint) append(form.slots, one(Mod::CacheHint));
  return form.in(Unit::Control).does(Effect::Nop);
}

constexpr std::array<Form, 24> tensor_copy_forms() {
  std::array<Form, 24> out{};
  size_t count = 0;
  for (bool hint : {false, true}) {
    for (TensorMode mode : {TensorMode::Tile, TensorMode::Im2col}) {
      out[count++] = tensor_load_form(Mod::SharedCluster, mode, false, hint);
      out[count++] = tensor_load_form(Mod::SharedCluster, mode, true, hint);
      out[count++] = tensor_load_form(Mod::SharedCta, mode, false, hint);
      out[count++] = tensor_prefetch_form(mode, hint);
    }
    for (TensorMode mode : {TensorMode::Tile, TensorMode::NoOffsets}) {
      out[count++] = tensor_store_form(mode, hint);
      out[count++] = tensor_reduction_form(mode, hint);
    }
  }
  return out;
}

/// tensormap.replace: a field of a tensor map becomes what b (or c) is. `operands`: with or without its number.
constexpr Form map_field_form(TypeSet type, ModSet fields, std::string_view operands) {
  return Form{.types = type,
              .slots = slots(one(Mod::Replace), one(Mod::Tile), one(fields), opt(mods(Mod::Global, Mod::SharedCta)),
                             one(Mod::B1024))}
      .with(operands)
      .from(83, 90);
}

/// tensormap: changes a tensor map in memory, or copies one to where copies can read it.
struct Tensormap {
  static constexpr Card card{.name = "tensormap",
                             .operands = "[a], b",
                             .unit = Unit::Memory,
                             .effect = Effect::BulkCopy,
                             .summary = "change or copy a tensor map",
                             .manual = "9.7.9.29"};
  static constexpr ModSet kNumbered = mods(Mod::MapBox, Mod::MapDim, Mod::MapElementStride);
  static constexpr ModSet kNamed = mods(Mod::MapType, Mod::MapInterleave, Mod::MapSwizzle, Mod::MapFill);
  static constexpr std::array forms{
      map_field_form(types(Type::B64), mods(Mod::MapAddress), "[a], b").needs(Feature::TensorCopies),
      map_field_form(types(Type::B32), mods(Mod::MapRank), "[a], b").needs(Feature::TensorCopies),
      map_field_form(types(Type::B32), kNumbered, "[a], b:mapfield, c").needs(Feature::TensorCopies),
      map_field_form(types(Type::B64), mods(Mod::MapStride), "[a], b:mapfield, c").needs(Feature::TensorCopies),
      map_field_form(types(Type::B32), kNamed, "[a], b:mapvalue").needs(Feature::TensorCopies),
      Form{.slots = slots(one(Mod::CopyFenceProxy), one(Mod::Global), one(Mod::SharedCta), one(Mod::TensorMapGeneric),
                          one(Mod::Release), one(mods(Mod::ScopeCta, Mod::ScopeCluster, Mod::ScopeGpu, Mod::ScopeSys)),
                          one(Mod::Sync), one(Mod::Aligned))}
          .with("[d:global], [a:shared], b:mapsize")
          .from(83, 90)
          .needs(Feature::TensorCopies)};
};

}  // namespace warptime::ptx::inline WARPTIME_ISA
