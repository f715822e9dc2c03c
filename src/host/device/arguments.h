// Kernel arguments: converts the arguments of a host program or a user to the bytes of the kernel's .param space.
#pragma once

#include <cstddef>
#include <vector>

#include "base/diagnostics.h"
#include "host/device/device.h"
#include "ptx/module.h"

namespace warptime::host {

/// "saxpy(.u32 n, .f32 alpha, .u64 x, .u64 y)": the signature of a kernel for messages.
std::string signature(const ptx::Kernel& kernel);

/// Lays out the arguments as in PTX ISA 4.2, 5.1.6. Sizes must match exactly; a float cannot be passed for an integer
/// or vice versa, but signed, unsigned and untyped bits of one size are interchangeable. A wrong count, type or size is
/// an error at the argument's position (or at `where`).
std::vector<std::byte> pack_arguments(const ptx::Module& module, const ptx::Kernel& kernel,
                                      const std::vector<Argument>& arguments, SourceSpan where,
                                      Diagnostics& diagnostics);

}  // namespace warptime::host
