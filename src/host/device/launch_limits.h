// What a machine can launch at all: grid and block sizes, and whether a block ever fits on a multiprocessor.
#pragma once

#include "base/diagnostics.h"
#include "host/device/device.h"

namespace warptime::host {

/// Registers a thread that the launch allocates: what the launch says, else the estimate (at most .maxnreg).
uint32_t registers_per_thread(const sim::Machine& machine, const ptx::Kernel& kernel, const LaunchOptions& options);

/// Errors for memory that a kernel or a device function declares and this machine does not have, each at the
/// declaration: local memory of a thread, parameters of a kernel. To be called before anything of that size is
/// allocated.
void check_declared_memory(const sim::Machine& machine, const ptx::Module& module, const ptx::Kernel& kernel,
                           Diagnostics& diagnostics);

/// Errors for a launch that the machine can never run, each with the limit and the path of the parameter that sets it.
void check_launch_limits(const sim::Machine& machine, const ptx::Kernel& kernel, Dim3 grid, Dim3 block,
                         const LaunchOptions& options, Diagnostics& diagnostics);

}  // namespace warptime::host
