#include "measure/gpu.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "base/plural.h"
#include "host/device/device.h"

namespace warptime::measure {

namespace {

/// The version of the kernel's module, "580.159.04"; empty where the system does not say.
std::string module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (!word.empty() && word.find_first_not_of("0123456789.") == std::string::npos &&
        word.find('.') != std::string::npos)
      return word;
  return {};
}

}  // namespace

Gpu::Gpu(const Driver& driver) : driver_(driver) {
  int count = 0;
  const int started = driver_.init(0);
  if (started == 0) driver_.device_count(&count);
  if (started != 0 || count == 0)
    refuse(started == 0 ? "the NVIDIA driver of this machine finds no GPU"
                        : fmt::format("the NVIDIA driver of this machine does not start: {}", text(started)),
           "`warptime measure` needs a GPU; `warptime run` simulates one");
  int device = 0;
  void* context = nullptr;
  check(driver_.device(&device, 0), "cuDeviceGet");
  read_description(device);
  check(driver_.retain_context(&context, device), "cuDevicePrimaryCtxRetain");
  check(driver_.set_context(context), "cuCtxSetCurrent");
  for (void** event : {&begin_, &end_, &last_}) check(driver_.create_event(event, 0), "cuEventCreate");
}

void Gpu::read_description(int device) {
  char name[256] = {};
  int version = 0;
  check(driver_.device_name(name, sizeof name, device), "cuDeviceGetName");
  check(driver_.version(&version), "cuDriverGetVersion");
  auto attribute = [&](int which) {
    int value = 0;
    check(driver_.device_attribute(&value, which, device), "cuDeviceGetAttribute");
    return value;
  };
  description_.name = name;
  description_.major = attribute(kAttributeMajor);
  description_.minor = attribute(kAttributeMinor);
  description_.driver = fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
  if (const std::string module = module_version(); !module.empty()) description_.driver += ", " + module;
  description_.sms = static_cast<uint32_t>(attribute(kAttributeSms));
  description_.threads_per_sm = static_cast<uint32_t>(attribute(kAttributeThreadsPerSm));
  description_.blocks_per_sm = static_cast<uint32_t>(attribute(kAttributeBlocksPerSm));
  description_.registers_per_sm = static_cast<uint32_t>(attribute(kAttributeRegistersPerSm));
  description_.l2_bytes = static_cast<uint64_t>(attribute(kAttributeL2Bytes));
  description_.shared_bytes_per_sm = static_cast<uint64_t>(attribute(kAttributeSharedBytesPerSm));
}

std::string Gpu::text(int result) const {
  const char* name = nullptr;
  const char* sentence = nullptr;
  driver_.error_name(result, &name);
  driver_.error_text(result, &sentence);
  std::string out = name != nullptr ? name : fmt::format("CUDA error {}", result);
  if (sentence != nullptr) out += fmt::format(" ({})", sentence);
  return out;
}

void Gpu::check(int result, std::string_view doing) const {
  if (result != 0) throw GpuFault(fmt::format("{}: the GPU reports {}", doing, text(result)));
}

void* Gpu::load(const std::string& ptx, const std::string& name) {
  std::string log(8192, '\0');
  int options[] = {kJitErrorLog, kJitErrorLogBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  void* module = nullptr;
  const int result = driver_.load(&module, ptx.c_str(), 2, options, values);
  if (result == 0) return module;
  log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
  while (!log.empty() && log.back() == '\n') log.pop_back();
  throw host::InputError(
      format_diagnostic(
          {Severity::Error, {}, fmt::format("the GPU's driver does not compile \"{}\": {}", name, text(result)), {}}) +
      log + (log.empty() ? "" : "\n"));
}

GpuKernel Gpu::kernel(void* module, const std::string& name) {
  GpuKernel out{.name = name};
  check(driver_.function(&out.function, module, name.c_str()), fmt::format("finding kernel {}", name));
  auto attribute = [&](int which) {
    int value = 0;
    check(driver_.function_attribute(&value, which, out.function), "cuFuncGetAttribute");
    return static_cast<uint32_t>(value);
  };
  out.registers = attribute(kFunctionRegisters);
  out.local_bytes = attribute(kFunctionLocalBytes);
  out.shared_bytes = attribute(kFunctionSharedBytes);
  return out;
}

DevicePointer Gpu::variable(void* module, const std::string& name) {
  DevicePointer at = 0;
  size_t bytes = 0;
  check(driver_.global(&at, &bytes, module, name.c_str()), fmt::format("finding variable {}", name));
  return at;
}

DevicePointer Gpu::allocate(uint64_t bytes, std::string_view name) {
  DevicePointer at = 0;
  const uint64_t some = std::max<uint64_t>(bytes, 1);
  if (int result = driver_.allocate(&at, some); result == kOutOfMemory)
    refuse(fmt::format("\"{}\" ({}) does not fit in the GPU's memory", name, plural(bytes, "byte")));
  else check(result, fmt::format("allocating \"{}\"", name));
  check(driver_.fill(at, 0, some), fmt::format("clearing \"{}\"", name));
  return at;
}

void Gpu::free(DevicePointer at) { check(driver_.free(at), "freeing memory"); }

uint64_t Gpu::bytes_free() const {
  size_t available = 0, total = 0;
  check(driver_.memory_info(&available, &total), "cuMemGetInfo");
  return available;
}

void Gpu::write(DevicePointer to, const void* from, uint64_t bytes) {
  check(driver_.to_device(to, from, bytes), "a copy to the GPU");
}

void Gpu::read(void* to, DevicePointer from, uint64_t bytes) {
  check(driver_.to_host(to, from, bytes), "a copy from the GPU");
}

void Gpu::copy(DevicePointer to, DevicePointer from, uint64_t bytes) {
  check(driver_.copy_async(to, from, bytes, nullptr), "a copy within the GPU's memory");
}

void Gpu::start(const GpuLaunch& launch) {
  const auto& [gx, gy, gz] = launch.grid;
  const auto& [bx, by, bz] = launch.block;
  void* function = launch.kernel->function;
  auto** parameters = const_cast<void**>(launch.parameters.data());
  constexpr uint32_t kWithoutAsking = 48 << 10;  // CUDA C++ Programming Guide, compute capabilities
  if (launch.dynamic_shared_bytes + launch.kernel->shared_bytes > kWithoutAsking)
    driver_.set_function_attribute(function, kFunctionMostDynamicShared, static_cast<int>(launch.dynamic_shared_bytes));
  const int result = launch.cooperative ? driver_.launch_cooperative(function, gx, gy, gz, bx, by, bz,
                                                                     launch.dynamic_shared_bytes, nullptr, parameters)
                                        : driver_.launch(function, gx, gy, gz, bx, by, bz, launch.dynamic_shared_bytes,
                                                         nullptr, parameters, nullptr);
  if (result != 0)
    refuse(fmt::format("the GPU refuses kernel {} ({} x {} x {} blocks of {} x {} x {} threads): {}",
                       launch.kernel->name, gx, gy, gz, bx, by, bz, text(result)));
}

void Gpu::wait_for(void* event, std::string_view doing) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kPatience = std::chrono::seconds(60);
  constexpr auto kBusy = std::chrono::milliseconds(2);  // most waits are shorter
  const auto begin = Clock::now();
  for (;;) {
    const int result = driver_.query(event);
    if (result == 0) return;
    if (result != kNotReady) check(result, doing);
    const auto passed = Clock::now() - begin;
    if (passed > kPatience) throw GpuFault(fmt::format("{} does not end on the GPU: a minute has passed", doing));
    if (passed > kBusy) usleep(100);
  }
}

void Gpu::wait(std::string_view doing) {
  check(driver_.record(last_, nullptr), doing);
  wait_for(last_, doing);
}

double Gpu::elapsed_us(std::string_view doing) {
  wait_for(end_, doing);
  float milliseconds = 0;
  check(driver_.elapsed(&milliseconds, begin_, end_), doing);
  return 1e3 * static_cast<double>(milliseconds);
}

}  // namespace warptime::measure
