// Decodes products of warpgroups and what waits for them.
#include "sim/decode/decoder.h"

namespace warptime::sim {

using ptx::Mod, ptx::Operand, ptx::Type;

namespace {

bool is_set(const Operand& operand) { return operand.bits != 0; }
bool is_negative(const Operand& operand) { return static_cast<int32_t>(operand.bits) < 0; }

}  // namespace

void Decoder::async_matrix(const ptx::Instruction& in, Insn& out) {
  using Operation = AsyncMatrixPayload::Operation;
  std::span<const Operand> operands = kernel_.operands_of(in);
  AsyncMatrixPayload payload;
  if (!in.mods.has(Mod::MmaAsync)) {
    payload.operation = in.mods.has(Mod::FenceWord)     ? Operation::Fence
                        : in.mods.has(Mod::CommitGroup) ? Operation::Commit
                                                        : Operation::Wait;
    if (payload.operation == Operation::Wait) payload.count = static_cast<uint32_t>(operands[0].bits);
    out.set_payload(payload);
    return;
  }
  auto product = std::make_unique<WarpgroupProduct>();
  product->shape = ptx::shape_of(in.mods, in.columns);
  product->d_type = in.type;
  product->a_type = in.type2;
  product->b_type = in.type3;
  product->clamps = in.mods.has(Mod::Satfinite);
  product->d = fragment(operands[0]);
  const bool in_registers = operands[1].kind == Operand::Kind::Vector;
  if (in_registers) product->a = fragment(operands[1]);
  else product->a_descriptor = rows_.source(operands[1]);
  product->b_descriptor = rows_.source(operands[2]);
  operands = operands.subspan(3);
  product->is_sparse = in.mods.has(Mod::Sparse);
  if (product->is_sparse) {
    product->metadata = rows_.source(operands[0]);
    product->selector = static_cast<uint32_t>(operands[1].bits);
    operands = operands.subspan(2);
  }
  const Operand& scale = operands[0];
  if (scale.kind == Operand::Kind::Immediate) {
    using ScaleD = WarpgroupProduct::ScaleD;
    product->scale_d = is_set(scale) ? ScaleD::One : ScaleD::Zero;
  } else {
    product->predicate = rows_.source(scale);
    product->predicate_negated = scale.negated;
  }
  if (operands.size() > 1) {
    product->negate_a = is_negative(operands[1]);
    product->negate_b = is_negative(operands[2]);
  }
  if (operands.size() > 3) {
    product->b_by_mn = is_set(operands.back());
    product->a_by_mn = !in_registers && is_set(operands[3]);
  }
  const ptx::MatrixShape& shape = product->shape;
  if (in.type != Type::S32) {  // a warp's 16 rows, shared by its lanes
    out.flops = static_cast<uint16_t>(2 * 16 * shape.n * shape.k / kWarpSize);
    out.is_half = is_half(in.type2);
  }
  payload.product = product.get();
  out.set_payload(payload);
  out_.products.push_back(std::move(product));
}

}  // namespace warptime::sim
