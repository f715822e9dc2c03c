#include "sim/gpu/gpu.h"

#include <algorithm>

#include "base/assert.h"
#include "sim/gpu/run.h"
#include "sim/gpu/sampler.h"
#include "sim/gpu/thread_team.h"
#include "sim/mem/memory_system.h"
#include "sim/state/launch_context.h"
#include "sim/state/launch_rows.h"

namespace warptime::sim {

struct Gpu::Impl {
  Impl(const MachineConfig& machine_config, DeviceMemory& device_memory)
      : machine(machine_config), memory(device_memory), system(machine, device_memory), sampler(memory, system) {}

  ThreadTeam& team_of(uint32_t threads) {
    if (!team || team_size != threads) {
      team = std::make_unique<ThreadTeam>(threads);
      team_size = threads;
    }
    return *team;
  }

  MachineConfig machine;
  DeviceMemory& memory;
  MemorySystem system;
  Sampler sampler;
  std::unique_ptr<ThreadTeam> team;
  uint32_t team_size = 0;
};

Gpu::Gpu(const MachineConfig& machine, DeviceMemory& memory) : impl_(std::make_unique<Impl>(machine, memory)) {}
Gpu::~Gpu() = default;

std::optional<Fault> Gpu::run(const Launch& launch, const RunOptions& options, LaunchStatistics& statistics) {
  const MachineConfig& machine = impl_->machine;
  const ptx::Kernel& kernel = *launch.kernel->kernel;
  LaunchContext context;
  context.machine = &machine;
  context.kernel = launch.kernel;
  context.memory = &impl_->memory;
  context.grid = launch.grid;
  context.block = launch.block;
  context.threads_per_block = launch.block[0] * launch.block[1] * launch.block[2];
  context.warps_per_block = (context.threads_per_block + kWarpSize - 1) / kWarpSize;
  context.shared_bytes = kernel.static_shared_bytes + launch.dynamic_shared_bytes;
  context.parameters = launch.parameters;
  context.constants = launch.constants;
  context.textures = launch.textures;
  fill_rows(context);
  context.local_bytes = launch.kernel->local_bytes;
  context.local_base = machine.memory.bytes;
  // Whole interleaving rounds apart, so that what is where does not depend on how much local memory a kernel has.
  constexpr Addr kApart = Addr{1} << 36;
  context.constant_base = (context.local_base / kApart + 1) * kApart;
  context.parameter_base = context.constant_base + kApart;
  context.code_base = context.parameter_base + kApart;

  uint32_t registers =
      launch.registers_per_thread != 0 ? launch.registers_per_thread : registers_estimated(machine, kernel);
  statistics.kernel = kernel.name;
  statistics.grid = launch.grid;
  statistics.block = launch.block;
  statistics.occupancy = occupancy(machine, context.threads_per_block, registers,
                                   shared_bytes_per_block(machine, kernel, launch.dynamic_shared_bytes));
  statistics.occupancy.registers_estimated = registers_estimated(machine, kernel);
  context.blocks_per_sm = statistics.occupancy.blocks_per_sm;
  SIM_ASSERT(context.blocks_per_sm > 0, "kernel {} was launched although no block fits", kernel.name);

  bool functional = options.functional || !machine.has_timing;
  uint32_t tasks = functional ? sm_count(machine) : machine.chip.tpcs;
  ThreadTeam& team = impl_->team_of(std::clamp(options.threads, 1u, tasks));
  if (functional) return run_functional(context, launch, options, impl_->memory, team, statistics);

  bool sampled = options.sampling != Sampling::Off && options.trace == nullptr;
  context.slots_by_instruction = options.per_instruction || sampled;
  if (!sampled) impl_->system.reset();
  auto fault = sampled ? impl_->sampler.run(context, launch, options, team, statistics)
                       : run_timed(context, launch, options, impl_->system, team, statistics);
  statistics.time_us = static_cast<double>(statistics.cycles) / machine.clocks.shader_mhz;
  return fault;
}

}  // namespace warptime::sim
