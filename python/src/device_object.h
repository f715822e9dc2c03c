// A device that Python keeps: its memory, modules, streams and clock outlive a launch.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/device/device.h"
#include "python/src/follower.h"
#include "python/src/kernel_call.h"
#include "sim/model/machine.h"

namespace warptime::python {

struct DeviceLaunch {
  size_t module = 0;   // of DeviceObject::load
  std::string kernel;  // "": the module's only one
  host::Dim3 grid, block;
  host::LaunchOptions options;
  std::vector<CallArgument> arguments;
};

class DeviceObject {
 public:
  /// `words`: those of `warptime run`, whose options it has. Throws host::InputError.
  DeviceObject(std::vector<std::string> words, std::function<bool()> interrupted);

  /// Calls work(device), one thread at a time. After a fault of a launch, every later call throws it again.
  template <class Work>
  auto use(const Work& work) {
    std::lock_guard guard(lock_);
    if (fault_) throw host::FaultError(*fault_);
    try {
      return work(*device_);
    } catch (const host::FaultError& error) {
      fault_ = error;
      throw;
    }
  }
  /// Reading works after a fault, too: what memory holds may show what went wrong. It takes no time then.
  void read(std::span<std::byte> to, Addr from, const std::string& name, host::CopyOptions options);

  /// The number of the module; `kernel`: one that it must have if the file has several modules.
  size_t load(std::shared_ptr<const SourceText> file, const std::string& kernel);
  const std::shared_ptr<const SourceText>& source_of(size_t module) const { return modules_.at(module).text; }
  void set_symbol(size_t module, const std::string& symbol, std::span<const std::byte> value);
  void launch(const DeviceLaunch& launch);

  /// The statistics as `--stats` has them: of all launches so far, or of one of them, from 0.
  std::string statistics(std::optional<size_t> launch);
  size_t launches();
  /// What device code has printed since the last call; warnings likewise.
  std::string take_printed();
  std::string take_warnings();

 private:
  struct Loaded {
    std::shared_ptr<const SourceText> text;
    host::ModuleRef module;
  };

  std::mutex lock_;
  sim::InterruptFlag flag_ = 0;
  std::string printed_, warnings_;
  std::string target_;
  Follower follower_;
  std::unique_ptr<host::Device> device_;
  std::vector<Loaded> modules_;
  std::optional<host::FaultError> fault_;
  size_t warned_ = 0;  // bytes of Device::warnings() that were taken
};

}  // namespace warptime::python
