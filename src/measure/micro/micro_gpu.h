// What the microbenchmarks run on: a GPU that exists, or a simulated machine.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "measure/launch_timer.h"

namespace warptime::host {
class Device;
}

namespace warptime::measure {

/// All calls throw host::InputError where the GPU refuses what is asked, and GpuFault where it fails.
class MicroGpu {
 public:
  virtual ~MicroGpu() = default;
  virtual const GpuDescription& description() const = 0;
  virtual void* load(const std::string& ptx, const std::string& name) = 0;
  virtual void unload(void* module) = 0;
  virtual GpuKernel kernel(void* module, const std::string& name) = 0;
  virtual DevicePointer variable(void* module, const std::string& name) = 0;
  /// Zeros at first.
  virtual DevicePointer allocate(uint64_t bytes, std::string_view name) = 0;
  virtual void drop(DevicePointer at) noexcept = 0;
  virtual void write(DevicePointer to, const void* from, uint64_t bytes) = 0;
  virtual void read(void* to, DevicePointer from, uint64_t bytes) = 0;
  /// Empties the L2.
  virtual void flush() = 0;
  /// To its end.
  virtual void run(const GpuLaunch& launch) = 0;
  /// The microseconds of a launch between events, after one that is not timed: of one, or of each of `in_a_row`.
  virtual double us(const GpuLaunch& launch, uint32_t in_a_row) = 0;
  virtual double sm_mhz() = 0;
  /// How often cycles are counted: the least counts.
  virtual uint32_t tries() const = 0;
  /// The bytes that a stream moves at most.
  virtual uint64_t most_traffic() const = 0;
};

std::unique_ptr<MicroGpu> micro_gpu(Gpu& gpu, LaunchTimer& timer);

/// What two events show besides the time of a kernel: `warptime measure` beside ncu, 62 launches on an H200, median.
inline constexpr double kEventsUs = 1.3;
/// Launches are simulated; kEventsUs is added to their times. Streams move at most 128 MB. The device outlives it.
std::unique_ptr<MicroGpu> micro_gpu(host::Device& device);

/// Memory for as long as this lives.
class MicroMemory {
 public:
  MicroMemory(MicroGpu& gpu, uint64_t bytes, std::string_view name) : gpu_(gpu), at_(gpu.allocate(bytes, name)) {}
  ~MicroMemory() { gpu_.drop(at_); }
  MicroMemory(const MicroMemory&) = delete;
  MicroMemory& operator=(const MicroMemory&) = delete;
  DevicePointer at() const { return at_; }

 private:
  MicroGpu& gpu_;
  DevicePointer at_;
};

}  // namespace warptime::measure
