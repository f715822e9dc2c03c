// Decodes matrix instructions: the registers of their fragments.
#include "sim/decode/decoder.h"

namespace warptime::sim {

using ptx::Mod, ptx::Operand;

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
  operation->is_wmma = ptx::is<ptx::Wmma>(in);
  if (in.type4 == ptx::Type::None && operation->is_wmma) {  // of f16: only D and C are named
    operation->a_type = operation->b_type = ptx::Type::F16;
    operation->c_type = in.type2;
  }
  if (operands.size() > 4) {
    operation->is_sparse = true;
    operation->metadata = rows_.source(operands[4]);
    operation->selector = static_cast<uint32_t>(operands[5].bits);
  }
  if (operands.size() > 2) {
    operation->b = fragment(operands[2]);
    operation->c = fragment(operands[3]);
  }
  const ptx::MatrixShape& shape = operation->shape;  // multiply-adds of all elements of D, shared by the lanes
  out.flops = static_cast<uint16_t>(2 * shape.m * shape.n * shape.k / kWarpSize);
  out.run = matrix_handler(in);
  out.set_payload(MatrixPayload{operation.get()});
  out_.matrices.push_back(std::move(operation));
}

/// wmma.load d, [a], stride; wmma.store [a], d, stride.
void Decoder::matrix_in_memory(const ptx::Instruction& in, LoadStorePayload& payload) {
  std::span<const Operand> operands = kernel_.operands_of(in);
  const bool load = operands[0].destination;
  auto matrix = std::make_unique<MatrixInMemory>();
  matrix->shape = ptx::shape_of(in.mods);
  matrix->role = in.mods.has(Mod::MatrixA)   ? ptx::MatrixRole::A
                 : in.mods.has(Mod::MatrixB) ? ptx::MatrixRole::B
                                             : ptx::MatrixRole::C;
  matrix->type = in.type;
  matrix->by_rows = in.mods.has(Mod::RowA);
  matrix->registers = fragment(operands[load ? 0 : 1]);
  const ptx::MatrixShape& shape = matrix->shape;
  const bool is_a = matrix->role == ptx::MatrixRole::A;
  const uint32_t rows = matrix->role == ptx::MatrixRole::B ? shape.k : shape.m, columns = is_a ? shape.k : shape.n;
  matrix->stride = operands[2].kind == Operand::Kind::None ? rows_.constant(matrix->by_rows ? columns : rows, 4)
                                                           : rows_.source(operands[2]);
  payload.access.element_bytes = static_cast<uint8_t>(matrix->piece_bytes());
  payload.register_bytes = static_cast<uint8_t>(matrix->register_bytes());
  payload.access.vector = 1;
  payload.access.of_warp = true;
  payload.set_matrix(matrix.get());
  out_.matrices_in_memory.push_back(std::move(matrix));
}

}  // namespace warptime::sim
