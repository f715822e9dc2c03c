// Copies of boxes of tensors: which bytes they are, by a tensor map that is read when the copy issues, and what becomes
// of those outside of the tensor; and tensormap.replace, which changes a tensor map in memory.
#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/model/address_space.h"
#include "sim/state/load_store.h"

namespace warptime::sim {

namespace {

constexpr uint32_t kSharedAlignment = 128, kUnit = 16;
/// Bits of an im2col offset, by the number of offsets (PTX ISA 9.0, 5.5.4).
constexpr std::array<uint32_t, 4> kOffsetBits{0, 16, 8, 5};

/// A load rounds an f32 to the nearest number of tf32, of two to the even one. Subnormal numbers stay, also those of
/// .ftz types.
uint32_t as_tf32(uint32_t bits) {
  constexpr uint32_t kExponent = 0x7f800000, kFraction = 0x007fffff, kDropped = 0x1fff, kNan = 0x7fffe000;
  constexpr uint32_t kDroppedBits = 13, kBelowHalf = 0xfff;
  if ((bits & kExponent) == kExponent) return (bits & kFraction) != 0 ? kNan : bits;
  return (bits + kBelowHalf + (bits >> kDroppedBits & 1)) & ~kDropped;
}

TensorProblem problem_of(const TensorMap& map, const BulkDetail& detail, const TensorCoordinates& place,
                         bool is_store) {
  if (const TensorProblem found = problem_of(map); found != TensorProblem::None) return found;
  if (map.rank != detail.dimensions) return TensorProblem::Dimensions;
  if (map.is_im2col != detail.is_im2col) return TensorProblem::Mode;
  if (map.is_im2col)
    for (uint32_t offset : place.offsets)
      if (offset >> kOffsetBits[map.rank - 2] != 0) return TensorProblem::Offset;
  // What follows an H200 takes for an illegal instruction.
  if (map.interleave == TensorMap::Interleave::None && int64_t{place.at[0]} * map.element_bytes() % kUnit != 0)
    return TensorProblem::Unit;
  for (uint32_t d = 0; is_store && d < map.rank; ++d)
    if (place.at[d] < 0) return TensorProblem::Negative;
  for (uint32_t s = 0; map.is_im2col && s + 2 < map.rank; ++s) {
    const uint32_t d = map.spatial(s);
    if (is_store && (map.lower[s] < 0 || map.upper[s] > 0)) return TensorProblem::StoreCorner;
    if (place.at[d] < map.lower[s] || place.at[d] >= static_cast<int64_t>(map.dims[d]) + map.upper[s])
      return TensorProblem::Start;
  }
  if (detail.reduces && detail.reduce_as[static_cast<size_t>(map.type)] == nullptr) return TensorProblem::Operation;
  return TensorProblem::None;
}

}  // namespace

bool LoadStore::find_tensor(const Insn& insn, const Warp& warp, uint32_t lane, BulkRange& out, FaultRecord& fault) {
  const BulkCopyPayload& payload = insn.bulk_copy();
  const BulkDetail& detail = *payload.detail;
  const Addr at = lane_address(warp, payload.to_shared ? payload.from : payload.to, lane);
  if (at % TensorMap::kAlignment != 0) return problem(TensorProblem::MapAlignment, lane, at, fault);
  std::array<std::byte, TensorMap::kBytes> bytes{};
  const bool is_there = read(warp, lane, at, bytes) == bytes.size();
  const auto map = is_there ? TensorMap::of(bytes) : std::nullopt;
  if (!map) return problem(TensorProblem::NotAMap, lane, at, fault);
  TensorCoordinates place;
  for (uint32_t d = 0; d < detail.dimensions; ++d)
    place.at[d] = static_cast<int32_t>(lane_of<uint32_t>(detail.coordinates[d].in(warp.values), lane));
  for (uint32_t s = 0; detail.is_im2col && payload.to_shared && s + 2 < detail.dimensions; ++s)
    place.offsets[s] = lane_of<uint16_t>(detail.offsets[s].in(warp.values), lane);
  if (const TensorProblem found = problem_of(*map, detail, place, !payload.to_shared); found != TensorProblem::None)
    return problem(found, lane, at, fault);
  out.is_tensor = true;
  out.type = map->type;
  out.fill = map->fill();
  out.swizzle = swizzle_mask(map->swizzle);
  out.row_bytes = map->short_row_bytes();
  out.bytes = map->copy_bytes();
  out.global = map->address;
  if (detail.reduces) {
    out.reduce = detail.reduce_as[static_cast<size_t>(map->type)];
    out.word_bytes = static_cast<uint8_t>(map->element_bytes());
  }
  if (!find_box_in_shared(insn, warp, lane, out, fault)) return false;
  find_pieces(*map, place, pieces_);
  if (out.reduce != nullptr) part_into_words(out.word_bytes);
  out.extent = static_cast<uint32_t>(pieces_.size());
  out.source = payload.to_shared ? nullptr : warp.shared + out.from;
  return are_in_memory(lane, !payload.to_shared, fault);
}

/// Bytes of a box are swizzled within 128 bytes, which must all be in the block's shared memory.
bool LoadStore::find_box_in_shared(const Insn& insn, const Warp& warp, uint32_t lane, BulkRange& out,
                                   FaultRecord& fault) {
  const uint32_t bytes = out.bytes;
  if (out.swizzle != 0) out.bytes = (out.placed_bytes() + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment;
  bool found = false;
  if (insn.bulk_copy().to_shared) {
    found = find_shared_target(insn, warp, lane, kSharedAlignment, out, fault);
  } else {
    BulkPlace from;
    found =
        find_shared(lane_address(warp, insn.bulk_copy().from, lane), out.bytes, kSharedAlignment, lane, from, fault);
    out.from = from.at;
  }
  out.bytes = bytes;
  if (!found && fault.kind == Fault::Kind::Misaligned && fault.bytes == kSharedAlignment)
    return problem(TensorProblem::SharedAlignment, lane, fault.address, fault);
  return found;
}

void LoadStore::part_into_words(uint32_t word_bytes) {
  std::vector<TensorPiece> words;
  for (const TensorPiece& piece : pieces_)
    for (uint32_t at = 0; at < piece.bytes; at += word_bytes)
      words.push_back({piece.global + at, piece.shared + at, word_bytes});
  pieces_ = std::move(words);
}

bool LoadStore::are_in_memory(uint32_t lane, bool is_store, FaultRecord& fault) const {
  const DeviceMemory::Allocation* known = nullptr;
  for (const TensorPiece& piece : pieces_) {
    if (known != nullptr && piece.global >= known->begin && piece.global + piece.bytes <= known->end()) continue;
    known = memory_->find(piece.global, piece.bytes);
    if (known != nullptr) continue;
    fault.raised = true;
    fault.kind = Fault::Kind::OutOfBounds;
    fault.space = ptx::Space::Global;
    fault.is_store = is_store;
    fault.thread = lane;
    fault.address = piece.global;
    fault.bytes = piece.bytes;
    return false;
  }
  return true;
}

void LoadStore::read_tensor(const BulkRange& range, BulkCopy& copy) {
  copy.swizzle = range.swizzle;
  copy.row_bytes = range.row_bytes;
  const uint32_t element = element_bytes_of(range.type);
  if (range.fill != 0)
    for (uint32_t at = 0; at < range.bytes; at += element) std::memcpy(copy.data.data() + at, &range.fill, element);
  for (const TensorPiece& piece : pieces_) {
    std::byte* to = copy.data.data() + piece.shared;
    std::memcpy(to, memory_->at(piece.global), piece.bytes);
    if (!stores_.empty() && stores_.may_hold(piece.global)) stores_.overlay(piece.global, piece.bytes, to);
    if (copy.rows.empty() || copy.rows.back().from + copy.rows.back().bytes != piece.global)
      copy.rows.push_back({piece.global, 0});
    copy.rows.back().bytes += piece.bytes;
  }
  if (range.type != TensorMap::Type::TF32 && range.type != TensorMap::Type::TF32Ftz) return;
  for (const TensorPiece& piece : pieces_)
    for (uint32_t at = piece.shared; at < piece.shared + piece.bytes; at += element) {
      uint32_t bits = 0;
      std::memcpy(&bits, copy.data.data() + at, sizeof bits);
      bits = as_tf32(bits);
      std::memcpy(copy.data.data() + at, &bits, sizeof bits);
    }
}

LoadStore::BulkPart LoadStore::tensor_part(const Insn& insn, const BulkRange& range, uint32_t begin,
                                           MemoryAccess& out) {
  const uint32_t lanes = std::min(kWarpSize, range.extent - begin);
  const uint32_t mask = lanes == kWarpSize ? kFullMask : (1u << lanes) - 1;
  uint32_t bytes = 0;
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    const TensorPiece& piece = pieces_[begin + lane];
    addresses_[lane] = piece.global;
    lengths_[lane] = piece.bytes;
    bytes += piece.bytes;
    if (range.source == nullptr) continue;
    const uint32_t at = swizzled(range.from + placed(piece.shared, range.row_bytes, range.swizzle), range.swizzle);
    sources_[lane] = range.source - range.from + at;
  }
  send_part(insn, range, mask, range.reduce != nullptr ? range.word_bytes : kUnit, out);
  return {begin + lanes, bytes};
}

namespace {

/// The map with the new value of a field (PTX ISA 9.0, 9.7.9.29).
void set_field(TensorMap& map, MapField field, uint32_t ordinal, uint64_t value) {
  switch (field) {
    case MapField::Address: map.address = value; break;
    case MapField::Rank: map.rank = static_cast<uint32_t>(value & 7) + 1; break;
    case MapField::Box: map.box[ordinal] = static_cast<uint32_t>(value); break;
    case MapField::Dim: map.dims[ordinal] = value == 0 ? uint64_t{1} << 32 : value; break;
    case MapField::Stride:
      if (ordinal < map.strides.size()) map.strides[ordinal] = value;
      break;
    case MapField::ElementStride: map.element_strides[ordinal] = static_cast<uint32_t>(value); break;
    case MapField::Type: {
      constexpr std::array kTypes{TensorMap::Type::U8,     TensorMap::Type::U16,  TensorMap::Type::U32,
                                  TensorMap::Type::S32,    TensorMap::Type::U64,  TensorMap::Type::S64,
                                  TensorMap::Type::F16,    TensorMap::Type::F32,  TensorMap::Type::F32Ftz,
                                  TensorMap::Type::F64,    TensorMap::Type::BF16, TensorMap::Type::TF32,
                                  TensorMap::Type::TF32Ftz};
      map.type = kTypes[value % kTypes.size()];
      break;
    }
    case MapField::Interleave: map.interleave = static_cast<TensorMap::Interleave>(value & 3); break;
    case MapField::Swizzle: map.swizzle = static_cast<TensorMap::Swizzle>(value & 3); break;
    case MapField::Fill: map.fills_nan = (value & 1) != 0; break;
  }
}

}  // namespace

bool LoadStore::change_map(const Insn& insn, const Warp& warp, uint32_t lane, BulkRange& out, FaultRecord& fault) {
  const BulkDetail& detail = *insn.bulk_copy().detail;
  const Addr window = GenericWindows::for_address_bytes(launch_->kernel->module->address_bytes).shared_base;
  Addr at = lane_address(warp, insn.bulk_copy().to, lane);
  const bool in_shared = detail.is_in_shared || (detail.is_generic && at - window < GenericWindows::kBytes);
  if (in_shared && detail.is_generic) at -= window;
  if (at % TensorMap::kAlignment != 0) return problem(TensorProblem::MapAlignment, lane, at, fault);
  const std::span<std::byte, TensorMap::kBytes> bytes(map_bytes_);
  fault.is_store = true;
  if (in_shared) {
    BulkPlace place;
    if (!find_shared(at, TensorMap::kBytes, TensorMap::kAlignment, lane, place, fault)) return false;
    std::memcpy(bytes.data(), warp.shared + place.at, bytes.size());
  } else if (memory_->find(at, TensorMap::kBytes) == nullptr || read(warp, lane, at, bytes) != bytes.size()) {
    return problem(TensorProblem::NotAMap, lane, at, fault);
  }
  auto map = TensorMap::of(bytes);
  if (!map) return problem(TensorProblem::NotAMap, lane, at, fault);
  const std::byte* row = detail.values[0].in(warp.values);
  set_field(*map, detail.field, detail.ordinal,
            detail.is_value_64 ? lane_of<uint64_t>(row, lane) : lane_of<uint32_t>(row, lane));
  map->write(bytes);
  if (in_shared) {
    std::memcpy(warp.shared + at, bytes.data(), bytes.size());
    changed_memory_ = true;
    return true;
  }
  out.global = at;
  out.bytes = out.extent = TensorMap::kBytes;
  out.source = bytes.data();
  return true;
}

}  // namespace warptime::sim
