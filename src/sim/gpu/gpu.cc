#include "sim/gpu/gpu.h"

#include <algorithm>

#include "base/assert.h"
#include "base/state_archive.h"
#include "sim/gpu/run.h"
#include "sim/gpu/sampler.h"
#include "sim/gpu/session.h"
#include "sim/gpu/thread_team.h"
#include "sim/mem/chip_contents.h"
#include "sim/mem/memory_system.h"
#include "sim/mem/memory_view.h"
#include "sim/model/block_log.h"
#include "sim/model/trace.h"
#include "sim/state/launch_context.h"
#include "sim/state/launch_rows.h"

namespace warptime::sim {

struct Gpu::Impl {
  Impl(const MachineConfig& machine_config, DeviceMemory& device_memory)
      : machine(machine_config), memory(device_memory), system(machine, device_memory), sampler(memory, system) {}

  bool is_functional(const RunOptions& options) const { return options.functional || !machine.has_timing; }

  ThreadTeam& team_of(const RunOptions& options) {
    uint32_t tasks = is_functional(options) ? sm_count(machine) : machine.chip.tpcs;
    uint32_t threads = options.needs().observer != nullptr ? 1 : std::clamp(options.threads, 1u, tasks);
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

namespace {

// Where caches see constant memory, kernel parameters in it, and code: above local memory, which is above all device
// memory. Whole interleaving rounds apart, so that what is where does not depend on how much local memory a kernel has.
constexpr Addr kApart = Addr{1} << 36;
Addr constant_base(const MachineConfig& machine) { return (machine.memory.bytes / kApart + 1) * kApart; }

/// Where a launch's blocks, parameters and state spaces are; and into its statistics, how many blocks fit on an SM.
LaunchContext context_of(const Launch& launch, const MachineConfig& machine, const DeviceMemory& memory,
                         LaunchStatistics& statistics, bool timed = true) {
  const ptx::Kernel& kernel = *launch.kernel->kernel;
  LaunchContext context;
  context.machine = &machine;
  context.kernel = launch.kernel;
  context.memory = &memory;
  context.grid = launch.grid;
  context.block = launch.block;
  context.cluster = launch.cluster;
  context.explicit_cluster = launch.explicit_cluster;
  context.cluster_blocks = launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  context.threads_per_block = launch.block[0] * launch.block[1] * launch.block[2];
  context.warps_per_block = (context.threads_per_block + kWarpSize - 1) / kWarpSize;
  context.shared_bytes = kernel.static_shared_bytes + launch.dynamic_shared_bytes;
  context.parameters = launch.parameters;
  context.constants = launch.constants;
  context.textures = launch.textures;
  context.grid_workspace = launch.grid_workspace;
  fill_rows(context);
  context.local_bytes = launch.kernel->local_bytes;
  context.local_base = machine.memory.bytes;
  context.parameter_base = constant_base(machine) + kApart;
  context.constant_base = constant_base(machine) + launch.constant_offset;
  context.code_base = context.parameter_base + kApart + launch.code_offset;

  uint32_t registers = launch.registers_per_thread != 0
                           ? launch.registers_per_thread
                           : registers_allocated(machine, kernel, context.threads_per_block);
  statistics.kernel = kernel.name;
  statistics.grid = launch.grid;
  statistics.block = launch.block;
  const uint32_t shared = shared_bytes_per_block(machine, kernel, launch.dynamic_shared_bytes);
  statistics.occupancy = occupancy(machine, context.threads_per_block, registers, shared);
  context.need = {context.warps_per_block, context.threads_per_block,
                  registers_per_block(machine, context.threads_per_block, registers),
                  allocated_shared(machine, shared)};
  statistics.occupancy.registers_estimated = registers_estimated(machine, kernel);
  statistics.occupancy.registers_over_limit = registers_over_limit(machine, kernel, registers);
  context.in_clusters = context.cluster_blocks > 1 || context.explicit_cluster;
  context.clusters_apart = timed && context.in_clusters;
  // Without time, an SM has whole clusters, and needs no more than slots for their blocks.
  context.blocks_per_sm = statistics.occupancy.blocks_per_sm;
  if (!timed)
    context.blocks_per_sm = std::max(context.blocks_per_sm / context.cluster_blocks, 1u) * context.cluster_blocks;
  SIM_ASSERT(statistics.occupancy.blocks_per_sm > 0, "kernel {} was launched although no block fits", kernel.name);

  return context;
}

/// Where shared memory and L1 are one array: the machine as launches that run together divide it, which becomes theirs.
std::unique_ptr<const MachineConfig> divide_array(std::span<LaunchContext> launches) {
  if (launches.empty() || launches.front().machine->l1.array_bytes == 0) return nullptr;
  uint64_t shared = 0;
  for (const LaunchContext& launch : launches)
    shared = std::max(shared, launch.need.shared_bytes * uint64_t{launch.blocks_per_sm});
  auto machine = std::make_unique<MachineConfig>(*launches.front().machine);
  machine->l1.cache.bytes = l1_bytes_beside(*machine, shared);
  for (LaunchContext& launch : launches) launch.machine = machine.get();
  return machine;
}

}  // namespace

struct Session::Impl {
  Impl(Launch&& l, RunOptions&& o, Gpu::Impl& g, LaunchStatistics& s)
      : launch(std::move(l)), options(std::move(o)), gpu(g), statistics(s) {
    gpu.system.begin_launch();
    begin();
  }

  void begin() {
    context = context_of(launch, gpu.machine, gpu.memory, statistics, !gpu.is_functional(options));
    divided = divide_array({&context, 1});
    context.slots_by_instruction = context.lines = options.per_instruction;
    ThreadTeam& team = gpu.team_of(options);
    if (gpu.is_functional(options)) {
      run = begin_functional(context, launch, options, gpu.memory, team, statistics);
    } else {
      gpu.system.reset(context.lines);
      timed = {.context = &context, .launch = &launch, .statistics = &statistics};
      run = begin_timed(std::span(&timed, 1), options, gpu.system, team);
    }
  }
  /// `goes_on`: what a step has said. Only a timed launch that has ended leaves what its caches hold to the next.
  bool stepped(bool goes_on) {
    if (!goes_on && !run->fault() && statistics.timed) leave_contents(*run, std::span(&context, 1), gpu.system);
    return goes_on;
  }
  /// The bytes of all allocations, and the heap.
  template <class Archive>
  void serialize_memory(Archive& archive) {
    for (const DeviceMemory::Allocation& allocation : gpu.memory.allocations()) {
      uint64_t begin = allocation.begin, bytes = allocation.bytes;
      archive(begin, bytes);
      if (begin != allocation.begin || bytes != allocation.bytes)
        throw StateError("other allocations in device memory");
      archive.bytes(gpu.memory.at(begin), bytes);
    }
    if (launch.heap != nullptr) archive(*launch.heap);
  }

  Launch launch;
  RunOptions options;
  Gpu::Impl& gpu;
  LaunchStatistics& statistics;
  LaunchContext context;
  std::unique_ptr<const MachineConfig> divided;  // of divide_array
  TimedLaunch timed;
  std::unique_ptr<Run> run;
};

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

bool Session::step(Cycle until) { return impl_->stepped(impl_->run->step(until)); }
bool Session::step_within(Cycle until, Cycle limit) { return impl_->stepped(impl_->run->step_within(until, limit)); }
Cycle Session::now() const { return impl_->run->now(); }
uint64_t Session::ended_blocks() const { return impl_->run->ended_blocks(); }
const std::optional<Fault>& Session::fault() const { return impl_->run->fault(); }
const SmState* Session::sm(uint32_t index) const { return impl_->run->sm(index); }
std::optional<SmTimes> Session::times(uint32_t sm) const { return impl_->run->times(sm); }
std::vector<PartitionView> Session::partitions(std::optional<Addr> address) const {
  return impl_->gpu.system.view(address);
}
std::string_view Session::why_not_saved() const { return impl_->run->why_not_saved(); }

Snapshot Session::save() const {
  SIM_ASSERT(why_not_saved().empty(), "a launch is saved although {}", why_not_saved());
  std::vector<std::byte> state;
  StateWriter archive(state);
  impl_->run->save(archive);
  impl_->serialize_memory(archive);
  return {now(), std::move(state)};
}

void Session::restore(const Snapshot& snapshot) {
  impl_->run.reset();
  impl_->statistics = {};
  impl_->begin();
  StateReader archive(snapshot.state());
  archive.limits.memory = impl_->gpu.memory.end();
  impl_->run->restore(archive);
  impl_->serialize_memory(archive);
  if (archive.left() != 0) throw StateError("the state is too long");
}

Gpu::Gpu(const MachineConfig& machine, DeviceMemory& memory) : impl_(std::make_unique<Impl>(machine, memory)) {}
Gpu::~Gpu() = default;

DeviceMemory& Gpu::memory() { return impl_->memory; }
MemorySystem& Gpu::memory_system() { return impl_->system; }
const MachineConfig& Gpu::machine() const { return impl_->machine; }

bool Gpu::keeps_caches() const { return impl_->system.contents().keeps_caches(); }
void Gpu::host_writes(Addr begin, uint64_t bytes) {
  ChipContents& contents = impl_->system.contents();
  contents.written(ReadKind::Data, begin, bytes);
  // The lines of a CUDA array hold its texels in another order than that of its bytes.
  if (contents.empty()) return;
  if (const DeviceMemory::Allocation* buffer = impl_->memory.find(begin, bytes))
    contents.written(ReadKind::Texture, buffer->begin, buffer->bytes);
}
void Gpu::host_writes_constants(Addr offset, uint64_t bytes) {
  impl_->system.contents().written(ReadKind::Constant, constant_base(impl_->machine) + offset, bytes);
}

Session Gpu::begin(Launch launch, RunOptions options, LaunchStatistics& statistics) {
  return Session(std::make_unique<Session::Impl>(std::move(launch), std::move(options), *impl_, statistics));
}

namespace {

/// The end of a launch, for those who show the progress of a run.
void report_end(const Launch& launch, const RunOptions& options, const LaunchStatistics& statistics) {
  if (!options.needs().progress) return;
  uint64_t blocks =
      launch.blocks.empty() ? uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2] : launch.blocks.size();
  options.listener->progress({.kernel = statistics.kernel,
                              .timed = statistics.timed,
                              .now = statistics.timed ? statistics.cycles : statistics.counts.warp_instructions,
                              .ended_blocks = blocks,
                              .blocks = blocks,
                              .share = 1,
                              .is_end = true,
                              .counts = [&statistics] {
                                RunCounts counts{.warp_instructions = statistics.counts.warp_instructions};
                                if (statistics.timed && statistics.attributed) counts.issue = statistics.issue;
                                return counts;
                              }});
}

}  // namespace

std::optional<Fault> Gpu::run(const Launch& launch, const RunOptions& options, LaunchStatistics& statistics) {
  const LaunchNeeds needs = options.needs();
  if (needs.drives) return options.listener->drive(*this, launch, options, statistics);
  const bool in_part = options.sampling == Sampling::FullValues || options.sampling == Sampling::Timing;
  const bool sampled =
      options.sampling != Sampling::Off && !(in_part && needs.trace != nullptr) && !impl_->is_functional(options);
  if (!sampled) {
    Session session = begin(launch, options, statistics);
    if (needs.visits)
      while (session.step(options.listener->visit(session))) continue;
    else session.step(kNever);
    report_end(launch, options, statistics);
    return session.fault();
  }
  LaunchContext context = context_of(launch, impl_->machine, impl_->memory, statistics);
  const auto divided = divide_array({&context, 1});
  context.lines = options.per_instruction;
  impl_->system.begin_launch();
  auto fault = impl_->sampler.run(context, launch, options, impl_->team_of(options), statistics);
  statistics.time_us = time_of(impl_->machine, statistics.cycles);
  report_end(launch, options, statistics);
  return fault;
}

LaunchNeeds RunOptions::needs() const {
  LaunchNeeds needs = listener != nullptr ? listener->needs() : LaunchNeeds();
  if (needs.trace != nullptr && needs.trace->launch != launch) needs.trace = nullptr;
  if (needs.blocks != nullptr && needs.blocks->launch != launch) needs.blocks = nullptr;
  return needs;
}

bool may_overlap(const RunOptions& options) {
  return options.sampling == Sampling::Off && !options.needs().follows_single_launch();
}

namespace {

/// Gives launches that run side by side local memory and parameters at addresses of their own, for caches and DRAM.
/// Code and constants have theirs (Launch::code_offset).
void set_apart(std::vector<LaunchContext>& launches) {
  constexpr Addr kOfLaunch = Addr{1} << 28;
  Addr local = 0;
  for (size_t i = 0; i < launches.size(); ++i) {
    LaunchContext& launch = launches[i];
    launch.parameter_base += kOfLaunch * i;
    launch.local_base += local;
    const uint64_t threads = uint64_t{sm_count(*launch.machine)} * launch.machine->sm.max_warps * kWarpSize;
    local += (threads * launch.local_bytes + kOfLaunch - 1) / kOfLaunch * kOfLaunch;
  }
}

}  // namespace

std::optional<Fault> Gpu::run(std::span<QueuedLaunch> launches, const RunOptions& options) {
  bool together = launches.size() > 1 && impl_->machine.chip.concurrent_kernels > 1 && !impl_->is_functional(options);
  RunOptions one = options;
  for (; together && one.launch < options.launch + launches.size(); ++one.launch) together = may_overlap(one);
  if (!together) {
    Cycle now = 0;
    RunOptions each = options;
    for (QueuedLaunch& queued : launches) {
      queued.begin = std::max(now, queued.arrival);
      auto fault = run(queued.launch, each, queued.statistics);
      now = queued.end = queued.begin + queued.statistics.cycles;
      if (fault) return fault;
      ++each.launch;
    }
    return std::nullopt;
  }
  std::vector<LaunchContext> contexts;
  contexts.reserve(launches.size());
  std::vector<TimedLaunch> timed;
  for (QueuedLaunch& queued : launches) {
    LaunchContext& context =
        contexts.emplace_back(context_of(queued.launch, impl_->machine, impl_->memory, queued.statistics));
    context.number = static_cast<uint32_t>(timed.size());
    context.slots_by_instruction = context.lines = options.per_instruction;
    timed.push_back({&context, &queued.launch, &queued.statistics, queued.arrival, queued.after});
  }
  const auto divided = divide_array(contexts);
  set_apart(contexts);
  impl_->system.begin_launch();
  impl_->system.reset(true);
  std::unique_ptr<Run> run = begin_timed(timed, options, impl_->system, impl_->team_of(options));
  run->step(kNever);
  if (!run->fault()) leave_contents(*run, contexts, impl_->system);
  for (size_t i = 0; i < timed.size(); ++i) {
    launches[i].begin = timed[i].begin;
    launches[i].end = timed[i].end;
    launches[i].statistics.timed = timed[i].end != 0;
  }
  return run->fault();
}

}  // namespace warptime::sim
