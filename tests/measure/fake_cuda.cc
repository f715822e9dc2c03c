// A libcuda.so.1 of tests: device memory is the process's own, a few kernels are functions below, and time passes by
// what is called: 2 us for a launch, half a one for an event. Its environment:
//
//   FAKE_CUDA_FAULT=no-driver|no-device          what goes wrong
//   FAKE_CUDA_FAULT=WHAT:KERNEL                  compile, refuse, fault (a bad address), hang, wrong (a value)
//   FAKE_CUDA_LOG=FILE       a line for each call that a measurement's order consists of
//   FAKE_CUDA_PTX=FOLDER     where the PTX of modules is written
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

double now_us = 0;

bool faulty(const char* what) {
  const char* fault = std::getenv("FAKE_CUDA_FAULT");
  return fault != nullptr && std::strcmp(fault, what) == 0;
}

bool faulty(const std::string& what, const std::string& kernel) { return faulty((what + ":" + kernel).c_str()); }

/// The kernel that the test names.
std::string faulty_kernel() {
  const char* fault = std::getenv("FAKE_CUDA_FAULT");
  const char* colon = fault == nullptr ? nullptr : std::strchr(fault, ':');
  return colon == nullptr ? "" : colon + 1;
}

int state = 0;  // what a query returns

void log(const char* call, const char* of = "") {
  static FILE* file = [] {
    const char* name = std::getenv("FAKE_CUDA_LOG");
    return name == nullptr ? nullptr : std::fopen(name, "w");
  }();
  if (file == nullptr) return;
  std::fprintf(file, "%s%s%s\n", call, *of == '\0' ? "" : " ", of);
  std::fflush(file);
}

bool begins(const std::string& name, const char* with) { return name.rfind(with, 0) == 0; }

template <class T>
T argument(void** parameters, int index) {
  T value;
  std::memcpy(&value, parameters[index], sizeof value);
  return value;
}

/// What the kernels of the tests compute. Those of microbenchmarks count 640 cycles for each round.
void execute(const std::string& name, unsigned threads, void** parameters) {
  if (name == "vecadd") {
    const auto *a = argument<const float*>(parameters, 0), *b = argument<const float*>(parameters, 1);
    auto* c = argument<float*>(parameters, 2);
    const auto n = argument<uint32_t>(parameters, 3);
    for (uint32_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
    if (faulty("wrong", name)) c[n / 2] += 1;
  } else if (name == "increment") {  // reads what it changes
    auto* x = argument<uint32_t*>(parameters, 0);
    for (unsigned i = 0; i < threads; ++i) ++x[i];
  } else if (name == "clocks") {
    const uint64_t counts[2] = {1980000, 1000000};
    std::memcpy(argument<void*>(parameters, 0), counts, sizeof counts);
  } else if (begins(name, "chase_")) {
    *argument<uint32_t*>(parameters, 0) = 409600;
  } else if (begins(name, "latency_") || begins(name, "rate_") || begins(name, "shared_") ||
             begins(name, "constant_") || begins(name, "mma_") || begins(name, "l1_") || name == "barrier" ||
             name == "atom_chase" || name == "loop_of_a_mad") {
    auto* out = argument<uint32_t*>(parameters, 0);
    const auto rounds = argument<uint32_t>(parameters, 2);
    for (unsigned warp = 0; warp < (threads + 31) / 32; ++warp) {
      out[2 * warp] = 0xffffff00 + 640 * rounds * warp;  // one warp after the other; the clock wraps around
      out[2 * warp + 1] = out[2 * warp] + 640 * rounds;
    }
  }
}

}  // namespace

extern "C" {
using Pointer = unsigned long long;

int cuInit(unsigned) { return faulty("no-driver") ? 999 : 0; }
int cuGetErrorName(int result, const char** name) {
  *name = result == 218   ? "CUDA_ERROR_INVALID_PTX"
          : result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : result == 701 ? "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"
                          : "CUDA_ERROR_OTHER";
  return 0;
}
int cuGetErrorString(int, const char** text) {
  *text = "as the test asked";
  return 0;
}
int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = faulty("no-device") ? 0 : 1;
  return 0;
}
int cuDeviceGet(int* device, int) {
  *device = 0;
  return 0;
}
int cuDeviceGetName(char* name, int length, int) {
  std::snprintf(name, static_cast<size_t>(length), "Fake GPU");
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  switch (attribute) {
    case 16: *value = 4; break;        // SMs
    case 38: *value = 1 << 20; break;  // L2
    case 39: *value = 2048; break;     // threads of an SM
    case 75: *value = 9; break;        // compute capability
    case 76: *value = 0; break;
    case 81: *value = 233472; break;  // shared memory of an SM
    case 82: *value = 65536; break;   // registers of an SM
    case 106: *value = 32; break;     // blocks of an SM
    default: *value = 0;
  }
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  static int it;
  *context = &it;
  return 0;
}
int cuCtxSetCurrent(void*) { return 0; }
int cuModuleLoadDataEx(void** module, const void* image, unsigned, int* options, void** values) {
  const std::string entry = ".entry " + faulty_kernel() + "(";
  if (faulty("compile", faulty_kernel()) && std::strstr(static_cast<const char*>(image), entry.c_str()) != nullptr) {
    for (int i = 0; i < 2; ++i)
      if (options[i] == 5) std::snprintf(static_cast<char*>(values[i]), 80, "ptxas fatal : line 7; no such thing\n");
    return 218;
  }
  static int count = 0;
  if (const char* folder = std::getenv("FAKE_CUDA_PTX")) {
    FILE* file = std::fopen((std::string(folder) + "/" + std::to_string(count) + ".ptx").c_str(), "w");
    std::fputs(static_cast<const char*>(image), file);
    std::fclose(file);
  }
  log("load");
  *module = new int(count++);
  return 0;
}
int cuModuleUnload(void*) { return 0; }
int cuModuleGetFunction(void** function, void*, const char* name) {
  *function = new std::string(name);
  return 0;
}
int cuModuleGetGlobal_v2(Pointer* at, size_t* bytes, void*, const char*) {
  static char memory[1 << 17];
  *at = reinterpret_cast<Pointer>(memory);
  *bytes = sizeof memory;
  return 0;
}
int cuFuncGetAttribute(int* value, int attribute, void*) {
  *value = attribute == 4 ? 12 : 0;  // registers
  return 0;
}
int cuFuncSetAttribute(void*, int, int) { return 0; }
int cuMemGetInfo_v2(size_t* available, size_t* total) {
  *available = *total = size_t{1} << 32;
  return 0;
}
int cuMemAlloc_v2(Pointer* at, size_t bytes) {
  if (bytes > size_t{4} << 30) return 2;
  *at = reinterpret_cast<Pointer>(std::calloc(bytes, 1));
  return 0;
}
int cuMemFree_v2(Pointer at) {
  std::free(reinterpret_cast<void*>(at));
  return 0;
}
int cuMemsetD8_v2(Pointer, unsigned char, size_t) { return 0; }  // it is zero
int cuMemcpyHtoD_v2(Pointer to, const void* from, size_t bytes) {
  log("to device");
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void* to, Pointer from, size_t bytes) {
  log("to host");
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return 0;
}
int cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, size_t bytes, void*) {
  log("copy");
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return 0;
}
int cuLaunchKernel(void* function, unsigned, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned, void*,
                   void** parameters, void**) {
  const std::string& name = *static_cast<std::string*>(function);
  if (faulty("refuse", name)) return 701;
  if (faulty("fault", name)) state = 700;
  if (faulty("hang", name)) state = 600;
  log("launch", name.c_str());
  execute(name, threads, parameters);
  now_us += 2;
  // The value of a port is the difference of two numbers of turns.
  if (name.ends_with("_sectors") || name.ends_with("_words") || name.ends_with("_vectors") || name.starts_with("dram_"))
    now_us += *static_cast<uint32_t*>(parameters[3]);
  return 0;
}
#ifndef FAKE_CUDA_OLD
int cuLaunchCooperativeKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned b,
                              unsigned c, unsigned shared, void* stream, void** parameters) {
  return cuLaunchKernel(function, x, y, z, threads, b, c, shared, stream, parameters, nullptr);
}
#endif
int cuEventCreate(void** event, unsigned) {
  *event = new double(0);
  return 0;
}
int cuEventRecord(void* event, void*) {
  log("event");
  now_us += 0.5;
  *static_cast<double*>(event) = now_us;
  return 0;
}
int cuEventQuery(void*) { return state; }
int cuEventElapsedTime(float* milliseconds, void* from, void* to) {
  *milliseconds = static_cast<float>((*static_cast<double*>(to) - *static_cast<double*>(from)) / 1e3);
  return 0;
}
}
