// Decodes copies of whole ranges and of boxes of tensors, stores and reductions whose bytes an mbarrier object counts,
// and instructions that change a tensor map.
#include <array>
#include <utility>

#include "sim/decode/decoder.h"
#include "sim/exec/atomic_operation.h"
#include "sim/exec/bulk_detail.h"
#include "sim/mem/tensor_map.h"

namespace warptime::sim {

using ptx::Mod, ptx::Operand, ptx::Type;

void Decoder::bulk_copy(const ptx::Instruction& in, Insn& out) {
  const std::span<const Operand> operands = kernel_.operands_of(in);
  auto detail = std::make_unique<BulkDetail>();
  BulkCopyPayload payload;
  bool is_plain = false;
  if (in.mods.has(Mod::Tensor)) {
    tensor_copy(in, payload, *detail);
  } else if (in.mods.has(Mod::Replace)) {
    map_field(in, payload, *detail);
  } else if (!in.mods.has(Mod::Bulk) && !in.mods.has(Mod::CopyFenceProxy)) {
    async_store(in, payload, *detail);
  } else {
    payload.to = address(operands[0]);
    payload.from = address(operands[1]);
    payload.bytes = rows_.source(operands[2]);
    payload.to_shared = in.mods.has(Mod::CompleteTxBytes);
    payload.from_shared = in.mods.has(Mod::SharedCta) && !(payload.to_shared && in.mods.has(Mod::Global));
    if (payload.to_shared) payload.mbarrier = address(operands[3]);
    detail->is_multicast = in.mods.has(Mod::Multicast);
    detail->reduces = in.mods.has(Mod::Reduce);
    detail->of_warp = in.mods.has(Mod::CopyFenceProxy);
    is_plain = !detail->is_multicast && !detail->reduces && !detail->of_warp;
    if (detail->is_multicast) {
      need(in, Feature::Clusters);
      detail->blocks = rows_.source(operands[4]);
    }
    if (detail->reduces) {
      need(in, Feature::GlobalAtomics);
      detail->reduce = atomic_operation(in.mods, in.type, true);
      payload.word_bytes = static_cast<uint8_t>(ptx::bytes(in.type));
    }
  }
  if (!is_plain) {
    payload.detail = detail.get();
    out_.bulk_details.push_back(std::move(detail));
  }
  out.set_payload(payload);
}

/// The tensor map is the payload's `from`, or its `to` where the tensor is written.
void Decoder::tensor_copy(const ptx::Instruction& in, BulkCopyPayload& payload, BulkDetail& detail) {
  const std::span<const Operand> operands = kernel_.operands_of(in);
  detail.kind = BulkDetail::Kind::Tensor;
  detail.is_im2col = in.mods.has(Mod::Im2col) || in.mods.has(Mod::Im2colNoOffsets);
  payload.to_shared = in.mods.has(Mod::CompleteTxBytes);
  payload.from_shared = !payload.to_shared;
  auto rows = [&](const Operand& list, std::span<RowRef> to) {
    const std::vector<RowRef> found = fragment(list);
    for (size_t i = 0; i < found.size() && i < to.size(); ++i) to[i] = found[i];
    return static_cast<uint8_t>(found.size());
  };
  const size_t box = payload.to_shared ? 2 : 1;
  payload.to = address(operands[0]);
  payload.from = address(operands[payload.to_shared ? 1 : 2]);
  detail.dimensions = rows(operands[box], detail.coordinates);
  if (payload.to_shared) {
    payload.mbarrier = address(operands[3]);
    size_t next = 4;
    if (in.mods.has(Mod::Im2col)) rows(operands[next++], detail.offsets);
    detail.is_multicast = in.mods.has(Mod::Multicast);
    if (detail.is_multicast) {
      need(in, Feature::Clusters);
      detail.blocks = rows_.source(operands[next]);
    }
  }
  detail.reduces = in.mods.has(Mod::Reduce);
  if (!detail.reduces) return;
  need(in, Feature::GlobalAtomics);
  for (size_t i = 0; i < detail.reduce_as.size(); ++i) {
    const auto element = static_cast<TensorMap::Type>(i);
    const bool keeps_subnormal = element == TensorMap::Type::F32 || element == TensorMap::Type::TF32;
    if (const Type type = reduced_type(element, in.mods); type != Type::None)
      detail.reduce_as[i] = atomic_operation(in.mods, type, !keeps_subnormal);
  }
}

void Decoder::map_field(const ptx::Instruction& in, BulkCopyPayload& payload, BulkDetail& detail) {
  constexpr std::array<std::pair<Mod, MapField>, 10> kFields{{{Mod::MapAddress, MapField::Address},
                                                              {Mod::MapRank, MapField::Rank},
                                                              {Mod::MapBox, MapField::Box},
                                                              {Mod::MapDim, MapField::Dim},
                                                              {Mod::MapStride, MapField::Stride},
                                                              {Mod::MapElementStride, MapField::ElementStride},
                                                              {Mod::MapType, MapField::Type},
                                                              {Mod::MapInterleave, MapField::Interleave},
                                                              {Mod::MapSwizzle, MapField::Swizzle},
                                                              {Mod::MapFill, MapField::Fill}}};
  const std::span<const Operand> operands = kernel_.operands_of(in);
  detail.kind = BulkDetail::Kind::MapField;
  for (auto [mod, field] : kFields)
    if (in.mods.has(mod)) detail.field = field;
  payload.to = address(operands[0]);
  detail.is_in_shared = in.space == ptx::Space::Shared;
  detail.is_generic = in.space == ptx::Space::None;
  detail.is_value_64 = in.type == Type::B64;
  if (operands.size() > 2) detail.ordinal = static_cast<uint32_t>(operands[1].bits);
  detail.values.push_back(rows_.source(operands.back()));
}

void Decoder::async_store(const ptx::Instruction& in, BulkCopyPayload& payload, BulkDetail& detail) {
  const std::span<const Operand> operands = kernel_.operands_of(in);
  detail.kind = BulkDetail::Kind::Registers;
  payload.to_shared = payload.from_shared = true;
  payload.to = address(operands[0]);
  payload.mbarrier = address(operands[2]);
  detail.values = fragment(operands[1]);
  detail.element_bytes = static_cast<uint8_t>(ptx::bytes(in.type));
  detail.is_generic = in.space == ptx::Space::None;
  if (!in.mods.has(Mod::Relaxed)) return;
  detail.reduces = true;
  detail.reduce = atomic_operation(in.mods, in.type, false);
}

}  // namespace warptime::sim
