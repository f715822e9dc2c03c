#include "measure/micro/micro_gpu.h"

namespace warptime::measure {

namespace {

class OnGpu : public MicroGpu {
 public:
  OnGpu(Gpu& gpu, LaunchTimer& timer) : gpu_(gpu), timer_(timer) {}

  const GpuDescription& description() const override { return gpu_.description(); }
  void* load(const std::string& ptx, const std::string& name) override { return gpu_.load(ptx, name); }
  void unload(void* module) override { gpu_.unload(module); }
  GpuKernel kernel(void* module, const std::string& name) override { return gpu_.kernel(module, name); }
  DevicePointer variable(void* module, const std::string& name) override { return gpu_.variable(module, name); }
  DevicePointer allocate(uint64_t bytes, std::string_view name) override { return gpu_.allocate(bytes, name); }
  void drop(DevicePointer at) noexcept override { gpu_.drop(at); }
  void write(DevicePointer to, const void* from, uint64_t bytes) override { gpu_.write(to, from, bytes); }
  void read(void* to, DevicePointer from, uint64_t bytes) override { gpu_.read(to, from, bytes); }
  void flush() override { timer_.flush(); }
  void run(const GpuLaunch& launch) override {
    gpu_.start(launch);
    gpu_.wait("kernel " + launch.kernel->name);
  }
  double us(const GpuLaunch& launch, uint32_t in_a_row) override { return timer_.again(launch, in_a_row); }
  double sm_mhz() override { return timer_.sm_mhz(); }
  uint32_t tries() const override { return 4; }
  uint64_t most_traffic() const override { return ~uint64_t{0}; }

 private:
  Gpu& gpu_;
  LaunchTimer& timer_;
};

}  // namespace

std::unique_ptr<MicroGpu> micro_gpu(Gpu& gpu, LaunchTimer& timer) { return std::make_unique<OnGpu>(gpu, timer); }

}  // namespace warptime::measure
