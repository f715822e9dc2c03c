#include "sim/model/tensor_time.h"

#include <algorithm>

#include "ptx/isa/matrix_layout.h"

namespace warptime::sim {

using ptx::Mod, ptx::Type;

namespace {

constexpr uint32_t kUnit = 2048;  // multiply-adds that the parameters are for, of kUnitBits
constexpr uint32_t kUnitBits = 16;
constexpr uint32_t kBankBytes = 4;

constexpr uint32_t quotient(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

bool is_sparse(ptx::ModSet mods) { return mods.has(Mod::Sparse) || mods.has(Mod::SparseOrdered); }

/// Bytes that a product of a warpgroup reads from shared memory.
uint32_t shared_bytes(const ptx::Kernel& kernel, const ptx::Instruction& in, ptx::MatrixShape shape) {
  const bool a_in_registers = kernel.operands_of(in)[1].kind == ptx::Operand::Kind::Vector;
  const uint32_t a_elements = a_in_registers ? 0 : shape.m * shape.k / (is_sparse(in.mods) ? 2 : 1);
  return (a_elements * ptx::bits(in.type2) + shape.n * shape.k * ptx::bits(in.type3)) / 8;
}

}  // namespace

TensorTime tensor_time(const MachineConfig& machine, const ptx::Kernel& kernel, const ptx::Instruction& in) {
  const TensorConfig& tensor = machine.tensor;
  const ptx::MatrixShape shape = ptx::shape_of(in.mods, in.columns);
  const bool of_warpgroup = in.columns != 0;  // of which each of four warps makes a quarter
  const uint32_t products = shape.m * shape.n * shape.k / (of_warpgroup ? 4 : 1);
  // wmma of f16 names the types of D and C alone.
  const Type element = in.type3 == Type::None ? Type::F16 : in.type2;
  if (element == Type::F64) {
    const uint32_t cycles = quotient(products * tensor.double_initiation, kUnit);
    return {std::max(cycles, tensor.double_initiation / 4), machine.latency.tensor_double + cycles};
  }
  // Half of the elements of a sparse A are there.
  const uint32_t sparse = is_sparse(in.mods) ? 2 : 1;
  const uint32_t work = products / sparse * ptx::bits(element);
  const uint32_t cycles = quotient(work * tensor.initiation, kUnit * kUnitBits);
  if (of_warpgroup) {
    const uint32_t reading = quotient(shared_bytes(kernel, in, shape), machine.sm.shared.banks * kBankBytes);
    return {tensor.start_cycles + std::max(cycles, reading), machine.latency.tensor + tensor.depth_cycles};
  }
  // Each of them takes a second step to find its partner.
  const uint32_t starts = quotient(work, kUnit * kUnitBits) * sparse;
  return {starts * tensor.start_cycles + cycles,
          machine.latency.tensor + quotient(work * tensor.depth_cycles, kUnit * kUnitBits)};
}

}  // namespace warptime::sim
