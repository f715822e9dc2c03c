// Decodes an instruction that accesses memory: its space, address and widths, an atomic operation, a texture.
#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "ptx/syntax/mnemonic.h"
#include "sim/decode/decoder.h"
#include "sim/decode/function_linkage.h"
#include "sim/exec/atomic_operation.h"
#include "sim/exec/memory_values.h"
#include "sim/model/address_space.h"

namespace warptime::sim {

using ptx::Effect, ptx::Mod, ptx::Operand, ptx::Type;

AddressOperand Decoder::address(const Operand& operand) {
  AddressOperand out{.offset = static_cast<int64_t>(operand.bits), .base = {}, .is_64 = true};
  switch (operand.base) {
    case Operand::Base::Register: {
      Operand base = operand;
      base.kind = Operand::Kind::Register;
      out.base = rows_.source(base);
      out.is_64 = ptx::bytes(kernel_.registers[operand.index].type) == 8;
      break;
    }
    case Operand::Base::Symbol: out.base = rows_.address(operand.scope, operand.index, 0, 8); break;
    case Operand::Base::None: out.base = rows_.constant(0, 8); break;
  }
  return out;
}

void Decoder::atomic(const ptx::Instruction& in, Insn& out) {
  if (in.space != ptx::Space::Shared) need(in, Feature::GlobalAtomics);
  if (in.space != ptx::Space::Global) need(in, Feature::SharedAtomics);
  if (in.mods.has(Mod::SharedCluster)) need(in, Feature::Clusters);
  AtomicPayload& payload = out.set_payload<AtomicPayload>();
  payload.access.space = in.space;
  payload.access.element_bytes = static_cast<uint8_t>(ptx::bytes(in.type));
  payload.access.of_cluster = in.mods.has(Mod::SharedCluster);
  if (ptx::is<ptx::Sured>(in)) return surface_reduction(in, payload, out);
  if (in.type == Type::B128) return wide_atomic(in, payload, out);
  payload.global = atomic_operation(in.mods, in.type, true);
  payload.shared = atomic_operation(in.mods, in.type, false);
  bool has_b = false;
  for (const Operand& operand : kernel_.operands_of(in)) {
    if (operand.kind == Operand::Kind::Memory) {
      payload.access.address = address(operand);
    } else if (operand.destination) {
      out.dst = rows_.destination(operand);
      payload.has_result = operand.kind != Operand::Kind::Sink;
    } else {
      if (in.mods.has(Mod::CacheHint) && &operand == &kernel_.operands_of(in).back()) continue;  // a cache policy
      payload.c = rows_.source(operand);
      if (!std::exchange(has_b, true)) payload.b = payload.c;
    }
  }
}

/// sured; of .p the surface says whether its numbers have a sign (find_in_surface).
void Decoder::surface_reduction(const ptx::Instruction& in, AtomicPayload& payload, Insn& out) {
  std::span<const Operand> operands = kernel_.operands_of(in);
  const bool formatted = in.mods.has(Mod::Formatted);
  auto of = [&](Type without_sign, Type with_sign, bool is_signed) {
    return atomic_operation(in.mods, !formatted ? in.type : is_signed ? with_sign : without_sign, true);
  };
  const bool is_wide = ptx::bytes(in.type) == 8;
  payload.global = is_wide ? of(Type::U64, Type::S64, false) : of(Type::U32, Type::S32, false);
  payload.shared = is_wide ? of(Type::U64, Type::S64, true) : of(Type::U32, Type::S32, true);
  surface(in, operands[0], operands[1], payload.access, out);
  payload.b = payload.c = rows_.source(operands[2]);
}

/// Values of 128 bits: lists of two registers, the lower half first.
void Decoder::wide_atomic(const ptx::Instruction& in, AtomicPayload& payload, Insn& out) {
  payload.compares = in.mods.has(Mod::Cas);
  payload.global = payload.shared = atomic_operation(in.mods, Type::B64, false);
  bool has_b = false;
  for (const Operand& operand : kernel_.operands_of(in)) {
    if (operand.kind == Operand::Kind::Memory) payload.access.address = address(operand);
    if (operand.kind != Operand::Kind::Vector) continue;
    const Operand &low = kernel_.operands[operand.index], &high = kernel_.operands[operand.index + 1];
    if (operand.destination) {
      payload.has_result = true;
      out.dst = rows_.destination(low);
      payload.dst_high = rows_.destination(high);
      continue;
    }
    payload.c = rows_.source(low);
    payload.c_high = rows_.source(high);
    if (std::exchange(has_b, true)) continue;
    payload.b = payload.c;
    payload.b_high = payload.c_high;
  }
}

/// The coordinates, and behind them the layer, which is written before them.
void Decoder::coordinates(const Operand& operand, uint32_t dimensions, bool has_layers, Insn& out) {
  if (operand.kind != Operand::Kind::Vector) {
    out.src[0] = rows_.source(operand);
    return;
  }
  for (uint32_t i = 0; i < dimensions; ++i)
    out.src[i] = rows_.source(kernel_.operands[operand.index + i + (has_layers ? 1 : 0)]);
  if (has_layers) out.src[dimensions] = rows_.source(kernel_.operands[operand.index]);
}

/// txq, suq, istypep.
void Decoder::texture_query(const ptx::Instruction& in, Insn& out) {
  using Query = TextureQuery;
  constexpr std::pair<Mod, Query> kQueries[] = {{Mod::Width, Query::Width},
                                                {Mod::Height, Query::Height},
                                                {Mod::Depth, Query::Depth},
                                                {Mod::ArraySize, Query::ArraySize},
                                                {Mod::ChannelType, Query::ChannelType},
                                                {Mod::ChannelOrder, Query::ChannelOrder},
                                                {Mod::Normalized, Query::Normalized},
                                                {Mod::Levels, Query::Levels},
                                                {Mod::Samples, Query::Samples},
                                                {Mod::IsTexture, Query::IsTexture},
                                                {Mod::IsSampler, Query::IsSampler},
                                                {Mod::IsSurface, Query::IsSurface}};
  std::span<const Operand> operands = kernel_.operands_of(in);
  TexturePayload& payload = out.set_payload<TexturePayload>();
  for (const auto& [mod, query] : kQueries)
    if (in.mods.has(mod)) payload.query = query;
  payload.float_coordinates = true;
  out.dst = rows_.destination(operands[0]);
  out.dst_is_predicate = operands[0].type == Type::Pred;
  payload.results.fill({out.dst_is_predicate ? 0 : out.dst});
  if (in.mods.has(Mod::LevelOfDetail)) {
    payload.level_by = LevelBy::Number;
    payload.level[0] = rows_.source(operands[2]);
  }
  if (operands[1].kind == Operand::Kind::Memory) payload.handle = address(operands[1]);
  else payload.handle = {.offset = 0, .base = rows_.source(operands[1]), .is_64 = true};
}

/// A texture's address is its handle.
void Decoder::texture(const ptx::Instruction& in, Insn& out) {
  if (ptx::is<ptx::Txq, ptx::Suq, ptx::Istypep>(in)) return texture_query(in, out);
  if (ptx::dimensions_of(in.mods) == 4)  // .2dms and .a2dms
    return error(
        in, fmt::format("\"{}\" reads a multisampled texture, which no function of CUDA makes", ptx::spelling_text(in)),
        "a kernel with it is checked, and cannot be launched");
  std::span<const Operand> operands = kernel_.operands_of(in);
  TexturePayload& payload = out.set_payload<TexturePayload>();
  for (uint32_t i = 0; i < 4; ++i) {
    const Operand& result = kernel_.operands[operands[0].index + i];
    payload.results[i] = {rows_.destination(result)};
    payload.read_results |= static_cast<uint8_t>((is_read(result.index) ? 1 : 0) << i);
  }
  payload.handle = address(operands[1]);
  payload.dimensions = static_cast<uint8_t>(ptx::dimensions_of(in.mods));
  payload.float_coordinates = in.type2 == Type::F32;
  payload.has_layers = ptx::has_layers(in.mods);
  payload.is_cube = ptx::is_cube(in.mods);
  if (payload.is_cube) payload.dimensions = 3;
  if (ptx::is<ptx::Tld4>(in))
    payload.gathers = in.mods.has(Mod::Red1) ? 1 : in.mods.has(Mod::Green) ? 2 : in.mods.has(Mod::Blue) ? 3 : 4;
  coordinates(operands[2], payload.dimensions, payload.has_layers, out);
  if (in.mods.has(Mod::LevelOfDetail)) {
    payload.level_by = LevelBy::Number;
    payload.level[0] = rows_.source(operands[3]);
  }
  if (in.mods.has(Mod::Gradient)) {
    payload.level_by = LevelBy::Gradients;
    for (size_t of : {size_t{0}, size_t{1}}) slope(operands[3 + of], payload.dimensions, &payload.level[3 * of]);
  }
}

/// A gradient: one number for each coordinate.
void Decoder::slope(const Operand& operand, uint32_t dimensions, RowRef* out) {
  if (operand.kind != Operand::Kind::Vector) out[0] = rows_.source(operand);
  else
    for (uint32_t i = 0; i < dimensions; ++i) out[i] = rows_.source(kernel_.operands[operand.index + i]);
}

/// A surface's address is that of each lane's place in it, which LoadStore finds when it is accessed.
void Decoder::surface(const ptx::Instruction& in, const Operand& handle, const Operand& places, AccessPayload& access,
                      Insn& out) {
  access.space = ptx::Space::Global;
  access.dimensions = static_cast<uint8_t>(ptx::dimensions_of(in.mods));
  access.has_layers = ptx::has_layers(in.mods);
  access.formatted = in.mods.has(Mod::Formatted);
  access.bounds = in.mods.has(Mod::Clamp)         ? SurfaceBounds::Clamp
                  : in.mods.has(Mod::ZeroOutside) ? SurfaceBounds::Zero
                                                  : SurfaceBounds::Trap;
  const AddressOperand address = this->address(handle);
  coordinates(places, access.dimensions, access.has_layers, out);
  out.src[3] = address.base;
  if (!address.is_64 || address.offset != 0) error(in, "the handle of a surface is a register of 64 bits");
  access.address = {.offset = 0, .base = {access.formatted ? rows_.texel_rows() : rows_.address_row()}, .is_64 = true};
}

/// PTX ISA, "Cache Operators" and "Memory Consistency Model". A volatile load is a relaxed one of the whole system.
static bool passes_l1(ptx::ModSet mods) {
  const bool is_strong = mods.has(Mod::Relaxed) || mods.has(Mod::Acquire);
  return mods.has(Mod::Cg) || mods.has(Mod::Cv) || mods.has(Mod::Volatile) || mods.has(Mod::Mmio) ||
         (is_strong && !mods.has(Mod::ScopeCta));
}

void Decoder::memory(const ptx::Instruction& in, Insn& out) {
  std::span<const Operand> operands = kernel_.operands_of(in);
  bool load = out.effect == Effect::Load;
  const Operand& memory = operands[load ? 1 : 0];
  const Operand& data = operands[load ? 0 : ptx::is<ptx::Sust>(in) ? 2 : 1];
  if (in.mods.has(Mod::SharedCluster)) need(in, Feature::Clusters);
  LoadStorePayload& payload = out.set_payload<LoadStorePayload>();
  payload.access.space = in.space;
  payload.access.element_bytes = static_cast<uint8_t>(ptx::bytes(in.type));
  payload.access.vector = in.vector;
  payload.access.past_l1 = load && in.space != ptx::Space::Local && passes_l1(in.mods);
  payload.access.read_only = load && in.mods.has(Mod::Nc);
  payload.access.of_cluster = in.mods.has(Mod::SharedCluster);
  if (ptx::is<ptx::Suld, ptx::Sust>(in)) surface(in, memory, operands[load ? 2 : 1], payload.access, out);
  else payload.access.address = address(memory);
  payload.sign_extend = info(in.type).kind == ptx::TypeKind::Signed;
  if (const ptx::Symbol* passed = passed_variable(kernel_, memory)) {  // a move between registers
    payload.access.address.base = {static_cast<uint32_t>(passed->offset) * kRowBytes};
    out.effect = Effect::None;
    out.run = load ? load_passed : store_passed;
  }

  if (ptx::is<ptx::Wmma>(in)) return matrix_in_memory(in, payload);
  std::span<const Operand> elements{&data, 1};
  if (data.kind == Operand::Kind::Vector) elements = {kernel_.operands.data() + data.index, data.count};
  if (ptx::is<ptx::Ldmatrix, ptx::Stmatrix>(in)) {
    const std::vector<RowRef> registers = fragment(data);
    std::copy(registers.begin(), registers.end(), payload.data.begin());
    payload.matrices = static_cast<uint8_t>(registers.size());
    payload.transposed = in.mods.has(Mod::Trans);
    payload.access.element_bytes = 16;  // a row of a matrix
    payload.access.of_warp = true;
    return;
  }
  SIM_ASSERT(elements.size() == in.vector && elements.size() <= payload.data.size(),
             "{} data registers for a vector of {}", elements.size(), in.vector);
  // All elements have one width; '_' and constants have the width of the type.
  uint32_t width = payload.access.element_bytes;
  for (const Operand& element : elements)
    if (element.kind == Operand::Kind::Register) width = ptx::bytes(kernel_.registers[element.index].type);
  payload.register_bytes = static_cast<uint8_t>(width);
  payload.is_words = payload.access.element_bytes == 4 && width == 4 && !payload.access.of_cluster;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (load) {
      payload.data[i] = {rows_.destination(elements[i])};
    } else if (elements[i].kind == Operand::Kind::Immediate) {
      payload.data[i] = rows_.constant(elements[i].bits, width);
    } else {
      payload.data[i] = rows_.source(elements[i]);
    }
  }
  bool parameter = load && in.space == ptx::Space::Param && memory.base == Operand::Base::Symbol &&
                   memory.scope == Operand::Scope::Kernel && !kernel_.symbols[memory.index].passed;
  if (!parameter || in.vector != 1 || elements[0].kind != Operand::Kind::Register) return;
  if (width != payload.access.element_bytes || width < 4 || !is_written_first(elements[0].index)) return;
  payload.is_known = true;
  uint64_t offset = kernel_.symbols[memory.index].offset + memory.bits;
  rows_.set_known(elements[0].index, rows_.parameter(static_cast<uint32_t>(offset), width));
}

}  // namespace warptime::sim
