// The limits of a machine for launches: grid and block sizes, and whether a block fits into an SM.
#pragma once

#include <string>

#include "base/diagnostics.h"
#include "host/device/device.h"
#include "ptx/module.h"
#include "sim/model/machine.h"

namespace warptime::host {

/// The blocks of a cluster: what the kernel requires, or else what the launch names, or one.
Dim3 cluster_of(const ptx::Kernel& kernel, const LaunchOptions& options);
/// Registers per thread that a launch of blocks of `threads` allocates: those stated in the launch, otherwise
/// sim::registers_allocated.
uint32_t registers_per_thread(const sim::Machine& machine, const ptx::Kernel& kernel, uint32_t threads,
                              const LaunchOptions& options);

/// A warning if the program limits its registers to fewer than it needs. `registers`: those that the launch allocates.
void warn_of_spills(const sim::Machine& machine, const ptx::Kernel& kernel, uint32_t registers,
                    Diagnostics& diagnostics);

/// Errors for declarations of a kernel or a device function that exceed this machine's memory, each at the declaration:
/// local memory per thread, parameters of a kernel. Must be called before memory of that size is allocated.
void check_declared_memory(const sim::Machine& machine, const ptx::Module& module, const ptx::Kernel& kernel,
                           Diagnostics& diagnostics);

/// Why no block of so many threads with so many registers each fits, with the path of the limit.
std::string too_many_registers(const sim::MachineConfig& machine, uint32_t threads, uint32_t registers);

/// Errors for a launch that the machine cannot run, each with the limit and the path of its parameter.
void check_launch_limits(const sim::Machine& machine, const ptx::Kernel& kernel, Dim3 grid, Dim3 block,
                         const LaunchOptions& options, Diagnostics& diagnostics);

}  // namespace warptime::host
