// The CUDA driver API as far as the recorders of this folder need it. The library is opened at run time, so that they
// are built everywhere.
#pragma once

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace warptime::sim {

/// The few functions of the CUDA driver API (version 12 on) that are needed, under their own names and types.
struct Driver {
  using Pointer = unsigned long long;
  int device = 0;
  int (*init)(unsigned);
  int (*get_version)(int*);
  int (*get_device)(int*, int);
  int (*get_name)(char*, int, int);
  int (*get_attribute)(int*, int, int);
  int (*retain_context)(void**, int);
  int (*set_context)(void*);
  int (*load)(void**, const void*, unsigned, int*, void**);
  int (*unload)(void*);
  int (*function)(void**, void*, const char*);
  int (*allocate)(Pointer*, size_t);
  int (*release)(Pointer);
  int (*fill)(Pointer, unsigned char, size_t);
  int (*to_device)(Pointer, const void*, size_t);
  int (*to_host)(void*, Pointer, size_t);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
  int (*synchronize)();
  int (*set_limit)(int, size_t);
  int (*allocate_host)(void**, size_t, unsigned);
  int (*host_to_device)(Pointer*, void*, unsigned);
  int (*query)(void*);

  Driver() {
    library_ = dlopen("libcuda.so.1", RTLD_NOW);
    if (library_ == nullptr) fail("no NVIDIA driver here (libcuda.so.1)");
    find(init, "cuInit");
    find(get_version, "cuDriverGetVersion");
    find(get_device, "cuDeviceGet");
    find(get_name, "cuDeviceGetName");
    find(get_attribute, "cuDeviceGetAttribute");
    find(retain_context, "cuDevicePrimaryCtxRetain");
    find(set_context, "cuCtxSetCurrent");
    find(load, "cuModuleLoadDataEx");
    find(unload, "cuModuleUnload");
    find(function, "cuModuleGetFunction");
    find(allocate, "cuMemAlloc_v2");
    find(release, "cuMemFree_v2");
    find(fill, "cuMemsetD8_v2");
    find(to_device, "cuMemcpyHtoD_v2");
    find(to_host, "cuMemcpyDtoH_v2");
    find(launch, "cuLaunchKernel");
    find(synchronize, "cuCtxSynchronize");
    find(set_limit, "cuCtxSetLimit");
    find(allocate_host, "cuMemHostAlloc");
    find(host_to_device, "cuMemHostGetDevicePointer_v2");
    find(query, "cuStreamQuery");
    check(init(0), "cuInit");
    void* context = nullptr;
    check(get_device(&device, 0), "cuDeviceGet");
    check(retain_context(&context, device), "cuDevicePrimaryCtxRetain");
    check(set_context(context), "cuCtxSetCurrent");
  }
  [[noreturn]] static void fail(const std::string& what) {
    fmt::print(stderr, "recorder: {}\n", what);
    std::exit(1);
  }
  static void check(int status, std::string_view what) {
    if (status != 0) fail(fmt::format("{}: CUDA error {}", what, status));
  }
  /// "GPU: ..." and "Driver: ...", a line each.
  std::string origin() const {
    char name[128] = {};
    int driver = 0, major = 0, minor = 0;
    constexpr int kMajor = 75, kMinor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR
    check(get_name(name, sizeof name, device), "cuDeviceGetName");
    check(get_version(&driver), "cuDriverGetVersion");
    check(get_attribute(&major, kMajor, device), "cuDeviceGetAttribute");
    check(get_attribute(&minor, kMinor, device), "cuDeviceGetAttribute");
    std::ifstream module("/proc/driver/nvidia/version");  // "NVRM version: NVIDIA UNIX ... 580.159.04 ..."
    std::string version;
    std::getline(module, version);
    return fmt::format("GPU: {}, compute capability {}.{}\nDriver: CUDA {}.{}; {}\n", name, major, minor, driver / 1000,
                       driver % 1000 / 10, version);
  }

 private:
  template <class F>
  void find(F& address, const char* name) {
    address = reinterpret_cast<F>(dlsym(library_, name));
    if (address == nullptr) fail(fmt::format("the driver has no {}", name));
  }
  void* library_;
};

/// A compiler's message on one line.
inline std::string one_line(std::string message) {
  for (char& c : message)
    if (c == '\n' || c == '\t') c = ' ';
  return message.empty() ? "refused without a message" : message;
}

}  // namespace warptime::sim
