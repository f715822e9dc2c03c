// A launch as all SMs share it: the machine, the decoded kernel, the shape of the grid, parameters. An SM holds blocks
// of one or several (resident_kernel.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/decode/compiled_kernel.h"
#include "sim/mem/device_memory.h"
#include "sim/model/machine.h"
#include "sim/model/texture.h"

namespace warptime::sim {

/// What a block takes of its SM, as allocated (model/occupancy.h).
struct BlockNeed {
  uint32_t warps = 1, threads = 1;
  uint64_t registers = 0, shared_bytes = 0;
};

struct LaunchContext {
  const MachineConfig* machine = nullptr;
  const CompiledKernel* kernel = nullptr;
  const DeviceMemory* memory = nullptr;  // SMs only read it
  uint32_t number = 0;                   // among the launches of a run
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::array<uint32_t, 3> cluster{1, 1, 1};  // blocks of a cluster along each axis
  uint32_t cluster_blocks = 1;
  bool explicit_cluster = false;  // the launch or the kernel names the shape of its clusters
  bool in_clusters = false;       // blocks may use the shared memory of others
  bool clusters_apart = false;    // the blocks of a cluster are on several SMs, which send each other messages
  uint32_t threads_per_block = 1;
  uint32_t warps_per_block = 1;
  uint32_t blocks_per_sm = 1;
  BlockNeed need;
  bool slots_by_instruction = true;  // whether cycles are charged to instructions, or only to the SM
  bool lines = false;                // whether accesses and branches are counted for each instruction
  uint32_t shared_bytes = 0;         // per block, as the program sees it (static + dynamic)
  // RowArea::Launch, and RowArea::Threads of each warp of a block (launch_rows.h).
  std::vector<ConstantRow> launch_rows, thread_rows;
  std::span<const std::byte> parameters;
  std::span<const std::byte> constants;
  std::span<const Texture> textures;  // handle h is the one at h - 1
  Addr grid_workspace = 0;            // of a cooperative launch: %envreg1 and %envreg2
  uint32_t local_bytes = 0;           // per thread, a multiple of 4
  /// Local memory lies above everything allocated: word w of a thread at local_base + ((warp * words + w) * 32 + lane)
  /// * 4.
  Addr local_base = 0;
  /// Addresses for the caches, above local memory: constant memory, kernel parameters in constant memory, and the
  /// program.
  Addr constant_base = 0, parameter_base = 0, code_base = 0;

  /// nullptr: the exit behind the last instruction.
  const ptx::Instruction* instruction(uint32_t pc) const {
    const auto& all = kernel->kernel->instructions;
    return pc < all.size() ? &all[pc] : nullptr;
  }
};

/// Where a block is: its cluster in the grid, and its number in the cluster.
struct ClusterPlace {
  std::array<uint32_t, 3> cluster{}, in_cluster{};
  uint32_t rank = 0;
};
ClusterPlace cluster_place(const LaunchContext& launch, uint64_t block);

/// The position of a block in its grid, or of a thread in its block.
inline std::array<uint32_t, 3> position_of(uint64_t linear, const std::array<uint32_t, 3>& shape) {
  return {static_cast<uint32_t>(linear % shape[0]), static_cast<uint32_t>(linear / shape[0] % shape[1]),
          static_cast<uint32_t>(linear / shape[0] / shape[1])};
}

}  // namespace warptime::sim
