#include "measure/gpu_device.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "base/fnv.h"
#include "base/plural.h"
#include "host/device/device.h"
#include "ptx/module.h"
#include "sim/mem/tensor_map.h"
#include "sim/model/texture.h"

namespace warptime::measure {

namespace {

bool is_variable(const ptx::Symbol& symbol) {
  return symbol.space == ptx::Space::Global || symbol.space == ptx::Space::Const;
}

}  // namespace

GpuDevice::GpuDevice(Gpu& gpu, LaunchTimer& timer, uint64_t most_per_kernel)
    : gpu_(gpu), timer_(timer), most_per_kernel_(most_per_kernel) {}

GpuDevice::~GpuDevice() {
  for (const auto& [ptx, loaded] : modules_) gpu_.unload(loaded.module);
}

Addr GpuDevice::allocate(uint64_t bytes, const std::string& name) {
  const Addr at = gpu_.allocate(bytes, name);
  memory_[at] = {bytes, name};
  return at;
}

void GpuDevice::free(Addr address) {
  if (memory_.erase(address) == 0) refuse(fmt::format("the host frees address {:#x}, where no buffer begins", address));
  gpu_.free(address);
}

void GpuDevice::check_inside(Addr from, uint64_t bytes, std::string_view act) const {
  auto after = memory_.upper_bound(from);
  if (after != memory_.begin()) {
    const auto& [begin, memory] = *std::prev(after);
    if (from - begin <= memory.bytes && bytes <= memory.bytes - (from - begin)) return;
  }
  refuse(fmt::format("{} {} at address {:#x}, where nothing is allocated", act, plural(bytes, "byte"), from));
}

void GpuDevice::write(Addr to, std::span<const std::byte> from) {
  check_inside(to, from.size(), "the host writes");
  gpu_.write(to, from.data(), from.size());
}

void GpuDevice::read(std::span<std::byte> to, Addr from) {
  check_inside(from, to.size(), "the host reads");
  gpu_.read(to.data(), from, to.size());
}

void GpuDevice::load(std::shared_ptr<const ptx::Module> module) {
  const std::string name = module->source->name();
  if (module->address_bytes != 8)
    refuse(fmt::format("\"{}\" has 32-bit addresses, which the drivers of today's GPUs do not load", name),
           "compile it for 64 bits (.address_size 64)");
  Loaded loaded{.ptx = module, .module = gpu_.load(std::string(module->source->text()), name), .kernels = {}};
  for (const ptx::Symbol& symbol : module->symbols)
    if (is_variable(symbol) && symbol.size > 0 && symbol.scope.empty())
      memory_[gpu_.variable(loaded.module, symbol.name)] = {symbol.size, symbol.name};
  modules_.emplace(module.get(), std::move(loaded));
}

Addr GpuDevice::variable(const ptx::Module& module, std::string_view name) {
  return gpu_.variable(modules_.at(&module).module, std::string(name));
}

void GpuDevice::bind_texture(const ptx::Module&, std::string_view texref, const sim::Texture&) {
  refuse(fmt::format("texture \"{}\": launches that read textures cannot be measured", texref));
}

uint64_t GpuDevice::make_texture(const sim::Texture& texture) {
  refuse(fmt::format("texture \"{}\": launches that read textures cannot be measured", texture.name));
}

void GpuDevice::destroy_texture(uint64_t) {}

std::vector<std::byte> GpuDevice::make_tensor_map(const sim::TensorMap& map) {
  check_inside(map.address, map.tensor_bytes(), "a tensor map needs");
  return gpu_.tensor_map(map);
}

const GpuKernel& GpuDevice::kernel(const host::RealLaunch& launch) {
  Loaded& loaded = modules_.at(&launch.module);
  auto found = loaded.kernels.find(launch.kernel.name);
  if (found == loaded.kernels.end())
    found = loaded.kernels.emplace(launch.kernel.name, gpu_.kernel(loaded.module, launch.kernel.name)).first;
  return found->second;
}

void GpuDevice::launch(const host::RealLaunch& asked) {
  GpuLaunch launch{.kernel = &kernel(asked),
                   .grid = asked.grid,
                   .block = asked.block,
                   .dynamic_shared_bytes = asked.dynamic_shared_bytes,
                   .cooperative = asked.cooperative,
                   .parameters = {}};
  for (uint32_t index : asked.kernel.parameters)
    launch.parameters.push_back(const_cast<std::byte*>(asked.parameters.data()) + asked.kernel.symbols[index].offset);
  launches_.push_back(measure(launch));
}

MeasuredLaunch GpuDevice::measure(const GpuLaunch& launch) {
  const std::string& name = launch.kernel->name;
  MeasuredLaunch out{
      .kernel = name, .grid = launch.grid, .block = launch.block, .registers = launch.kernel->registers, .times = {}};
  const bool is_timed = launched_[name]++ < most_per_kernel_;
  if (is_timed) keep_copies();
  const uint64_t before = is_timed ? contents() : 0;
  gpu_.start(launch);
  gpu_.wait("kernel " + name);
  if (!is_timed) return out;
  const uint64_t once = contents();
  gpu_.start(launch);
  gpu_.wait("kernel " + name);
  out.restored = contents() != once;
  const std::function<void()> back = [this] { restore(); }, nothing;
  out.times = timer_.time(launch, out.restored || once != before ? back : nothing, out.restored ? back : nothing);
  if (out.restored) {
    restore();
    gpu_.start(launch);
    gpu_.wait("kernel " + name);
  }
  drop_copies();
  return out;
}

void GpuDevice::keep_copies() {
  for (auto& [at, memory] : memory_) {
    memory.copy = gpu_.allocate(memory.bytes, "a copy of " + memory.name);
    gpu_.copy(memory.copy, at, memory.bytes);
  }
  gpu_.wait("a copy within the GPU's memory");
}

void GpuDevice::drop_copies() {
  for (auto& [at, memory] : memory_) gpu_.free(std::exchange(memory.copy, 0));
}

void GpuDevice::restore() {
  for (const auto& [at, memory] : memory_) gpu_.copy(at, memory.copy, memory.bytes);
}

uint64_t GpuDevice::contents() {
  constexpr uint64_t kPiece = uint64_t{16} << 20;
  std::vector<std::byte> piece;
  uint64_t hash = 0;
  for (const auto& [at, memory] : memory_)
    for (uint64_t from = 0; from < memory.bytes; from += kPiece) {
      piece.assign(std::min(kPiece, memory.bytes - from + 7) / 8 * 8, std::byte{0});
      gpu_.read(piece.data(), at + from, std::min(kPiece, memory.bytes - from));
      for (size_t i = 0; i < piece.size(); i += 8) {
        uint64_t word = 0;
        std::memcpy(&word, piece.data() + i, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
      }
    }
  return hash;
}

}  // namespace warptime::measure
