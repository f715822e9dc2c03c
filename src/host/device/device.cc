// The device behind host/device/device.h: one Gpu over one DeviceMemory, and the clock of the host program
// (host_clock.h).
#include "host/device/device.h"

#include <fmt/format.h>

#include <cstring>

#include "base/assert.h"
#include "base/missing_file.h"
#include "base/plural.h"
#include "host/device/device_impl.h"
#include "ptx/load_module.h"
#include "sim/gpu/launch_observer.h"
#include "sim/model/machine_loader.h"

namespace warptime::host {

void throw_error(std::string message, std::string hint) {
  Diagnostics diagnostics;
  diagnostics.error({}, std::move(message), std::move(hint));
  throw InputError(diagnostics.to_text());
}

// Global variables become allocations of their own, so that an overrun of one is caught like that of a buffer.
void Device::Impl::place_variables(LoadedModule& module, const std::map<std::string, Addr>& places,
                                   Diagnostics& diagnostics) {
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
      std::optional<Addr> place;
      if (auto wanted = places.find(symbol.name); wanted == places.end())
        place = memory.allocate(symbol.size, symbol.name, symbol.alignment);
      else if (memory.allocate_at(wanted->second, symbol.size, symbol.name)) place = wanted->second;
      if (!place)
        diagnostics.error(symbol.where, fmt::format("variable \"{}\" ({}) does not fit in device memory: {} of "
                                                    "{} bytes are free (memory.bytes)",
                                                    symbol.name, plural(symbol.size, "byte"), memory.bytes_free(),
                                                    machine.config.memory.bytes));
      address = place.value_or(0);
      if (auto* follower = launch_observer(); place && follower != nullptr)
        follower->host_allocates(address, symbol.size, true);
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
    if (auto* follower = launch_observer()) follower->host_allocates(*begin, bytes, false);
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
  if (!constant) return memory.at(module.addresses[symbol]);
  std::byte* constants = module.constants_at ? memory.at(*module.constants_at) : module.constants.data();
  return constants + module.addresses[symbol];
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
  if (slot.kernel == nullptr && slot.refused.empty()) {
    Diagnostics diagnostics;
    auto compiled = sim::decode(
        module.ptx, kernel, module.addresses, machine.config, diagnostics,
        [&](std::string_view feature) { return sim::machines_with_feature(machine.folder, feature); },
        options.assumptions);
    if (compiled == nullptr || diagnostics.has_errors()) slot.refused = diagnostics.to_text();
    else slot.kernel = std::move(compiled);
    if (slot.kernel != nullptr && gpu.keeps_caches())
      slot.code_offset = place_behind(next_code, slot.kernel->native.code_bytes);
  }
  if (slot.kernel == nullptr) throw InputError(slot.refused);
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
const std::vector<sim::LaunchStatistics>& Device::launches() const {
  impl_->run_queue();
  return impl_->launches;
}
const std::vector<TimelineEvent>& Device::timeline() const {
  impl_->run_queue();
  return impl_->clock.timeline();
}
void Device::observe(RunObserver* observer) {
  impl_->run_queue();
  impl_->observer = observer;
}
void Device::checkpoint(Checkpoints* checkpoints) { impl_->checkpoints = checkpoints; }
double Device::simulate_seconds() const {
  impl_->run_queue();
  return impl_->simulate_seconds;
}

ModuleRef Device::load_module(std::shared_ptr<const SourceText> source, const std::map<std::string, Addr>& places) {
  impl_->run_queue();
  Diagnostics diagnostics;
  diagnostics.keep(source);
  auto module = std::make_shared<LoadedModule>();
  module->ptx = ptx::load_module(source, diagnostics);
  if (module->ptx == nullptr || diagnostics.has_errors()) throw InputError(diagnostics.to_text());
  impl_->place_variables(*module, places, diagnostics);
  if (diagnostics.has_errors()) throw InputError(diagnostics.to_text());
  module->constants.resize(module->ptx->const_bytes);
  if (impl_->gpu.keeps_caches())
    module->constant_offset = place_behind(impl_->next_constants, module->constants.size());
  impl_->write_initial_values(*module);
  impl_->warnings += diagnostics.to_text();
  if (impl_->checkpoints != nullptr) impl_->checkpoints->module(source->text());
  if (impl_->real != nullptr) impl_->real->load(module->ptx);
  return module;
}

ModuleRef Device::load_module_file(const std::string& path) {
  std::string why;
  auto source = SourceText::read_file(path, &why);
  if (source == nullptr) throw InputError(format_diagnostic(cannot_read(path, why, {})));
  return load_module(std::move(source));
}

}  // namespace warptime::host
