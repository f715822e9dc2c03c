// Textures of a device: binding, and whether a launch finds what it reads.
#include "base/plural.h"
#include "host/device/device_impl.h"
#include "host/device/texture_check.h"

namespace warptime::host {

void Device::Impl::check(const sim::Texture& texture) const {
  std::string why = what_is_wrong(texture);
  for (uint32_t level = 0; level < texture.levels && why.empty(); ++level) {
    const sim::Texture one = texture.at_level(level);
    if (memory.find(one.base, one.bytes()) != nullptr) continue;
    why = fmt::format("needs {}, more than are allocated at {} address", plural(one.bytes(), "byte"),
                      texture.levels > 1 ? fmt::format("level {}'s", level) : "its");
  }
  if (!why.empty()) throw_error(fmt::format("texture \"{}\" {}", texture.name, why));
}

void Device::Impl::check_bindings(const LoadedModule& module, const ptx::Kernel& kernel,
                                  Diagnostics& diagnostics) const {
  for (const ptx::Instruction& instruction : kernel.instructions)
    for (const ptx::Operand& operand : kernel.operands_of(instruction)) {
      if (operand.kind != ptx::Operand::Kind::Memory || operand.base != ptx::Operand::Base::Symbol ||
          operand.scope != ptx::Operand::Scope::Module)
        continue;
      const ptx::Symbol& symbol = module.ptx->symbols[operand.index];
      if (symbol.space != ptx::Space::Tex) continue;
      const sim::Texture& texture = textures[module.addresses[operand.index] - 1];
      if (texture.bound) continue;
      bool was_freed = memory.released_at(texture.base) != nullptr;
      diagnostics.error(
          instruction.where,
          fmt::format("texture \"{}\" is not bound{}", symbol.name, was_freed ? ": its memory has been freed" : ""),
          "bind it with bind_texture, or under `textures:` in a launch file");
    }
}

void Device::Impl::unbind_textures(const Buffer& freed) {
  for (sim::Texture& texture : textures)
    for (uint32_t level = 0; level < texture.levels && texture.bound; ++level) {
      const Addr base = texture.at_level(level).base;
      if (base >= freed.address && memory.find(base, 1) == nullptr) texture.bound = false;
    }
}

void Device::bind_texture(const ModuleRef& module, std::string_view texref, const sim::Texture& texture) {
  impl_->run_queue();
  std::vector<std::string_view> names;
  const auto& symbols = module->ptx->symbols;
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i].space != ptx::Space::Tex) continue;
    names.push_back(symbols[i].name);
    if (symbols[i].name != texref) continue;
    if (impl_->real != nullptr) return impl_->real->bind_texture(*module->ptx, texref, texture);
    impl_->check(texture);
    sim::Texture& slot = impl_->textures[module->addresses[i] - 1];
    slot = texture;
    slot.bound = true;
    return;
  }
  throw_error(fmt::format("the module has no .texref \"{}\"", texref), did_you_mean(texref, names));
}

Argument Device::make_texture(const sim::Texture& texture) {
  impl_->run_queue();
  Argument argument;
  argument.kind = Argument::Kind::Address;
  argument.text = fmt::format("texture {}", texture.name);
  if (impl_->real != nullptr) {
    argument.bits = impl_->real->make_texture(texture);
    return argument;
  }
  impl_->check(texture);
  argument.bits = impl_->new_texture(texture);
  impl_->textures[argument.bits - 1].bound = true;
  return argument;
}

void Device::destroy_texture(const Argument& texture) {
  impl_->run_queue();
  if (impl_->real != nullptr) return impl_->real->destroy_texture(texture.bits);
  sim::Texture& slot = impl_->textures.at(texture.bits - 1);
  slot.bound = false;
  impl_->free_textures.push_back(texture.bits);
}

}  // namespace warptime::host
