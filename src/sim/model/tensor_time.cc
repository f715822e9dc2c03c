#include "sim/model/tensor_time.h"

#include <algorithm>

#include "ptx/isa/matrix_layout.h"

namespace warptime::sim {

using ptx::Mod, ptx::Type;

namespace {

constexpr uint32_t kUnit = 2048;  // multiply-adds that the parameters are for, of kUnitBits
constexpr uint32_t kUnitBits = 16;

constexpr uint32_t quotient(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

bool is_sparse(ptx::ModSet mods) { return mods.has(Mod::Sparse) || mods.has(Mod::SparseOrdered); }

}  // namespace

TensorTime tensor_time(const MachineConfig& machine, const ptx::Instruction& in) {
  const TensorConfig& tensor = machine.tensor;
  const ptx::MatrixShape shape = ptx::shape_of(in.mods);
  const uint32_t products = shape.m * shape.n * shape.k;
  // wmma of f16 names the types of D and C alone.
  const Type element = in.type3 == Type::None ? Type::F16 : in.type2;
  if (element == Type::F64) {
    const uint32_t cycles = quotient(products * tensor.double_initiation, kUnit);
    return {std::max(cycles, tensor.double_initiation / 4), machine.latency.tensor_double + cycles};
  }
  // Half of the elements of a sparse A are there, and each of them takes a second step to find its partner.
  const uint32_t sparse = is_sparse(in.mods) ? 2 : 1;
  const uint32_t work = products / sparse * ptx::bits(element);
  const uint32_t starts = quotient(work, kUnit * kUnitBits) * sparse;
  return {starts * tensor.start_cycles + quotient(work * tensor.initiation, kUnit * kUnitBits),
          machine.latency.tensor + quotient(work * tensor.depth_cycles, kUnit * kUnitBits)};
}

}  // namespace warptime::sim
