// Registration of device code, and launches.
#include <algorithm>
#include <vector>

#include "cuda/work.h"
#include "sim/gpu/gpu.h"
#include "sim/model/occupancy.h"

namespace warptime::cuda {

uint64_t blocks_at_once(Runtime& runtime, const ptx::Kernel& kernel, uint32_t threads, uint32_t dynamic_bytes) {
  const sim::MachineConfig& machine = runtime.machine();
  dynamic_bytes = std::min(dynamic_bytes, machine.sm.shared.bytes + 1);  // more never fits, and a sum could wrap
  const sim::Occupancy fit = sim::occupancy(machine, threads, sim::registers_allocated(machine, kernel, threads),
                                            sim::shared_bytes_per_block(machine, kernel, dynamic_bytes));
  return uint64_t{fit.blocks_per_sm} * machine.chip.tpcs * machine.chip.sms_per_tpc;
}

namespace {

/// What <<<...>>> pushes, and the kernel's stub takes.
struct Configuration {
  Extent3 grid, block;
  size_t shared_bytes;
  void* stream;
};
thread_local std::vector<Configuration> configurations;

/// In a launch of CUDA 11 or 12: grids and blocks that no device takes are cudaErrorInvalidConfiguration there, and
/// cudaErrorInvalidValue since 13 (tests/cuda/programs/wrong_uses.cu).
thread_local bool is_older_launch = false;

Image* image_of(void** handle) { return reinterpret_cast<Image*>(handle); }

/// Threads of a block that the kernel's author allows (__launch_bounds__).
uint64_t most_threads(const ptx::Kernel& kernel) {
  const uint32_t* most = kernel.max_threads;
  return most[0] == 0 ? ~uint64_t{0} : uint64_t{most[0]} * std::max(1u, most[1]) * std::max(1u, most[2]);
}

bool outside(Extent3 extent, uint32_t x, uint32_t y, uint32_t z) {
  return extent.x - 1 >= x || extent.y - 1 >= y || extent.z - 1 >= z;
}

void check_cooperative(Runtime& runtime, const ptx::Kernel& kernel, Extent3 grid, Extent3 block, uint32_t shared) {
  constexpr uint32_t kFirst = 60;  // compute capability 6.0
  if (runtime.capability() < kFirst) throw CallError{Error::NotSupported};
  if (uint64_t{grid.x} * grid.y * grid.z > blocks_at_once(runtime, kernel, block.x * block.y * block.z, shared))
    throw CallError{Error::CooperativeLaunchTooLarge};
}

Error submit_launch(Runtime& runtime, const void* function, Extent3 grid, Extent3 block, void** arguments,
                    size_t shared, void* stream, bool cooperative, Extent3 cluster = {0, 0, 0}) {
  const ptx::Kernel& kernel = runtime.ptx_of(runtime.kernel_of(function));
  LaunchWork launch{function, grid, block, shared, cooperative, arguments_of(kernel, arguments), cluster};
  if (runtime.captures.of(runtime, stream) != nullptr) return submit(runtime, stream, std::move(launch));
  return perform(runtime, launch, runtime.stream_of(stream));
}

}  // namespace

Error perform(Runtime& runtime, const LaunchWork& launch, host::Stream stream) {
  const Symbol& symbol = runtime.kernel_of(launch.function);
  const ptx::Kernel& kernel = runtime.ptx_of(symbol);
  const sim::GridConfig& limits = runtime.machine().grid;
  const auto [grid, block] = std::pair(launch.grid, launch.block);
  host::LaunchOptions options;
  options.dynamic_shared_bytes = static_cast<uint32_t>(std::min<size_t>(launch.shared_bytes, 0xffffffff));
  options.stream = stream;
  options.cooperative = launch.cooperative;
  options.cluster = {launch.cluster.x, launch.cluster.y, launch.cluster.z};
  const bool wrong = outside(grid, limits.max_x, limits.max_y, limits.max_z) ||
                     outside(block, limits.max_block_x, limits.max_block_y, limits.max_block_z) ||
                     uint64_t{block.x} * block.y * block.z > runtime.machine().sm.max_threads_per_block;
  if (launch.cooperative && !wrong) check_cooperative(runtime, kernel, grid, block, options.dynamic_shared_bytes);
  runtime.will_launch(launch.function);
  const LaunchToCapture captured{.number = runtime.launches,
                                 .module = runtime.load(*symbol.image),
                                 .kernel = kernel,
                                 .grid = {grid.x, grid.y, grid.z},
                                 .block = {block.x, block.y, block.z},
                                 .shared_bytes = options.dynamic_shared_bytes,
                                 .arguments = launch.arguments};
  const bool is_captured = !wrong && runtime.capture(captured);
  try {
    options.functional = !runtime.choice().is_timed(runtime.launches);
    const host::PendingLaunch pending = runtime.device().enqueue(captured.module, symbol.name, captured.grid,
                                                                 captured.block, launch.arguments, options);
    runtime.launched();
    if (is_captured) runtime.captured(captured, pending.result().counted().counts.warp_instructions);
  } catch (const host::FaultError& error) {
    if (is_captured) runtime.captured(captured, 0);
    runtime.launched();
    runtime.note(error);  // later calls return it, as a launch does not wait
  } catch (const host::InputError& error) {
    const uint32_t threads = block.x * block.y * block.z;
    Error code = Error::NotSupported;  // an instruction, or what this machine does not have
    if (wrong) code = is_older_launch ? Error::InvalidConfiguration : Error::InvalidValue;
    else if (threads > most_threads(kernel) || launch.shared_bytes > runtime.machine().sm.shared.bytes)
      code = Error::InvalidValue;
    else if (kernel.unsupported == ptx::kNoIndex &&
             blocks_at_once(runtime, kernel, threads, options.dynamic_shared_bytes) == 0)
      code = Error::LaunchOutOfResources;
    throw CallError{code, error.what()};
  }
  return Error::Success;
}

CUDA_FUNCTION(__cudaGetKernel)(const void** kernel, const void* function) {
  *kernel = function;
  return Error::Success;
}

CUDA_FUNCTION(__cudaLaunchKernel)
(const void* kernel, Extent3 grid, Extent3 block, void** arguments, size_t shared, void* stream) {
  return call([&](Runtime& r) { return submit_launch(r, kernel, grid, block, arguments, shared, stream, false); });
}

CUDA_FUNCTION(older_launch)
(const void* kernel, Extent3 grid, Extent3 block, void** arguments, size_t shared, void* stream) {
  is_older_launch = true;
  const Error code = warptime___cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
  is_older_launch = false;
  return code;
}

CUDA_FUNCTION(cudaLaunchCooperativeKernel)
(const void* kernel, Extent3 grid, Extent3 block, void** arguments, size_t shared, void* stream) {
  return call([&](Runtime& r) { return submit_launch(r, kernel, grid, block, arguments, shared, stream, true); });
}

CUDA_FUNCTION(cudaLaunchKernelExC)(const LaunchConfig* config, const void* kernel, void** arguments) {
  return call([&](Runtime& r) {
    bool cooperative = false;
    Extent3 cluster{0, 0, 0};
    for (unsigned i = 0; i < config->attribute_count; ++i) {
      const LaunchAttribute& attribute = config->attributes[i];
      if (attribute.id == LaunchAttribute::kCooperative) cooperative = attribute.value.cooperative != 0;
      if (attribute.id == LaunchAttribute::kClusterDimension) cluster = attribute.value.cluster;
    }
    return submit_launch(r, kernel, config->grid, config->block, arguments, config->dynamic_shared_bytes,
                         config->stream, cooperative, cluster);
  });
}

CUDA_FUNCTION(__cudaPushCallConfiguration)(Extent3 grid, Extent3 block, size_t shared, void* stream) {
  configurations.push_back({grid, block, shared, stream});
  return Error::Success;
}

CUDA_FUNCTION(__cudaPopCallConfiguration)(Extent3* grid, Extent3* block, size_t* shared, void** stream) {
  if (configurations.empty()) return last_error() = Error::MissingConfiguration;
  const Configuration top = configurations.back();
  configurations.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared_bytes;
  *stream = top.stream;
  return Error::Success;
}

extern "C" void** warptime___cudaRegisterFatBinary(const FatWrapper* wrapper) {
  std::lock_guard guard(Runtime::get().lock());
  return reinterpret_cast<void**>(Runtime::get().add(wrapper));
}

CUDA_FUNCTION(__cudaRegisterFatBinaryEnd)(void**) { return Error::Success; }

CUDA_FUNCTION(__cudaUnregisterFatBinary)(void** handle) {
  std::lock_guard guard(Runtime::get().lock());
  Runtime::get().remove(image_of(handle));
  return Error::Success;
}

CUDA_FUNCTION(__cudaRegisterFunction)
(void** handle, const char* function, char*, const char* name, int, void*, void*, void*, void*, int*) {
  std::lock_guard guard(Runtime::get().lock());
  Runtime::get().add_kernel(image_of(handle), function, name);
  return Error::Success;
}

CUDA_FUNCTION(__cudaRegisterVar)(void** handle, char* variable, char*, const char* name, int, size_t, int, int) {
  std::lock_guard guard(Runtime::get().lock());
  Runtime::get().add_variable(image_of(handle), variable, name);
  return Error::Success;
}

CUDA_FUNCTION(__cudaRegisterManagedVar)
(void** handle, void** pointer, char*, const char* name, int, size_t, int, int) {
  std::lock_guard guard(Runtime::get().lock());
  image_of(handle)->managed.push_back({pointer, name});
  Runtime::get().add_variable(image_of(handle), pointer, name);
  return Error::Success;
}

/// Host code is about to use a managed variable.
extern "C" char warptime___cudaInitModule(void** handle) {
  return call([&](Runtime& r) {
           r.load(*image_of(handle));
           return Error::Success;
         }) == Error::Success
             ? 1
             : 0;
}

CUDA_FUNCTION(cudaFuncGetAttributes)(FunctionAttributes* attributes, const void* function) {
  CUDA_NEEDS(attributes);
  return call([&](Runtime& r) {
    const ptx::Kernel& kernel = r.ptx_of(r.kernel_of(function));
    const sim::MachineConfig& machine = r.machine();
    const uint32_t most = machine.sm.max_threads_per_block;
    *attributes = {};
    attributes->shared_bytes = kernel.static_shared_bytes;
    attributes->constant_bytes = host::Device::ptx_of(r.load(*r.kernel_of(function).image)).const_bytes;
    attributes->local_bytes = kernel.local_bytes;
    attributes->registers = static_cast<int>(sim::registers_allocated(machine, kernel, most));
    // The most threads that fit with these registers, whole warps.
    auto threads = static_cast<uint32_t>(std::min<uint64_t>(most, most_threads(kernel)));
    while (threads > 32 && blocks_at_once(r, kernel, threads, 0) == 0) threads -= 32;
    attributes->max_threads_per_block = static_cast<int>(threads);
    attributes->ptx_version = static_cast<int>(r.kernel_of(function).image->capability);
    attributes->binary_version = static_cast<int>(r.capability());
    attributes->max_dynamic_shared_bytes = static_cast<int>(machine.sm.shared.bytes - kernel.static_shared_bytes);
    attributes->carveout = -1;
    return Error::Success;
  });
}

CUDA_FUNCTION(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
(int* blocks, const void* function, int threads, size_t shared) {
  CUDA_NEEDS(blocks);
  return call([&](Runtime& r) {
    if (threads <= 0) return Error::InvalidValue;
    const sim::ChipConfig& chip = r.machine().chip;
    const bool fits = static_cast<uint32_t>(threads) <= r.machine().sm.max_threads_per_block;
    const uint64_t all = fits ? blocks_at_once(r, r.ptx_of(r.kernel_of(function)), static_cast<uint32_t>(threads),
                                               static_cast<uint32_t>(std::min<size_t>(shared, 0xffffffff)))
                              : 0;
    *blocks = static_cast<int>(all / (chip.tpcs * chip.sms_per_tpc));
    return Error::Success;
  });
}

CUDA_FUNCTION(cudaFuncSetAttribute)(const void* function, int attribute, int value) {
  return call([&](Runtime& r) {
    constexpr int kDynamicSharedBytes = 8, kLast = 14;
    const ptx::Kernel& kernel = r.ptx_of(r.kernel_of(function));
    const uint32_t bytes = r.machine().sm.shared.bytes;
    const bool is_bytes = attribute == kDynamicSharedBytes;
    if (attribute < kDynamicSharedBytes || attribute > kLast) return Error::InvalidValue;
    if (is_bytes && (value < 0 || static_cast<uint32_t>(value) + kernel.static_shared_bytes > bytes))
      return Error::InvalidValue;
    return Error::Success;
  });
}

}  // namespace warptime::cuda
