// A simulated machine in the place of a GPU: values are those of its launches' times and of the %clock that its kernels
// read.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>

#include "base/source_text.h"
#include "host/device/device.h"
#include "measure/micro/micro_gpu.h"
#include "ptx/module.h"
#include "sim/model/machine.h"

namespace warptime::measure {

namespace {

GpuDescription description_of(const sim::Machine& machine) {
  constexpr double kTenths = 10;
  const sim::MachineConfig& config = machine.config;
  const auto capability = static_cast<int>(std::lround(config.chip.compute_capability * kTenths));
  return {.name = machine.name,
          .major = capability / 10,
          .minor = capability % 10,
          .driver = "simulated",
          .sms = config.chip.tpcs * config.chip.sms_per_tpc,
          .threads_per_sm = config.sm.max_threads,
          .blocks_per_sm = config.sm.max_blocks,
          .registers_per_sm = config.sm.registers,
          .l2_bytes = uint64_t{config.l2.cache.bytes} * config.memory.partitions,
          .shared_bytes_per_sm = config.sm.shared.bytes};
}

class Simulated : public MicroGpu {
 public:
  explicit Simulated(host::Device& device) : device_(device), description_(description_of(device.machine())) {}

  const GpuDescription& description() const override { return description_; }

  void* load(const std::string& ptx, const std::string& name) override {
    auto module = device_.load_module(std::make_shared<const SourceText>(name + ".ptx", ptx));
    void* key = module.get();
    modules_[key] = std::move(module);
    return key;
  }
  void unload(void* module) override { modules_.erase(module); }
  GpuKernel kernel(void* module, const std::string& name) override {
    return {.function = module, .name = name, .registers = 0, .local_bytes = 0, .shared_bytes = 0};
  }
  DevicePointer variable(void* module, const std::string& name) override {
    const std::optional<host::Buffer> at = device_.find_constant(modules_.at(module), name);
    if (!at) refuse("variable " + name + " does not fit in device memory");
    return at->address;
  }

  DevicePointer allocate(uint64_t bytes, std::string_view name) override {
    const host::Buffer buffer = device_.allocate_bytes(bytes, std::string(name));
    buffers_[buffer.address] = buffer;
    return buffer.address;
  }
  void drop(DevicePointer at) noexcept override {
    device_.free(buffers_.at(at));
    buffers_.erase(at);
  }
  void write(DevicePointer to, const void* from, uint64_t bytes) override {
    device_.write_bytes(to, {static_cast<const std::byte*>(from), static_cast<size_t>(bytes)});
  }
  void read(void* to, DevicePointer from, uint64_t bytes) override {
    device_.read_bytes({static_cast<std::byte*>(to), static_cast<size_t>(bytes)}, from);
  }

  void flush() override;
  void run(const GpuLaunch& launch) override { start(launch); }
  double us(const GpuLaunch& launch, uint32_t in_a_row) override {
    start(launch);
    if (in_a_row == 1) return start(launch) + kEventsUs;
    const host::Event begin = device_.record_event();
    for (uint32_t i = 0; i < in_a_row; ++i) start(launch);
    return host::Device::elapsed_us(begin, device_.record_event()) / in_a_row;
  }
  double sm_mhz() override { return device_.machine().config.clocks.shader_mhz; }
  uint32_t tries() const override { return 1; }
  uint64_t most_traffic() const override { return uint64_t{128} << 20; }

 private:
  double start(const GpuLaunch& launch);

  host::Device& device_;
  GpuDescription description_;
  std::map<void*, host::ModuleRef> modules_;
  std::map<DevicePointer, host::Buffer> buffers_;
  void* sweep_ = nullptr;  // the module of flush()
  DevicePointer sweep_at_ = 0;
  uint64_t sweep_bytes_ = 0;
};

double Simulated::start(const GpuLaunch& launch) {
  const host::ModuleRef& module = modules_.at(launch.kernel->function);
  std::vector<host::Argument> arguments;
  for (const ptx::Kernel& kernel : host::Device::ptx_of(module).kernels) {
    if (kernel.name != launch.kernel->name) continue;
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      uint64_t bits = 0;
      const uint64_t bytes = kernel.symbols[kernel.parameters[i]].size;
      std::memcpy(&bits, launch.parameters.at(i), bytes);
      arguments.push_back(bytes == 4 ? host::arg_u32(static_cast<uint32_t>(bits)) : host::arg_u64(bits));
    }
  }
  try {
    return device_
        .launch(module, launch.kernel->name, {launch.grid[0], launch.grid[1], launch.grid[2]},
                {launch.block[0], launch.block[1], launch.block[2]}, arguments)
        .time_us;
  } catch (const host::FaultError& fault) {
    throw GpuFault(fault.what());
  }
}

void Simulated::flush() {
  if (sweep_ == nullptr) {
    sweep_ = load(own_kernels(), "sweep");
    sweep_bytes_ = std::max<uint64_t>(2 * description_.l2_bytes, uint64_t{1} << 20);
    sweep_at_ = allocate(sweep_bytes_, "what is read to empty the L2");
  }
  const GpuKernel kernel = this->kernel(sweep_, "sweep");
  start({.kernel = &kernel,
         .grid = {2 * description_.sms, 1, 1},
         .block = {1024, 1, 1},
         .parameters = {&sweep_at_, &sweep_bytes_}});
}

}  // namespace

std::unique_ptr<MicroGpu> micro_gpu(host::Device& device) { return std::make_unique<Simulated>(device); }

}  // namespace warptime::measure
