// A real GPU in the place of the simulated one: a Device with one allocates, copies and launches there, and nothing is
// simulated (Device::attach). src/measure/ has the one behind the CUDA driver.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace warptime::ptx {
struct Kernel;
struct Module;
}  // namespace warptime::ptx
namespace warptime::sim {
struct TensorMap;
struct Texture;
}  // namespace warptime::sim

namespace warptime::host {

/// A checked launch.
struct RealLaunch {
  const ptx::Module& module;
  const ptx::Kernel& kernel;
  std::array<uint32_t, 3> grid, block;
  uint32_t dynamic_shared_bytes;  // per block, beside what the kernel declares
  bool cooperative;
  const std::vector<std::byte>& parameters;  // of the kernel's .param space
};

/// All calls throw: InputError if the GPU refuses them, or an error of their own if it fails.
class RealDevice {
 public:
  virtual ~RealDevice() = default;
  /// Zeros at first. `name`: for messages.
  virtual Addr allocate(uint64_t bytes, const std::string& name) = 0;
  virtual void free(Addr address) = 0;
  virtual uint64_t bytes_free() const = 0;
  virtual void write(Addr to, std::span<const std::byte> from) = 0;
  virtual void read(std::span<std::byte> to, Addr from) = 0;
  virtual void load(std::shared_ptr<const ptx::Module> module) = 0;
  /// Where a module's .global or .const variable is.
  virtual Addr variable(const ptx::Module& module, std::string_view name) = 0;
  virtual void bind_texture(const ptx::Module& module, std::string_view texref, const sim::Texture& texture) = 0;
  /// Its handle.
  virtual uint64_t make_texture(const sim::Texture& texture) = 0;
  virtual void destroy_texture(uint64_t handle) = 0;
  /// The GPU's own form of a tensor map.
  virtual std::vector<std::byte> make_tensor_map(const sim::TensorMap& map) = 0;
  virtual void launch(const RealLaunch& launch) = 0;
};

}  // namespace warptime::host
