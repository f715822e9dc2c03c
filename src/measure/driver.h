// The functions of the CUDA driver that measurements call, as a table of pointers: declared here after the CUDA Driver
// API manual (13.0), so that nothing of a CUDA toolkit is needed to build, and found in libcuda.so.1 when a measurement
// begins. Tests fill the table with functions of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace warptime::measure {

/// CUdeviceptr.
using DevicePointer = unsigned long long;

// X(member, exported name, parameters). Handles of contexts, modules, functions, streams and events are void*.
// clang-format off
#define WARPTIME_DRIVER(X)                                                                                     \
  X(init, "cuInit", (unsigned flags))                                                                          \
  X(error_name, "cuGetErrorName", (int result, const char** name))                                             \
  X(error_text, "cuGetErrorString", (int result, const char** text))                                           \
  X(version, "cuDriverGetVersion", (int* version))                                                             \
  X(device_count, "cuDeviceGetCount", (int* count))                                                            \
  X(device, "cuDeviceGet", (int* device, int ordinal))                                                         \
  X(device_name, "cuDeviceGetName", (char* name, int length, int device))                                      \
  X(device_attribute, "cuDeviceGetAttribute", (int* value, int attribute, int device))                         \
  X(retain_context, "cuDevicePrimaryCtxRetain", (void** context, int device))                                  \
  X(set_context, "cuCtxSetCurrent", (void* context))                                                           \
  X(load, "cuModuleLoadDataEx", (void** module, const void* image, unsigned count, int* options, void** values)) \
  X(unload, "cuModuleUnload", (void* module))                                                                  \
  X(function, "cuModuleGetFunction", (void** function, void* module, const char* name))                        \
  X(global, "cuModuleGetGlobal_v2", (DevicePointer* at, size_t* bytes, void* module, const char* name))        \
  X(function_attribute, "cuFuncGetAttribute", (int* value, int attribute, void* function))                     \
  X(set_function_attribute, "cuFuncSetAttribute", (void* function, int attribute, int value))                  \
  X(memory_info, "cuMemGetInfo_v2", (size_t* available, size_t* total))                                        \
  X(allocate, "cuMemAlloc_v2", (DevicePointer* at, size_t bytes))                                              \
  X(free, "cuMemFree_v2", (DevicePointer at))                                                                  \
  X(fill, "cuMemsetD8_v2", (DevicePointer at, unsigned char value, size_t bytes))                              \
  X(to_device, "cuMemcpyHtoD_v2", (DevicePointer to, const void* from, size_t bytes))                          \
  X(to_host, "cuMemcpyDtoH_v2", (void* to, DevicePointer from, size_t bytes))                                  \
  X(copy_async, "cuMemcpyDtoDAsync_v2", (DevicePointer to, DevicePointer from, size_t bytes, void* stream))    \
  X(launch, "cuLaunchKernel", (void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,              \
    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream,                 \
    void** parameters, void** extra))                                                                          \
  X(launch_cooperative, "cuLaunchCooperativeKernel", (void* function, unsigned grid_x, unsigned grid_y,        \
    unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,              \
    void* stream, void** parameters))                                                                          \
  X(create_event, "cuEventCreate", (void** event, unsigned flags))                                             \
  X(record, "cuEventRecord", (void* event, void* stream))                                                      \
  X(query, "cuEventQuery", (void* event))                                                                      \
  X(elapsed, "cuEventElapsedTime", (float* milliseconds, void* from, void* to))
// What only newer drivers have: nullptr in the table of others. A CUtensorMap is 128 bytes.
#define WARPTIME_DRIVER_NEWER(X)                                                                               \
  X(encode_tiled, "cuTensorMapEncodeTiled", (void* map, int type, unsigned rank, void* address,                \
    const uint64_t* dims, const uint64_t* strides, const unsigned* box, const unsigned* element_strides,       \
    int interleave, int swizzle, int promotion, int fill))                                                     \
  X(encode_im2col, "cuTensorMapEncodeIm2col", (void* map, int type, unsigned rank, void* address,              \
    const uint64_t* dims, const uint64_t* strides, const int* lower, const int* upper, unsigned channels,      \
    unsigned pixels, const unsigned* element_strides, int interleave, int swizzle, int promotion, int fill))
// clang-format on

/// Each function returns a CUresult: 0 is CUDA_SUCCESS.
struct Driver {
#define WARPTIME_DRIVER_MEMBER(member, name, parameters) int(*member) parameters = nullptr;
  WARPTIME_DRIVER(WARPTIME_DRIVER_MEMBER)
  WARPTIME_DRIVER_NEWER(WARPTIME_DRIVER_MEMBER)
#undef WARPTIME_DRIVER_MEMBER
};

// CUresult
inline constexpr int kOutOfMemory = 2;
inline constexpr int kNoDevice = 100;
inline constexpr int kNotReady = 600;
inline constexpr int kOutOfResources = 701;
// CUdevice_attribute
inline constexpr int kAttributeWarpSize = 10;
inline constexpr int kAttributeSharedBytesPerBlock = 8;
inline constexpr int kAttributeClockKhz = 13;
inline constexpr int kAttributeSms = 16;
inline constexpr int kAttributeMemoryClockKhz = 36;
inline constexpr int kAttributeBusBits = 37;
inline constexpr int kAttributeL2Bytes = 38;
inline constexpr int kAttributeThreadsPerSm = 39;
inline constexpr int kAttributeMajor = 75;
inline constexpr int kAttributeMinor = 76;
inline constexpr int kAttributeSharedBytesPerSm = 81;
inline constexpr int kAttributeRegistersPerSm = 82;
inline constexpr int kAttributeBlocksPerSm = 106;
// CUfunction_attribute
inline constexpr int kFunctionSharedBytes = 1;
inline constexpr int kFunctionLocalBytes = 3;
inline constexpr int kFunctionRegisters = 4;
inline constexpr int kFunctionMostDynamicShared = 8;
// CUjit_option
inline constexpr int kJitErrorLog = 5;
inline constexpr int kJitErrorLogBytes = 6;

/// Throws host::InputError with one sentence.
[[noreturn]] void refuse(std::string message, std::string hint = {});

/// The table of this machine's libcuda.so.1. Throws host::InputError, one sentence, if there is none or it lacks a
/// function.
Driver load_driver();

}  // namespace warptime::measure
