// The variant `linpack` of saxpy.
#pragma once

#include "host/workload/workload.h"

namespace warptime::workloads {

/// Steps of a Gaussian elimination on the device, two launches each.
void run_linpack(host::WorkloadContext& context, uint32_t registers);
/// The first step on as many columns as make a million elements.
void run_linpack_on_cpu(cpu::CpuContext& context);

}  // namespace warptime::workloads
