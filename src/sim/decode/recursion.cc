// A function's rows are its own, in all kernels: those of the registers that its instructions mention, of the registers
// and .param variables that it takes and gives, and of the .param variables of its calls.
#include "sim/decode/recursion.h"

#include <algorithm>
#include <set>

#include "ptx/analysis/register_uses.h"

namespace warptime::sim {

namespace {

constexpr uint32_t up(uint32_t bytes, uint32_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

Recursion rows_of(const ptx::Kernel& kernel, const ptx::LinkedFunction& function) {
  std::set<std::pair<uint32_t, uint32_t>> rows;  // byte offset, bytes of a lane: in order and once
  std::set<uint32_t> predicates;
  auto take = [&](uint32_t reg, bool) {
    if (kernel.registers[reg].module_register != 0) return;  // one for all activations
    ptx::Type type = kernel.registers[reg].type;
    uint32_t row = kernel.rows.row_of[reg];
    if (type == ptx::Type::Pred) predicates.insert(row);
    else rows.emplace(row * kRowBytes, ptx::bytes(type));
  };
  for (uint32_t i = function.first_instruction; i < function.end; ++i)
    ptx::for_each_register(kernel, kernel.instructions[i], take);
  for (const auto* parameters : {&function.results, &function.arguments})
    for (const ptx::Parameter& parameter : *parameters)
      if (parameter.is_register) take(parameter.index, false);
  for (uint32_t s = function.first_symbol; s < function.symbols_end; ++s)
    if (const ptx::Symbol& symbol = kernel.symbols[s]; symbol.passed)
      for (uint64_t row = 0; row < (symbol.size + 3) / 4; ++row)
        rows.emplace(static_cast<uint32_t>(symbol.offset + row) * kRowBytes, 4u);
  Recursion out;
  for (auto [offset, bytes] : rows) out.rows.push_back({offset, bytes});
  out.predicates.assign(predicates.begin(), predicates.end());
  return out;
}

}  // namespace

void add_recursions(const ptx::Kernel& kernel, CompiledKernel& out) {
  for (const ptx::LinkedFunction& function : kernel.functions)
    if (function.cycle != 0) out.recursions.push_back(rows_of(kernel, function));
}

uint32_t recursion_of(const ptx::Kernel& kernel, const ptx::LinkedFunction& function) {
  uint32_t before = 0;
  for (const ptx::LinkedFunction* f = kernel.functions.data(); f != &function; ++f) before += f->cycle != 0 ? 1 : 0;
  return before;
}

void lay_out_recursions(const ptx::Kernel& kernel, CompiledKernel& out) {
  uint32_t alignment = 8;
  for (const ptx::Symbol& symbol : kernel.symbols)
    if (symbol.by_activation) alignment = std::max(alignment, symbol.alignment);
  bool any = false;
  for (const ptx::LinkedFunction& function : kernel.functions) {
    if (function.cycle == 0) continue;
    Recursion& recursion = out.recursions[recursion_of(kernel, function)];
    uint64_t begin = UINT64_MAX, end = 0;
    for (uint32_t s = function.first_symbol; s < function.symbols_end; ++s) {
      const ptx::Symbol& symbol = kernel.symbols[s];
      if (!symbol.by_activation) continue;
      begin = std::min(begin, symbol.offset);
      end = std::max(end, symbol.offset + symbol.size);
    }
    if (end != 0) {
      any = true;
      recursion.local_begin = static_cast<uint32_t>(begin / alignment * alignment);
      recursion.local_bytes = up(static_cast<uint32_t>(end) - recursion.local_begin, alignment);
    }
    for (const AddressRow& row : out.addresses)
      if (row.symbol >= function.first_symbol && row.symbol < function.symbols_end) recursion.addresses.push_back(row);
    for (const Recursion::Row& row : recursion.rows) recursion.kept_bytes += row.lane_bytes;
    for (const AddressRow& row : recursion.addresses) recursion.kept_bytes += row.bytes;
    recursion.kept_bytes += static_cast<uint32_t>(recursion.predicates.size());
    recursion.stack_bytes = std::max(kLeastActivation, recursion.kept_bytes) + recursion.local_bytes;
  }
  out.stack_begin = up(kernel.local_bytes, alignment);
  out.local_bytes = any ? out.stack_begin + kStackBytes : up(kernel.local_bytes, 8);
}

}  // namespace warptime::sim
