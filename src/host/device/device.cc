// The device behind host/device/device.h: one Gpu over one DeviceMemory, and the clock of the host program
// (host_clock.h).
#include "host/device/device.h"

#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cstring>
#include <map>

#include "base/assert.h"
#include "base/missing_file.h"
#include "base/plural.h"
#include "host/device/arguments.h"
#include "host/device/device_impl.h"
#include "host/device/kernel_of_module.h"
#include "host/device/launch_limits.h"
#include "ptx/load_module.h"
#include "sim/gpu/launch_observer.h"
#include "sim/gpu/sample_plan.h"
#include "sim/model/machine_loader.h"

namespace warptime::host {

void throw_error(std::string message, std::string hint) {
  Diagnostics diagnostics;
  diagnostics.error({}, std::move(message), std::move(hint));
  throw InputError(diagnostics.to_text());
}

// Global variables become allocations of their own, so that an overrun of one is caught like that of a buffer.
void Device::Impl::place_variables(LoadedModule& module, Diagnostics& diagnostics) {
  const ptx::Module& ptx = *module.ptx;
  if (ptx.const_bytes > machine.config.constant.bytes)
    diagnostics.error({ptx.source.get(), 0, 0},
                      fmt::format("the module declares {} of .const variables; machine \"{}\" has {} (constant.bytes)",
                                  plural(ptx.const_bytes, "byte"), machine.name, machine.config.constant.bytes));
  for (const ptx::Symbol& symbol : ptx.symbols) {
    Addr address = symbol.offset;
    if (is_variable(symbol) && symbol.external) {
      diagnostics.error(symbol.where,
                        fmt::format("variable \"{}\" is declared .extern but defined nowhere", symbol.name));
    } else if (symbol.space == ptx::Space::Global) {
      auto place = memory.allocate(symbol.size, symbol.name, symbol.alignment);
      if (!place)
        diagnostics.error(symbol.where, fmt::format("variable \"{}\" ({}) does not fit in device memory: {} of "
                                                    "{} bytes are free (memory.bytes)",
                                                    symbol.name, plural(symbol.size, "byte"), memory.bytes_free(),
                                                    machine.config.memory.bytes));
      address = place.value_or(0);
      if (place && options.observer != nullptr) options.observer->host_allocates(address, symbol.size, true);
    }
    if (symbol.space == ptx::Space::Tex) address = new_texture(sim::Texture{.name = symbol.name});
    module.addresses.push_back(address);
  }
}

sim::DeviceHeap& Device::Impl::placed_heap(Diagnostics& diagnostics, const SourceSpan& where) {
  if (heap.is_placed()) return heap;
  uint64_t bytes = machine.config.runtime.malloc_heap_bytes;
  if (auto begin = memory.allocate(bytes, "device heap", sim::DeviceHeap::kAlignment)) {
    heap.place(*begin, bytes);
    if (options.observer != nullptr) options.observer->host_allocates(*begin, bytes, false);
  } else {
    diagnostics.error(where,
                      fmt::format("the heap of malloc in device code ({}, runtime.malloc_heap_bytes) does not fit "
                                  "in device memory: {} of {} bytes are free (memory.bytes)",
                                  plural(bytes, "byte"), memory.bytes_free(), machine.config.memory.bytes));
  }
  return heap;
}

std::byte* Device::Impl::variable_bytes(LoadedModule& module, size_t symbol) {
  bool constant = module.ptx->symbols[symbol].space == ptx::Space::Const;
  return constant ? module.constants.data() + module.addresses[symbol] : memory.at(module.addresses[symbol]);
}

void Device::Impl::write_initial_values(LoadedModule& module) {
  const auto& symbols = module.ptx->symbols;
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (!is_variable(symbols[i]) || symbols[i].initial.empty()) continue;
    std::byte* bytes = variable_bytes(module, i);
    std::memcpy(bytes, symbols[i].initial.data(), symbols[i].initial.size());
    for (const ptx::Symbol::Relocation& r : symbols[i].relocations) {
      uint64_t address = r.is_function ? ptx::function_address(r.symbol) : module.addresses[r.symbol];
      address += static_cast<uint64_t>(r.addend);
      if (r.generic && !r.is_function && symbols[r.symbol].space == ptx::Space::Const)
        address += sim::GenericWindows::for_address_bytes(module.ptx->address_bytes).const_base;
      address = (address & r.mask) >> std::countr_zero(r.mask);
      std::memcpy(bytes + r.at, &address, r.bytes);
    }
  }
}

namespace {

/// `bytes` behind what has been placed before. Functions begin at multiples of 128 bytes (cuobjdump of a cubin).
Addr place_behind(Addr& next, uint64_t bytes) {
  constexpr Addr kUnit = 128;
  const Addr begin = next;
  next += (bytes + kUnit - 1) / kUnit * kUnit;
  return begin;
}

}  // namespace

const LoadedModule::Compiled& Device::Impl::compile(LoadedModule& module, const ptx::Kernel& kernel) {
  LoadedModule::Compiled& slot = module.compiled[&kernel];
  if (slot.kernel == nullptr) {
    Diagnostics diagnostics;
    slot.kernel = sim::decode(
        module.ptx, kernel, module.addresses, machine.config, diagnostics,
        [&](std::string_view feature) { return sim::machines_with_feature(machine.folder, feature); },
        options.assumptions);
    if (slot.kernel == nullptr || diagnostics.has_errors()) throw InputError(diagnostics.to_text());
    if (gpu.keeps_caches())
      slot.code_offset =
          place_behind(next_code, uint64_t{slot.kernel->native.code_end} * machine.config.instruction.bytes);
  }
  return slot;
}

Device::Device(sim::Machine machine, sim::RunOptions options)
    : impl_(std::make_unique<Impl>(std::move(machine), std::move(options))) {}
Device::~Device() = default;

const sim::Machine& Device::machine() const { return impl_->machine; }
const sim::RunOptions& Device::options() const { return impl_->options; }
const std::string& Device::warnings() const { return impl_->warnings; }

const std::vector<Figure>& Device::figures() const { return impl_->figures; }

void Device::add_figure(Figure figure) {
  for (const Figure& other : impl_->figures)
    SIM_ASSERT(other.name != figure.name, "figure {} is measured twice", figure.name);
  if (!impl_->options.functional) impl_->figures.push_back(std::move(figure));
}

void Device::note(std::string_view sentence) { impl_->warnings += fmt::format("warptime: note: {}\n", sentence); }

void Device::note_once(std::string_view sentence) {
  if (impl_->warnings.find(sentence) == std::string::npos) note(sentence);
}

const ptx::Module& Device::ptx_of(const ModuleRef& module) { return *module->ptx; }
const std::vector<sim::LaunchStatistics>& Device::launches() const { return impl_->launches; }
const std::vector<TimelineEvent>& Device::timeline() const { return impl_->clock.timeline(); }
void Device::observe(RunObserver* observer) { impl_->observer = observer; }
void Device::checkpoint(Checkpoints* checkpoints) { impl_->checkpoints = checkpoints; }
double Device::simulate_seconds() const { return impl_->simulate_seconds; }

ModuleRef Device::load_module(std::shared_ptr<const SourceText> source) {
  Diagnostics diagnostics;
  diagnostics.keep(source);
  auto module = std::make_shared<LoadedModule>();
  module->ptx = ptx::load_module(source, diagnostics);
  if (module->ptx == nullptr || diagnostics.has_errors()) throw InputError(diagnostics.to_text());
  impl_->place_variables(*module, diagnostics);
  if (diagnostics.has_errors()) throw InputError(diagnostics.to_text());
  module->constants.resize(module->ptx->const_bytes);
  if (impl_->gpu.keeps_caches())
    module->constant_offset = place_behind(impl_->next_constants, module->constants.size());
  impl_->write_initial_values(*module);
  impl_->warnings += diagnostics.to_text();
  if (impl_->checkpoints != nullptr) impl_->checkpoints->module(source->text());
  return module;
}

ModuleRef Device::load_module_file(const std::string& path) {
  std::string why;
  auto source = SourceText::read_file(path, &why);
  if (source == nullptr) throw InputError(format_diagnostic(cannot_read(path, why, {})));
  return load_module(std::move(source));
}

LaunchResult::LaunchResult(const sim::LaunchStatistics& counted)
    : timed(counted.timed),
      cycles(counted.cycles),
      time_us(counted.time_us),
      counted_(std::make_shared<sim::LaunchStatistics>(counted)) {}

LaunchResult::operator sim::LaunchStatistics() const { return *counted_; }

LaunchResult Device::launch(const ModuleRef& module, std::string_view kernel_name, Dim3 grid, Dim3 block,
                            const std::vector<Argument>& arguments, const LaunchOptions& options) {
  Diagnostics diagnostics;
  const ptx::Kernel* kernel = &kernel_of(*module->ptx, kernel_name, options.where);
  // What the machine cannot do at all comes before how much of it fits.
  impl_->check(options.stream);
  auto begin = std::chrono::steady_clock::now();
  sim::Launch launch;
  check_declared_memory(impl_->machine, *module->ptx, *kernel, diagnostics);
  if (diagnostics.has_errors()) throw InputError(diagnostics.to_text());
  const LoadedModule::Compiled& compiled = impl_->compile(*module, *kernel);
  launch.kernel = compiled.kernel.get();
  launch.code_offset = compiled.code_offset;
  launch.constant_offset = module->constant_offset;
  kernel = launch.kernel->kernel;
  launch.parameters = pack_arguments(*module->ptx, *kernel, arguments, options.where, diagnostics);
  check_launch_limits(impl_->machine, *kernel, grid, block, options, diagnostics);
  impl_->check_bindings(*module, *kernel, diagnostics);
  if (launch.kernel->uses_heap) launch.heap = &impl_->placed_heap(diagnostics, options.where);
  if (diagnostics.has_errors()) throw InputError(diagnostics.to_text());

  launch.grid = {grid.x, grid.y, grid.z};
  launch.block = {block.x, block.y, block.z};
  launch.dynamic_shared_bytes = options.dynamic_shared_bytes;
  launch.registers_per_thread = registers_per_thread(impl_->machine, *kernel, block.x * block.y * block.z, options);
  if (!impl_->options.functional) warn_of_spills(impl_->machine, *kernel, launch.registers_per_thread, diagnostics);
  if (std::string text = diagnostics.to_text(); impl_->warnings.find(text) == std::string::npos)
    impl_->warnings += text;
  launch.constants = module->constants;
  launch.textures = impl_->textures;
  launch.blocks = options.blocks;

  sim::LaunchStatistics statistics;
  sim::RunOptions run_options = impl_->options;
  run_options.launch = impl_->launch_count;
  if (run_options.trace != nullptr && run_options.trace->launch != run_options.launch) run_options.trace = nullptr;
  if (run_options.blocks != nullptr && run_options.blocks->launch != run_options.launch) run_options.blocks = nullptr;
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
  if (impl_->observer != nullptr) impl_->launches.clear();
  impl_->launches.push_back(std::move(statistics));
  ++impl_->launch_count;
  const sim::LaunchStatistics& done = impl_->launches.back();
  if (impl_->observer != nullptr) impl_->observer->launch(done);
  if (!impl_->options.functional) {
    impl_->clock.kernel(done.kernel, done.time_us, options.synchronous, options.stream);
    impl_->publish_event();
  }
  if (fault) throw FaultError(std::move(*fault), impl_->options.all_calls);
  return LaunchResult(done);
}

}  // namespace warptime::host
