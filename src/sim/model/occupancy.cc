#include "sim/model/occupancy.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>

#include "base/assert.h"
#include "base/parse_number.h"
#include "sim/model/native_code.h"

namespace warptime::sim {

namespace {

constexpr uint32_t kWarpSize = 32;

constexpr uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

constexpr uint64_t warps_of(uint32_t threads) { return (uint64_t{threads} + kWarpSize - 1) / kWarpSize; }

constexpr uint64_t fits(uint64_t available, uint64_t needed) {
  return needed == 0 ? std::numeric_limits<uint64_t>::max() : available / needed;
}

uint64_t registers_per_warp(const SmConfig& sm, uint32_t registers_per_thread) {
  return round_up(uint64_t{kWarpSize} * registers_per_thread, sm.register_unit);
}

uint64_t warps_with_registers(const SmConfig& sm, uint32_t threads_per_block) {
  return round_up(warps_of(threads_per_block), sm.warp_allocation_unit);
}

}  // namespace

uint64_t registers_per_block(const MachineConfig& machine, uint32_t threads_per_block, uint32_t registers_per_thread) {
  const SmConfig& sm = machine.sm;
  const uint64_t warps = warps_with_registers(sm, threads_per_block);
  switch (sm.register_allocation) {
    case RegisterAllocation::per_block: return round_up(warps * kWarpSize * registers_per_thread, sm.register_unit);
    case RegisterAllocation::per_warp: return warps * registers_per_warp(sm, registers_per_thread);
  }
  return 0;
}

uint64_t registers_at_launch(const MachineConfig& machine, uint32_t threads_per_block, uint32_t registers_per_thread) {
  const SmConfig& sm = machine.sm;
  switch (sm.register_allocation) {
    case RegisterAllocation::per_block: return registers_per_block(machine, threads_per_block, registers_per_thread);
    case RegisterAllocation::per_warp:
      return round_up(warps_with_registers(sm, threads_per_block), sm.register_partitions) *
             registers_per_warp(sm, registers_per_thread);
  }
  return 0;
}

uint32_t max_registers_per_block(const MachineConfig& machine) {
  return machine.sm.max_registers_per_block != 0 ? machine.sm.max_registers_per_block : machine.sm.registers;
}

namespace {

/// Blocks for which an SM has enough registers.
uint64_t blocks_by_registers(const MachineConfig& machine, uint32_t threads_per_block, uint32_t registers_per_thread) {
  const SmConfig& sm = machine.sm;
  if (registers_per_thread > sm.max_registers_per_thread) return 0;
  if (registers_at_launch(machine, threads_per_block, registers_per_thread) > max_registers_per_block(machine))
    return 0;
  switch (sm.register_allocation) {
    case RegisterAllocation::per_block:
      return fits(sm.registers, registers_per_block(machine, threads_per_block, registers_per_thread));
    case RegisterAllocation::per_warp: {
      const uint64_t of_a_warp = registers_per_warp(sm, registers_per_thread);
      if (of_a_warp == 0) return fits(0, 0);
      const uint64_t warps = fits(sm.registers / sm.register_partitions, of_a_warp) * sm.register_partitions;
      return warps / warps_with_registers(sm, threads_per_block);
    }
  }
  return 0;
}

}  // namespace

uint64_t allocated_shared(const MachineConfig& machine, uint32_t shared_bytes_per_block) {
  return round_up(shared_bytes_per_block, machine.sm.shared.allocation_unit);
}

Occupancy occupancy(const MachineConfig& machine, uint32_t threads_per_block, uint32_t registers_per_thread,
                    uint32_t shared_bytes_per_block) {
  SIM_ASSERT(threads_per_block > 0, "a block of no threads has no occupancy");
  const SmConfig& sm = machine.sm;
  uint64_t by_threads = threads_per_block > sm.max_threads_per_block ? 0 : fits(sm.max_threads, threads_per_block);
  uint64_t shared = allocated_shared(machine, shared_bytes_per_block);

  struct Limit {
    const char* name;
    uint64_t blocks;
  };
  const Limit limits[] = {{"threads", by_threads},
                          {"warps", fits(sm.max_warps, warps_of(threads_per_block))},
                          {"blocks", sm.max_blocks},
                          {"registers", blocks_by_registers(machine, threads_per_block, registers_per_thread)},
                          {"shared_memory", fits(sm.shared.bytes, shared)}};
  const Limit* lowest = std::min_element(std::begin(limits), std::end(limits),
                                         [](const Limit& a, const Limit& b) { return a.blocks < b.blocks; });
  Occupancy result;
  result.blocks_per_sm = static_cast<uint32_t>(lowest->blocks);
  result.warps_per_sm = static_cast<uint32_t>(lowest->blocks * warps_of(threads_per_block));
  result.limiter = lowest->name;
  result.registers_per_thread = registers_per_thread;
  result.shared_bytes_per_block = shared_bytes_per_block;
  return result;
}

uint32_t registers_estimated(const MachineConfig& machine, const ptx::Kernel& kernel) {
  if (kernel.allocated_registers != 0) return kernel.allocated_registers;
  return issues_native(machine) ? kernel.native.registers : kernel.estimated_registers;
}

namespace {

/// The most registers per thread with which so many blocks fit.
uint32_t most_registers(const MachineConfig& machine, uint32_t threads_per_block, uint64_t blocks) {
  uint32_t registers = machine.sm.max_registers_per_thread;
  while (registers > 1 && blocks_by_registers(machine, threads_per_block, registers) < blocks) --registers;
  return registers;
}

uint64_t threads_of(const uint32_t (&extents)[3]) {
  return uint64_t{extents[0]} * std::max(1u, extents[1]) * std::max(1u, extents[2]);
}

/// Threads per block by .reqntid or .maxntid; 0: the kernel has neither.
uint64_t threads_declared(const ptx::Kernel& kernel) {
  return kernel.required_threads[0] != 0 ? threads_of(kernel.required_threads) : threads_of(kernel.max_threads);
}

}  // namespace

uint32_t register_limit(const MachineConfig& machine, const ptx::Kernel& kernel) {
  uint32_t limit = kernel.max_registers;
  uint64_t threads = threads_declared(kernel);
  if (kernel.min_blocks == 0 || threads == 0 || threads > machine.sm.max_threads_per_block) return limit;
  uint32_t for_blocks = most_registers(machine, static_cast<uint32_t>(threads), kernel.min_blocks);
  return limit == 0 ? for_blocks : std::min(limit, for_blocks);
}

uint32_t allocation_limit(const MachineConfig& machine, const ptx::Kernel& kernel) {
  uint32_t limit = machine.sm.max_registers_per_thread;
  if (uint32_t of_kernel = register_limit(machine, kernel); of_kernel != 0) limit = std::min(limit, of_kernel);
  const uint64_t threads = threads_declared(kernel);
  if (threads != 0 && threads <= machine.sm.max_threads_per_block)
    limit = std::min(limit, most_registers(machine, static_cast<uint32_t>(threads), 1));
  return limit;
}

uint32_t registers_allocated(const MachineConfig& machine, const ptx::Kernel& kernel, uint32_t threads_per_block) {
  const uint32_t estimate = std::max(1u, registers_estimated(machine, kernel));
  const uint32_t limit = register_limit(machine, kernel);
  if (limit == 0 || estimate <= limit) return estimate;
  return std::max(limit, std::min(estimate, most_registers(machine, threads_per_block, 1)));
}

uint32_t registers_over_limit(const MachineConfig& machine, const ptx::Kernel& kernel, uint32_t registers_per_thread) {
  const uint32_t limit = register_limit(machine, kernel), estimate = registers_estimated(machine, kernel);
  return limit == 0 || registers_per_thread <= limit || estimate <= limit ? 0 : estimate - limit;
}

uint32_t shared_bytes_per_block(const MachineConfig& machine, const ptx::Kernel& kernel,
                                uint32_t dynamic_shared_bytes) {
  uint64_t bytes = uint64_t{kernel.static_shared_bytes} + dynamic_shared_bytes;
  switch (machine.sm.parameter_space) {
    case ParameterSpace::constant: break;
    case ParameterSpace::shared: {
      uint64_t end = 0;
      for (size_t i = 0; i < kernel.parameters.size(); ++i) {
        const ptx::Symbol& parameter = kernel.symbols[kernel.parameters[i]];
        bool is_address = i < kernel.parameter_is_address.size() && kernel.parameter_is_address[i];
        uint64_t size = is_address ? machine.sm.address_bytes : parameter.size;
        uint64_t alignment = is_address ? machine.sm.address_bytes : std::max<uint64_t>(parameter.alignment, 1);
        end = round_up(end, alignment) + size;
      }
      bytes += machine.sm.shared.header_bytes + end;
    }
  }
  return static_cast<uint32_t>(std::min<uint64_t>(bytes, std::numeric_limits<uint32_t>::max()));
}

std::vector<uint32_t> carveouts(const L1Config& l1) {
  std::vector<uint32_t> out;
  std::istringstream words(l1.carveouts);
  for (std::string word; words >> word;) {
    uint32_t bytes = 0;
    if (parse_number(word, bytes) != NumberError::Ok) return {};
    out.push_back(bytes);
  }
  std::sort(out.begin(), out.end());
  return out;
}

uint32_t l1_bytes_beside(const MachineConfig& machine, uint64_t shared) {
  const std::vector<uint32_t> sizes = carveouts(machine.l1);
  if (sizes.empty() || machine.l1.array_bytes == 0) return machine.l1.cache.bytes;
  auto size = std::prev(sizes.end());
  if (machine.l1.carveout == SharedCarveout::fitting)
    size = std::min(size, std::lower_bound(sizes.begin(), sizes.end(), shared));
  return machine.l1.array_bytes - std::min(machine.l1.array_bytes, *size);
}

}  // namespace warptime::sim
