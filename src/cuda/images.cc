// Device code that the program registered: fat binaries become modules, host addresses kernels and variables.
#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "cuda/link.h"
#include "cuda/runtime.h"

namespace warptime::cuda {

Image* Runtime::add(const FatWrapper* wrapper) {
  images_.push_back(std::make_unique<Image>(Image{.wrapper = wrapper}));
  return images_.back().get();
}

void Runtime::add_kernel(Image* image, const void* function, const char* name) { kernels_[function] = {image, name}; }
void Runtime::add_variable(Image* image, const void* variable, const char* name) {
  variables_[variable] = {image, name};
}

void Runtime::remove(Image* image) {
  auto is_of = [&](const auto& entry) { return entry.second.image == image; };
  std::erase_if(kernels_, is_of);
  std::erase_if(variables_, is_of);
  std::erase_if(references, [&](const auto& entry) { return entry.second.symbol.image == image; });
  // The module stays: launches that wait are of it.
}

std::string Runtime::ptx_text(Image& image, std::string& name) {
  const std::string program = std::filesystem::path(program_invocation_name).filename().string();
  if (!image.text.empty()) {
    name = program + " (module)";
    image.capability = capability();
    return image.text;
  }
  std::vector<const void*> containers;
  if (image.wrapper->version == FatWrapper::kLinked && image.wrapper->linked != nullptr)
    for (const void* const* one = image.wrapper->linked; *one != nullptr; ++one) containers.push_back(*one);
  if (containers.empty()) containers.push_back(image.wrapper->container);
  std::vector<std::string> files;
  try {
    for (const void* container : containers) {
      const std::vector<FatEntry> entries = entries_of(container_at(container));
      const FatEntry* best = best_ptx(entries, capability());
      if (best == nullptr && !entries.empty())
        throw CallError{
            Error::NoKernelImageForDevice,
            fmt::format("error: {} has device code for machines only (code=sm_{}), and no PTX\n"
                        "         hint: build it with -gencode arch=compute_{},code=compute_{}\n",
                        program, entries.front().capability, entries.front().capability, entries.front().capability)};
      if (best == nullptr) continue;
      // The toolkit's own code may be for later ones only.
      image.capability = std::min(image.capability, best->capability);
      name = fmt::format("{} (compute_{})", program, image.capability);
      files.push_back(text_of(*best));
    }
  } catch (const FatBinaryError& error) {
    throw CallError{Error::InvalidKernelImage, fmt::format("error: a fat binary of {} {}\n", program, error.what())};
  }
  if (files.empty())
    throw CallError{Error::NoKernelImageForDevice, fmt::format("error: {} has no device code\n", program)};
  return files.size() == 1 ? std::move(files.front()) : link_ptx(files);
}

const host::ModuleRef& Runtime::load(Image& image) {
  if (image.module != nullptr) return image.module;
  if (image.failure) throw CallError(*image.failure);
  try {
    std::string name;
    std::string text = ptx_text(image, name);
    image.module = device().load_module(std::make_shared<SourceText>(name, std::move(text)));
  } catch (const host::InputError& error) {
    image.failure = CallError{Error::InvalidPtx, error.what()};
  } catch (const CallError& error) {
    image.failure = error;
  }
  if (image.failure) throw CallError(*image.failure);
  for (const ManagedVariable& variable : image.managed) {
    const auto place = device().find_symbol(image.module, variable.name);
    if (!place || !device().share_with_host(*place))
      throw CallError{Error::MemoryAllocation,
                      fmt::format("error: the managed variable {} cannot have one address for host and device: "
                                  "this process has something else there\n",
                                  variable.name)};
    *variable.pointer = pointer_to(place->address);
    host_blocks[place->address] = {place->bytes, HostBlock::Kind::Managed, true, 0};
  }
  return image.module;
}

const Symbol& Runtime::kernel_of(const void* function) {
  auto found = kernels_.find(function);
  if (found == kernels_.end()) throw CallError{Error::InvalidResourceHandle};
  return found->second;
}

const ptx::Kernel& Runtime::ptx_of(const Symbol& kernel) {
  for (const ptx::Kernel& known : host::Device::ptx_of(load(*kernel.image)).kernels)
    if (known.name == kernel.name) return known;
  throw CallError{Error::InvalidDeviceFunction};
}

const Symbol& Runtime::variable_of(const void* variable) {
  auto found = variables_.find(variable);
  if (found == variables_.end()) throw CallError{Error::InvalidSymbol};
  return found->second;
}

host::Buffer Runtime::place_of_variable(const void* variable) {
  const Symbol& symbol = variable_of(variable);
  const host::ModuleRef& module = load(*symbol.image);
  if (const auto place = device().find_symbol(module, symbol.name)) return *place;
  if (const auto place = device().find_constant(module, symbol.name)) return *place;
  throw CallError{Error::InvalidSymbol};
}

Addr Runtime::part_of_variable(const void* variable, size_t bytes, size_t offset) {
  const host::Buffer place = place_of_variable(variable);
  if (offset > place.bytes || bytes > place.bytes - offset)
    throw CallError{Error::InvalidValue,
                    fmt::format("error: variable \"{}\" has {} bytes; those from {} to {} are not all in it\n",
                                variable_of(variable).name, place.bytes, offset, offset + bytes)};
  return place.address + offset;
}

}  // namespace warptime::cuda
