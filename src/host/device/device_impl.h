// What a Device consists of; for the files that implement device.h.
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/checkpoint/checkpoints.h"
#include "host/device/device.h"
#include "host/device/host_clock.h"
#include "host/device/real_device.h"
#include "host/device/shared_pages.h"
#include "sim/gpu/gpu.h"
#include "sim/model/machine.h"
#include "sim/model/statistics.h"

namespace warptime::host {

class LoadedModule {
 public:
  std::shared_ptr<const ptx::Module> ptx;
  sim::SymbolAddresses addresses;
  std::vector<std::byte> constants;  // the .const image
  std::optional<Addr> constants_at;  // where it is in device memory instead (Device::find_constant)
  Addr constant_offset = 0;          // sim::Launch
  // Decoded once, at the first launch.
  struct Compiled {
    std::unique_ptr<const sim::CompiledKernel> kernel;  // nullptr: not compiled, or refused
    std::string refused;                                // why
    Addr code_offset = 0;                               // sim::Launch
  };
  std::map<const ptx::Kernel*, Compiled> compiled;
};

struct Device::Impl {
  Impl(sim::Machine m, sim::RunOptions o)
      : machine(std::move(m)),
        options(std::move(o)),
        memory(machine.config.memory.bytes, machine.config.memory.allocation_alignment),
        gpu(machine.config, memory),
        clock(machine.config.host) {
    if (!machine.config.has_timing) options.functional = true;
  }

  /// What follows the functional launches, and is notified of the host's use of device memory; nullptr: nothing does.
  sim::LaunchObserver* launch_observer() const { return options.needs().observer; }
  /// A launch that waits to run beside others.
  struct Queued {
    sim::QueuedLaunch launch;
    ModuleRef module;  // which its code and constants belong to
    Stream stream;
    double called_us = 0, earliest_us = 0;  // when the host called, and when it may begin at the earliest
    std::shared_ptr<PendingLaunch::State> state;
  };

  sim::Machine machine;
  sim::RunOptions options;
  sim::DeviceMemory memory;
  SharedPages shared;
  sim::Gpu gpu;
  std::vector<sim::LaunchStatistics> launches;
  std::vector<Queued> queue;
  uint64_t launch_count = 0;
  RunObserver* observer = nullptr;
  Checkpoints* checkpoints = nullptr;
  RealDevice* real = nullptr;  // does it all in place of the simulator
  HostClock clock;             // stands still in a functional run, which has no time
  double simulate_seconds = 0;
  std::string warnings;
  std::vector<Figure> figures;
  std::vector<sim::Texture> textures;      // handle h is the one at h - 1
  std::vector<uint64_t> free_textures;     // handles
  std::map<uint32_t, Addr> workspaces;     // of cooperative grids, by stream
  sim::DeviceHeap heap;                    // placed when the first kernel that uses it is launched
  Addr next_code = 0, next_constants = 0;  // offsets for the next kernel, and the next module

  /// The heap of malloc and free in device code.
  sim::DeviceHeap& placed_heap(Diagnostics& diagnostics, const SourceSpan& where);
  /// The last event of the clock goes to the observer.
  void publish_event() {
    if (observer == nullptr) return;
    observer->event(clock.timeline().back());
    clock.forget_timeline();
  }

  /// Its handle.
  uint64_t new_texture(const sim::Texture& texture) {
    if (free_textures.empty()) {
      textures.push_back(texture);
      return textures.size();
    }
    const uint64_t handle = free_textures.back();
    free_textures.pop_back();
    textures[handle - 1] = texture;
    return handle;
  }
  /// For the barrier of a cooperative grid: those of one stream run one after the other. Throws InputError.
  Addr grid_workspace(Stream stream);
  void check(const sim::Texture& texture) const;
  /// After its memory was freed.
  void unbind_textures(const Buffer& freed);
  /// Throws InputError.
  void check(Stream stream) const;
  /// Errors where the kernel reads a .texref that is not bound.
  void check_bindings(const LoadedModule& module, const ptx::Kernel& kernel, Diagnostics& diagnostics) const;

  void place_variables(LoadedModule& module, const std::map<std::string, Addr>& places, Diagnostics& diagnostics);
  void write_initial_values(LoadedModule& module);
  std::byte* variable_bytes(LoadedModule& module, size_t symbol);
  /// The constants that were written in device memory become the module's.
  void take_constants(LoadedModule& module);
  /// The part of a variable; throws InputError if there is none, or not so much of it.
  struct VariablePart {
    size_t symbol;
    std::byte* bytes;
  };
  VariablePart part_of(LoadedModule& module, std::string_view symbol, uint64_t offset, uint64_t bytes);
  void write_part(LoadedModule& module, const VariablePart& part, uint64_t offset, std::span<const std::byte> from);
  /// Where [from, from + bytes) lies; throws InputError unless all of it is allocated. `act`: "the host writes".
  std::byte* allocated(Addr from, uint64_t bytes, std::string_view act);
  /// How long the DRAM takes to move so many bytes, at its peak.
  double dram_us(uint64_t bytes) const;
  sim::Launch prepare(const ModuleRef& module, std::string_view kernel_name, Dim3 grid, Dim3 block,
                      const std::vector<Argument>& arguments, const LaunchOptions& asked);
  const sim::LaunchStatistics& record(sim::LaunchStatistics statistics);
  LaunchResult launch_real(const ModuleRef& module, std::string_view kernel_name, Dim3 grid, Dim3 block,
                           const std::vector<Argument>& arguments, const LaunchOptions& asked);
  /// Whether such a launch waits in the queue.
  bool queues(const LaunchOptions& asked) const;
  /// Runs what is in the queue. Before anything that may depend on it, or that it may depend on. Throws FaultError.
  void run_queue();
  const LoadedModule::Compiled& compile(LoadedModule& module, const ptx::Kernel& kernel);
};

[[noreturn]] void throw_error(std::string message, std::string hint = {});

inline bool is_variable(const ptx::Symbol& symbol) {
  return symbol.space == ptx::Space::Global || symbol.space == ptx::Space::Const;
}

}  // namespace warptime::host
