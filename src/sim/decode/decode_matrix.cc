// Decodes matrix instructions: the registers of their fragments.
#include "sim/decode/decoder.h"

namespace warptime::sim {

using ptx::Operand;

/// The rows of the registers of an operand: a brace list, or one register.
std::vector<RowRef> Decoder::fragment(const Operand& operand) {
  std::span<const Operand> elements{&operand, 1};
  if (operand.kind == Operand::Kind::Vector) elements = {kernel_.operands.data() + operand.index, operand.count};
  std::vector<RowRef> rows;
  for (const Operand& element : elements)
    rows.push_back(element.destination ? RowRef{rows_.destination(element)} : rows_.source(element));
  return rows;
}

void Decoder::matrix(const ptx::Instruction& in, Insn& out) {
  std::span<const Operand> operands = kernel_.operands_of(in);
  auto operation = std::make_unique<MatrixOperation>();
  operation->shape = ptx::shape_of(in.mods);
  operation->mods = in.mods;
  operation->d_type = in.type;
  operation->a_type = in.type2;
  operation->b_type = in.type3;
  operation->c_type = in.type4;
  operation->d = fragment(operands[0]);
  operation->a = fragment(operands[1]);
  if (operands.size() > 2) {
    operation->b = fragment(operands[2]);
    operation->c = fragment(operands[3]);
  }
  if (in.type != ptx::Type::S32) {  // multiply-adds of all elements of D, shared by the lanes
    const ptx::MatrixShape& shape = operation->shape;
    out.flops = static_cast<uint16_t>(2 * shape.m * shape.n * shape.k / kWarpSize);
    out.is_half = is_half(in.type2);
  }
  out.run = matrix_handler(in);
  out.set_payload(MatrixPayload{operation.get()});
  out_.matrices.push_back(std::move(operation));
}

}  // namespace warptime::sim
