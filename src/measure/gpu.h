// The GPU that measurements run on: the first one of the driver, its context, modules, launches and events. Everything
// is in the default stream. Errors of calls become exceptions that say what was being done.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "measure/driver.h"

namespace warptime::sim {
struct TensorMap;
}

namespace warptime::measure {

/// The program failed on the GPU: a bad address, a launch that does not end. What() is a line.
class GpuFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the driver says about the GPU.
struct GpuDescription {
  std::string name;
  int major = 0, minor = 0;  // compute capability
  std::string driver;        // "CUDA 13.0", and the kernel module's version where it is known: "CUDA 13.0, 580.159.04"
  uint32_t sms = 0, threads_per_sm = 0, blocks_per_sm = 0, registers_per_sm = 0;
  uint64_t l2_bytes = 0, shared_bytes_per_sm = 0;
};

/// A loaded kernel.
struct GpuKernel {
  void* function = nullptr;
  std::string name;
  uint32_t registers = 0, local_bytes = 0, shared_bytes = 0;  // static
};

struct GpuLaunch {
  const GpuKernel* kernel = nullptr;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  std::vector<void*> parameters = {};  // addresses of the arguments
};

class Gpu {
 public:
  /// Throws host::InputError, one sentence, if the driver has no device.
  explicit Gpu(const Driver& driver);

  const GpuDescription& description() const { return description_; }
  /// Has the driver compile the PTX. Throws host::InputError with the compiler's messages. `name`: for messages.
  void* load(const std::string& ptx, const std::string& name);
  void unload(void* module) { driver_.unload(module); }
  GpuKernel kernel(void* module, const std::string& name);
  DevicePointer variable(void* module, const std::string& name);

  /// Zeros at first. Throws host::InputError if the memory does not suffice.
  DevicePointer allocate(uint64_t bytes, std::string_view name);
  void free(DevicePointer at);
  /// Also after the GPU failed, when nothing is freed.
  void drop(DevicePointer at) noexcept { driver_.free(at); }
  uint64_t bytes_free() const;
  void write(DevicePointer to, const void* from, uint64_t bytes);
  void read(void* to, DevicePointer from, uint64_t bytes);
  /// The 128 bytes of a CUtensorMap. Throws host::InputError if the driver refuses it, or is too old for any.
  std::vector<std::byte> tensor_map(const sim::TensorMap& map) const;
  /// Begins, and is over when wait() returns.
  void copy(DevicePointer to, DevicePointer from, uint64_t bytes);
  /// Throws host::InputError if the GPU refuses the launch.
  void start(const GpuLaunch& launch);
  /// Throws GpuFault. `doing`: what it waits for.
  void wait(std::string_view doing);

  /// The two events that a time is taken between.
  void begin_time() { check(driver_.record(begin_, nullptr), "cuEventRecord"); }
  void end_time() { check(driver_.record(end_, nullptr), "cuEventRecord"); }
  /// Waits for what was begun between them. Throws GpuFault.
  double elapsed_us(std::string_view doing);

 private:
  /// Throws GpuFault.
  void check(int result, std::string_view doing) const;
  std::string text(int result) const;
  void wait_for(void* event, std::string_view doing);
  void read_description(int device);

  Driver driver_;
  GpuDescription description_;
  void* begin_ = nullptr;
  void* end_ = nullptr;
  void* last_ = nullptr;
};

}  // namespace warptime::measure
