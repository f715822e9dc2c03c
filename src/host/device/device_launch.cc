// Launches of a device: what a launch is of, and when it runs. One of the default stream runs at once. Those of other
// streams wait in a queue (Device::enqueue) until something depends on them; then all of the queue run, side by side
// where the machine can.
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

#include "host/device/arguments.h"
#include "host/device/device_impl.h"
#include "host/device/kernel_of_module.h"
#include "host/device/launch_limits.h"
#include "sim/gpu/launch_observer.h"
#include "sim/gpu/sample_plan.h"

namespace warptime::host {

LaunchResult::LaunchResult(const sim::LaunchStatistics& counted)
    : timed(counted.timed),
      cycles(counted.cycles),
      time_us(counted.time_us),
      counted_(std::make_shared<sim::LaunchStatistics>(counted)) {}

LaunchResult::operator sim::LaunchStatistics() const { return *counted_; }

/// Where the result of a queued launch comes to be.
struct PendingLaunch::State {
  Device::Impl* device = nullptr;
  std::optional<LaunchResult> result;
  std::optional<sim::Fault> fault;  // that ended the run before its end
};

LaunchResult PendingLaunch::result() const {
  if (!state_->result && !state_->fault) state_->device->run_queue();
  if (state_->fault) throw FaultError(*state_->fault);
  return *state_->result;
}

namespace {

/// Arguments without those that are addresses of buffers, in words of 8 bytes: what makes launches of a kernel alike.
std::vector<std::byte> scalars_of(std::vector<std::byte> parameters, const ptx::Kernel& kernel,
                                  const sim::DeviceMemory& memory) {
  for (uint32_t index : kernel.parameters) {
    const ptx::Symbol& parameter = kernel.symbols[index];
    Addr word = 0;
    for (uint64_t at = 0; at + sizeof word <= parameter.size; at += sizeof word) {
      std::byte* place = parameters.data() + parameter.offset + at;
      std::memcpy(&word, place, sizeof word);
      if (memory.find(word, 1) != nullptr) std::memset(place, 0, sizeof word);
    }
  }
  return parameters;
}

/// The grid's blocks, cluster by cluster; none if that is the order of their numbers.
std::vector<uint64_t> blocks_by_cluster(Dim3 grid, Dim3 cluster) {
  std::vector<uint64_t> out;
  if (cluster.y == 1 && cluster.z == 1) return out;
  auto for_each = [](Dim3 from, Dim3 to, Dim3 step, const auto& f) {
    for (uint32_t z = from.z; z < to.z; z += step.z)
      for (uint32_t y = from.y; y < to.y; y += step.y)
        for (uint32_t x = from.x; x < to.x; x += step.x) f(Dim3{x, y, z});
  };
  for_each({0, 0, 0}, grid, cluster, [&](Dim3 first) {
    const Dim3 end{first.x + cluster.x, first.y + cluster.y, first.z + cluster.z};
    for_each(first, end, {1, 1, 1}, [&](Dim3 at) { out.push_back((uint64_t{at.z} * grid.y + at.y) * grid.x + at.x); });
  });
  return out;
}

}  // namespace

/// Checks a launch. Throws InputError.
sim::Launch Device::Impl::prepare(const ModuleRef& module, std::string_view kernel_name, Dim3 grid, Dim3 block,
                                  const std::vector<Argument>& arguments, const LaunchOptions& asked) {
  Diagnostics diagnostics;
  const ptx::Kernel* kernel = &kernel_of(*module->ptx, kernel_name, asked.where);
  // What the machine cannot do at all comes before how much of it fits.
  check(asked.stream);
  sim::Launch launch;
  check_declared_memory(machine, *module->ptx, *kernel, diagnostics);
  if (diagnostics.has_errors()) throw InputError(diagnostics.to_text());
  const LoadedModule::Compiled& compiled = compile(*module, *kernel);
  launch.kernel = compiled.kernel.get();
  launch.code_offset = compiled.code_offset;
  launch.constant_offset = module->constant_offset;
  kernel = launch.kernel->kernel;
  launch.parameters = pack_arguments(*module->ptx, *kernel, arguments, asked.where, diagnostics);
  LaunchOptions checked = asked;
  checked.functional = asked.functional || options.functional;
  check_launch_limits(machine, *kernel, grid, block, checked, diagnostics);
  check_bindings(*module, *kernel, diagnostics);
  if (asked.cooperative) launch.grid_workspace = grid_workspace(asked.stream);
  if (launch.kernel->uses_heap) launch.heap = &placed_heap(diagnostics, asked.where);
  if (diagnostics.has_errors()) throw InputError(diagnostics.to_text());

  launch.grid = {grid.x, grid.y, grid.z};
  launch.block = {block.x, block.y, block.z};
  const Dim3 cluster = cluster_of(*kernel, asked);
  launch.cluster = {cluster.x, cluster.y, cluster.z};
  launch.explicit_cluster = kernel->required_cluster[0] != 0 || asked.cluster.x != 0;
  launch.dynamic_shared_bytes = asked.dynamic_shared_bytes;
  launch.registers_per_thread = registers_per_thread(machine, *kernel, block.x * block.y * block.z, asked);
  if (options.sampling == sim::Sampling::FirstLaunches) launch.scalars = scalars_of(launch.parameters, *kernel, memory);
  if (!options.functional && !asked.functional)
    warn_of_spills(machine, *kernel, launch.registers_per_thread, diagnostics);
  if (std::string text = diagnostics.to_text(); warnings.find(text) == std::string::npos) warnings += text;
  take_constants(*module);
  launch.constants = module->constants;
  launch.textures = textures;
  launch.blocks = asked.blocks.empty() ? blocks_by_cluster(grid, cluster) : asked.blocks;
  return launch;
}

Addr Device::Impl::grid_workspace(Stream stream) {
  constexpr uint64_t kBytes = 64;
  Addr& at = workspaces[stream.id];
  if (at == 0) {
    const auto place = memory.allocate(kBytes, "grid barrier", 0);
    if (!place) throw_error("the workspace of a cooperative launch (64 bytes) does not fit in device memory");
    if (auto* follower = launch_observer()) follower->host_allocates(*place, kBytes, true);
    at = *place;
  }
  std::memset(memory.at(at), 0, kBytes);  // a launch that faulted may have left it in between
  return at;
}

/// Keeps what was counted, or hands it to the observer.
const sim::LaunchStatistics& Device::Impl::record(sim::LaunchStatistics statistics) {
  if (observer != nullptr) launches.clear();
  launches.push_back(std::move(statistics));
  ++launch_count;
  if (observer != nullptr) observer->launch(launches.back());
  return launches.back();
}

LaunchResult Device::launch(const ModuleRef& module, std::string_view kernel_name, Dim3 grid, Dim3 block,
                            const std::vector<Argument>& arguments, const LaunchOptions& options) {
  impl_->run_queue();
  if (impl_->real != nullptr) return impl_->launch_real(module, kernel_name, grid, block, arguments, options);
  auto begin = std::chrono::steady_clock::now();
  sim::Launch launch = impl_->prepare(module, kernel_name, grid, block, arguments, options);
  sim::LaunchStatistics statistics;
  sim::RunOptions run_options = impl_->options;
  run_options.launch = impl_->launch_count;
  const bool has_clusters = launch.cluster != std::array<uint32_t, 3>{1, 1, 1};
  if (options.cooperative || has_clusters) run_options.sampling = sim::Sampling::Off;  // its blocks wait for each other
  run_options.functional = run_options.functional || options.functional;
  std::optional<sim::Fault> fault =
      impl_->checkpoints == nullptr ? impl_->gpu.run(launch, run_options, statistics)
                                    : impl_->checkpoints->run(impl_->gpu, launch, run_options, impl_->heap, statistics);
  impl_->simulate_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  if (!statistics.note.empty()) note_once(statistics.note);
  if (launch.kernel->calls_runtime && statistics.sampling && !statistics.sampling->full_values)
    note_once("no output of printf is shown: --sample=timing executes some blocks only");
  if (statistics.sampling && statistics.sampling->spread > sim::kSameInstructions)
    throw_error(fmt::format("the blocks of kernel {} that were timed differ by {:.0f} % in instructions",
                            statistics.kernel, 100 * statistics.sampling->spread),
                "--sample=timing requires blocks that execute the same instructions: use --sample");
  const sim::LaunchStatistics& done = impl_->record(std::move(statistics));
  if (!run_options.functional) {
    impl_->clock.kernel(done.kernel, done.time_us, options.synchronous, options.stream);
    impl_->publish_event();
  } else if (!impl_->options.functional) {
    impl_->clock.called();
  }
  if (fault) throw FaultError(std::move(*fault), impl_->options.all_calls);
  return LaunchResult(done);
}

bool Device::Impl::queues(const LaunchOptions& asked) const {
  sim::RunOptions one = options;
  one.launch = launch_count + queue.size();
  return asked.stream.id != 0 && !asked.synchronous && machine.config.chip.concurrent_kernels > 1 &&
         checkpoints == nullptr && !options.functional && !asked.functional && sim::may_overlap(one);
}

PendingLaunch Device::enqueue(const ModuleRef& module, std::string_view kernel_name, Dim3 grid, Dim3 block,
                              const std::vector<Argument>& arguments, const LaunchOptions& options) {
  auto state = std::make_shared<PendingLaunch::State>();
  state->device = impl_.get();
  if (!impl_->queues(options)) {
    state->result = launch(module, kernel_name, grid, block, arguments, options);
    return PendingLaunch(state);
  }
  Impl::Queued queued{.launch = {.launch = impl_->prepare(module, kernel_name, grid, block, arguments, options)},
                      .module = module,
                      .stream = options.stream,
                      .called_us = impl_->clock.now_us(),
                      .earliest_us = impl_->clock.earliest_kernel(options.stream),
                      .state = state};
  impl_->clock.called();
  // The last launch of the same stream comes before it.
  for (size_t i = impl_->queue.size(); i-- > 0 && queued.launch.after.empty();)
    if (impl_->queue[i].stream.id == options.stream.id) queued.launch.after.push_back(static_cast<uint32_t>(i));
  impl_->queue.push_back(std::move(queued));
  return PendingLaunch(state);
}

void Device::Impl::run_queue() {
  if (queue.empty()) return;
  auto begin = std::chrono::steady_clock::now();
  std::vector<Queued> taken = std::exchange(queue, {});
  double first_us = taken.front().earliest_us;
  for (const Queued& queued : taken) first_us = std::min(first_us, queued.earliest_us);
  const double mhz = machine.config.clocks.shader_mhz;
  std::vector<sim::QueuedLaunch> run;
  for (Queued& queued : taken) {
    queued.launch.arrival = static_cast<Cycle>(std::llround((queued.earliest_us - first_us) * mhz));
    run.push_back(std::move(queued.launch));
  }
  sim::RunOptions run_options = options;
  run_options.launch = launch_count;
  std::optional<sim::Fault> fault = gpu.run(run, run_options);
  simulate_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (size_t i = 0; i < run.size(); ++i) {
    taken[i].state->fault = fault;
    if (!run[i].statistics.timed) continue;  // it had not begun
    const sim::LaunchStatistics& done = record(std::move(run[i].statistics));
    clock.kernel_ran(done.kernel, taken[i].called_us, first_us + static_cast<double>(run[i].begin) / mhz,
                     first_us + static_cast<double>(run[i].end) / mhz, taken[i].stream);
    publish_event();
    taken[i].state->result.emplace(done);
  }
  if (fault) throw FaultError(std::move(*fault), options.all_calls);
}

}  // namespace warptime::host
