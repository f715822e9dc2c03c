// Variables of modules as host programs use them.
#include <cstring>

#include "base/plural.h"
#include "host/device/device_impl.h"
#include "sim/gpu/launch_observer.h"

namespace warptime::host {

Device::Impl::VariablePart Device::Impl::part_of(LoadedModule& module, std::string_view symbol, uint64_t offset,
                                                 uint64_t bytes) {
  std::vector<std::string_view> names;
  const auto& symbols = module.ptx->symbols;
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (!is_variable(symbols[i])) continue;
    names.push_back(symbols[i].name);
    if (symbols[i].name != symbol) continue;
    if (offset > symbols[i].size || bytes > symbols[i].size - offset)
      throw_error(fmt::format("variable \"{}\" has {}; those from {} to {} are not all in it", symbol,
                              plural(symbols[i].size, "byte"), offset, offset + bytes));
    return {i, variable_bytes(module, i) + offset};
  }
  throw_error(fmt::format("the module has no .const or .global variable \"{}\"", symbol), did_you_mean(symbol, names));
}

void Device::Impl::write_part(LoadedModule& module, const VariablePart& part, uint64_t offset,
                              std::span<const std::byte> from) {
  if (from.empty()) return;
  if (real != nullptr)
    return real->write(real->variable(*module.ptx, module.ptx->symbols[part.symbol].name) + offset, from);
  std::memcpy(part.bytes, from.data(), from.size());
  const Addr address = module.addresses[part.symbol] + offset;
  if (module.ptx->symbols[part.symbol].space == ptx::Space::Const) {
    gpu.host_writes_constants(module.constant_offset + address, from.size());
  } else {
    gpu.host_writes(address, from.size());
  }
  if (checkpoints != nullptr) checkpoints->written(address, from);
}

void Device::set_symbol(const ModuleRef& module, std::string_view symbol, std::span<const std::byte> value) {
  impl_->run_queue();
  const Impl::VariablePart part = impl_->part_of(*module, symbol, 0, 0);
  if (uint64_t size = module->ptx->symbols[part.symbol].size; size != value.size())
    throw_error(fmt::format("variable \"{}\" has {}, but {} were given", symbol, plural(size, "byte"), value.size()));
  impl_->write_part(*module, part, 0, value);
  time_copy(TimelineEvent::Direction::HostToDevice, value.size(), symbol, {});
}

void Device::copy_to_symbol(const ModuleRef& module, std::string_view symbol, std::span<const std::byte> from,
                            uint64_t offset, CopyOptions options) {
  impl_->run_queue();
  impl_->write_part(*module, impl_->part_of(*module, symbol, offset, from.size()), offset, from);
  time_copy(TimelineEvent::Direction::HostToDevice, from.size(), symbol, options);
}

void Device::copy_from_symbol(std::span<std::byte> to, const ModuleRef& module, std::string_view symbol,
                              uint64_t offset, CopyOptions options) {
  impl_->run_queue();
  const Impl::VariablePart part = impl_->part_of(*module, symbol, offset, to.size());
  if (impl_->real != nullptr) return impl_->real->read(to, impl_->real->variable(*module->ptx, symbol) + offset);
  if (!to.empty()) std::memcpy(to.data(), part.bytes, to.size());
  if (impl_->checkpoints != nullptr) impl_->checkpoints->read(to);
  time_copy(TimelineEvent::Direction::DeviceToHost, to.size(), symbol, options);
}

void Device::Impl::take_constants(LoadedModule& module) {
  if (!module.constants_at) return;
  const std::byte* now = memory.at(*module.constants_at);
  if (std::memcmp(module.constants.data(), now, module.constants.size()) == 0) return;
  std::memcpy(module.constants.data(), now, module.constants.size());
  gpu.host_writes_constants(module.constant_offset, module.constants.size());
}

std::optional<Buffer> Device::find_constant(const ModuleRef& module, std::string_view symbol) {
  const auto& symbols = module->ptx->symbols;
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i].space != ptx::Space::Const || symbols[i].name != symbol) continue;
    if (!module->constants_at) {
      const auto place = try_allocate(module->constants.size(), "constants");
      if (!place) return std::nullopt;
      write_bytes(place->address, module->constants);
      module->constants_at = place->address;
    }
    return Buffer{*module->constants_at + module->addresses[i], symbols[i].size};
  }
  return std::nullopt;
}

std::vector<std::byte> Device::symbol_bytes(const ModuleRef& module, std::string_view symbol) const {
  impl_->run_queue();
  const Impl::VariablePart part = impl_->part_of(*module, symbol, 0, 0);
  std::vector<std::byte> out(part.bytes, part.bytes + module->ptx->symbols[part.symbol].size);
  if (impl_->real != nullptr) impl_->real->read(out, impl_->real->variable(*module->ptx, symbol));
  return out;
}

std::optional<Buffer> Device::find_symbol(const ModuleRef& module, std::string_view symbol) const {
  const auto& symbols = module->ptx->symbols;
  for (size_t i = 0; i < symbols.size(); ++i)
    if (symbols[i].space == ptx::Space::Global && symbols[i].name == symbol)
      return Buffer{impl_->real != nullptr ? impl_->real->variable(*module->ptx, symbol) : module->addresses[i],
                    symbols[i].size};
  return std::nullopt;
}

}  // namespace warptime::host
