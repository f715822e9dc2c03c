// A host program's device on a GPU: each of its launches is timed, and leaves the values of one launch.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/device/real_device.h"
#include "measure/launch_timer.h"

namespace warptime::measure {

/// What was measured of a launch.
struct MeasuredLaunch {
  std::string kernel;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  uint32_t registers = 0;
  /// It reads what it changes: that was brought back before each launch that was timed alone.
  bool restored = false;
  std::optional<LaunchTimes> times;  // nullopt: it ran, but was not timed
};

class GpuDevice : public host::RealDevice {
 public:
  /// `most_per_kernel`: further launches of a kernel are not timed.
  GpuDevice(Gpu& gpu, LaunchTimer& timer, uint64_t most_per_kernel);
  ~GpuDevice() override;

  const std::vector<MeasuredLaunch>& launches() const { return launches_; }

  Addr allocate(uint64_t bytes, const std::string& name) override;
  void free(Addr address) override;
  uint64_t bytes_free() const override { return gpu_.bytes_free(); }
  void write(Addr to, std::span<const std::byte> from) override;
  void read(std::span<std::byte> to, Addr from) override;
  void load(std::shared_ptr<const ptx::Module> module) override;
  Addr variable(const ptx::Module& module, std::string_view name) override;
  void bind_texture(const ptx::Module& module, std::string_view texref, const sim::Texture& texture) override;
  uint64_t make_texture(const sim::Texture& texture) override;
  void destroy_texture(uint64_t handle) override;
  std::vector<std::byte> make_tensor_map(const sim::TensorMap& map) override;
  void launch(const host::RealLaunch& launch) override;

 private:
  struct Loaded {
    std::shared_ptr<const ptx::Module> ptx;  // so that no other has its address
    void* module;
    std::map<std::string, GpuKernel> kernels;
  };
  struct Memory {
    uint64_t bytes;
    std::string name;
    DevicePointer copy = 0;  // of what it held before a launch
  };

  const GpuKernel& kernel(const host::RealLaunch& launch);
  void keep_copies();
  void drop_copies();
  void restore();
  /// A hash of all memory that kernels can change.
  uint64_t contents();
  MeasuredLaunch measure(const GpuLaunch& launch);
  /// Throws host::InputError unless it is all in one allocation.
  void check_inside(Addr from, uint64_t bytes, std::string_view act) const;

  Gpu& gpu_;
  LaunchTimer& timer_;
  uint64_t most_per_kernel_;
  std::map<const ptx::Module*, Loaded> modules_;
  std::map<Addr, Memory> memory_;
  std::map<std::string, uint64_t> launched_;  // by kernel
  std::vector<MeasuredLaunch> launches_;
};

}  // namespace warptime::measure
