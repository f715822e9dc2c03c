// Devices with a real GPU (real_device.h): what a launch is checked for before it goes there.
#include "host/device/arguments.h"
#include "host/device/device_impl.h"
#include "host/device/kernel_of_module.h"

namespace warptime::host {

void Device::attach(RealDevice* real) {
  impl_->real = real;
  impl_->options.functional = true;  // simulated time stands still
}

namespace {

[[noreturn]] void refuse(const LaunchOptions& asked, std::string_view what) {
  Diagnostics diagnostics;
  diagnostics.error(asked.where, fmt::format("a launch with {} cannot be measured", what));
  throw InputError(diagnostics.to_text());
}

}  // namespace

LaunchResult Device::Impl::launch_real(const ModuleRef& module, std::string_view kernel_name, Dim3 grid, Dim3 block,
                                       const std::vector<Argument>& arguments, const LaunchOptions& asked) {
  Diagnostics diagnostics;
  const ptx::Kernel& kernel = kernel_of(*module->ptx, kernel_name, asked.where);
  if (asked.cluster.x != 0) refuse(asked, "a cluster that the kernel does not require itself");
  if (!asked.blocks.empty()) refuse(asked, "a part of the grid's blocks");
  const std::vector<std::byte> parameters = pack_arguments(*module->ptx, kernel, arguments, asked.where, diagnostics);
  if (diagnostics.has_errors()) throw InputError(diagnostics.to_text());
  sim::LaunchStatistics statistics;
  statistics.kernel = kernel.name;
  statistics.grid = {grid.x, grid.y, grid.z};
  statistics.block = {block.x, block.y, block.z};
  statistics.timed = false;
  real->launch({.module = *module->ptx,
                .kernel = kernel,
                .grid = statistics.grid,
                .block = statistics.block,
                .dynamic_shared_bytes = asked.dynamic_shared_bytes,
                .cooperative = asked.cooperative,
                .parameters = parameters});
  return LaunchResult(record(std::move(statistics)));
}

}  // namespace warptime::host
