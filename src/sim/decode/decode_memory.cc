// Of an instruction that accesses memory: its space, address and widths, an atomic operation, a texture.
#include "base/assert.h"
#include "ptx/syntax/mnemonic.h"
#include "sim/decode/decoder.h"
#include "sim/decode/function_linkage.h"
#include "sim/exec/atomic_operation.h"
#include "sim/exec/memory_values.h"
#include "sim/model/address_space.h"

namespace warptime::sim {

using ptx::Effect, ptx::Mod, ptx::Operand, ptx::Type;

void Decoder::address(const Operand& operand, Insn& out) {
  out.offset = static_cast<int64_t>(operand.bits);
  switch (operand.base) {
    case Operand::Base::Register: {
      Operand base = operand;
      base.kind = Operand::Kind::Register;
      out.base = rows_.source(base);
      out.address_is_64 = ptx::bytes(kernel_.registers[operand.index].type) == 8;
      break;
    }
    case Operand::Base::Symbol:
      out.base = rows_.address(operand.scope, operand.index, 0, 8);
      out.address_is_64 = true;
      break;
    case Operand::Base::None:
      out.base = rows_.constant(0, 8);
      out.address_is_64 = true;
      break;
  }
}

/// Data registers: b and c.
void Decoder::atomic(const ptx::Instruction& in, Insn& out) {
  if (in.space != ptx::Space::Shared) need(in, Feature::GlobalAtomics);
  if (in.space != ptx::Space::Global) need(in, Feature::SharedAtomics);
  out.space = in.space;
  out.access_bytes = out.register_bytes = static_cast<uint8_t>(ptx::bytes(in.type));
  out.atomic = atomic_operation(in.mods, in.type, true);
  out.atomic_shared = atomic_operation(in.mods, in.type, false);
  size_t operands = 0;
  for (const Operand& operand : kernel_.operands_of(in)) {
    if (operand.kind == Operand::Kind::Memory) {
      address(operand, out);
    } else if (operand.destination) {
      out.dst = rows_.destination(operand);
      out.has_result = operand.kind != Operand::Kind::Sink;
    } else {
      out.data[operands++] = rows_.source(operand);
    }
  }
  if (operands == 1) out.data[1] = out.data[0];
}

/// A texture's address is its handle.
void Decoder::texture(const ptx::Instruction& in, Insn& out) {
  std::span<const Operand> operands = kernel_.operands_of(in);
  uint32_t results = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const Operand& result = kernel_.operands[operands[0].index + i];
    out.data[i] = {rows_.destination(result)};
    results |= (is_read(result.index) ? 1u : 0u) << i;
  }
  out.results = results & 0xf;
  address(operands[1], out);
  out.space = ptx::Space::Tex;
  out.dimensions = ptx::dimensions_of(in.mods) & 0xf;
  out.float_coordinates = in.type2 == Type::F32;
  const Operand& coordinates = operands[2];
  if (coordinates.kind != Operand::Kind::Vector) {
    out.src[0] = rows_.source(coordinates);
    return;
  }
  for (uint32_t i = 0; i < out.dimensions; ++i) out.src[i] = rows_.source(kernel_.operands[coordinates.index + i]);
}

void Decoder::memory(const ptx::Instruction& in, Insn& out) {
  std::span<const Operand> operands = kernel_.operands_of(in);
  bool load = out.effect == Effect::Load;
  const Operand& place = operands[load ? 1 : 0];
  const Operand& data = operands[load ? 0 : 1];
  out.space = in.space;
  out.access_bytes = static_cast<uint8_t>(ptx::bytes(in.type));
  out.vector = in.vector;
  out.sign_extend = info(in.type).kind == ptx::TypeKind::Signed;
  address(place, out);
  if (const ptx::Symbol* passed = passed_variable(kernel_, place)) {  // a move between registers
    out.base = {static_cast<uint32_t>(passed->offset) * kRowBytes};
    out.effect = Effect::None;
    out.run = load ? load_passed : store_passed;
  }

  std::span<const Operand> elements{&data, 1};
  if (data.kind == Operand::Kind::Vector) elements = {kernel_.operands.data() + data.index, data.count};
  SIM_ASSERT(elements.size() == in.vector && elements.size() <= out.data.size(), "{} data registers for a vector of {}",
             elements.size(), in.vector);
  // All elements have one width; '_' and constants have the width of the type.
  uint32_t width = out.access_bytes;
  for (const Operand& element : elements)
    if (element.kind == Operand::Kind::Register) width = ptx::bytes(kernel_.registers[element.index].type);
  out.register_bytes = static_cast<uint8_t>(width);
  for (size_t i = 0; i < elements.size(); ++i) {
    if (load) {
      out.data[i] = {rows_.destination(elements[i])};
    } else if (elements[i].kind == Operand::Kind::Immediate) {
      out.data[i] = rows_.constant(elements[i].bits, width);
    } else {
      out.data[i] = rows_.source(elements[i]);
    }
  }
  bool parameter = load && in.space == ptx::Space::Param && place.base == Operand::Base::Symbol &&
                   place.scope == Operand::Scope::Kernel && !kernel_.symbols[place.index].passed;
  if (!parameter || in.vector != 1 || elements[0].kind != Operand::Kind::Register) return;
  if (width != out.access_bytes || width < 4 || !is_written_first(elements[0].index)) return;
  out.is_known = true;
  uint64_t offset = kernel_.symbols[place.index].offset + place.bits;
  rows_.set_known(elements[0].index, rows_.parameter(static_cast<uint32_t>(offset), width));
}

}  // namespace warptime::sim
