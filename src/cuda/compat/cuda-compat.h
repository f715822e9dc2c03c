// Names of older CUDA versions that the toolkit of CUDA 13 no longer has, for programs that still use them:
//   nvcc -cudart shared -include $(warptime exec --library-path)/cuda-compat.h ...
// Left out: texture and surface references (texture<...>), which the compiler itself no longer knows.
#pragma once
#include <cuda_runtime.h>

#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit cudaDeviceReset
#define cudaThreadSetCacheConfig cudaDeviceSetCacheConfig
#define cudaThreadGetLimit cudaDeviceGetLimit
#define cudaThreadSetLimit cudaDeviceSetLimit

// Warps that exchange values without a mask: all lanes of the warp take part.
#define __shfl(...) __shfl_sync(0xffffffff, __VA_ARGS__)
#define __shfl_up(...) __shfl_up_sync(0xffffffff, __VA_ARGS__)
#define __shfl_down(...) __shfl_down_sync(0xffffffff, __VA_ARGS__)
#define __shfl_xor(...) __shfl_xor_sync(0xffffffff, __VA_ARGS__)
#define __any(...) __any_sync(0xffffffff, __VA_ARGS__)
#define __all(...) __all_sync(0xffffffff, __VA_ARGS__)
#define __ballot(...) __ballot_sync(0xffffffff, __VA_ARGS__)

#if defined(__cplusplus) && CUDART_VERSION >= 13000
/// Properties that are attributes only from CUDA 13 on.
struct warptime_device_properties : cudaDeviceProp {
  int clockRate, deviceOverlap, kernelExecTimeoutEnabled, computeMode, memoryClockRate;
  int singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch;
};
inline cudaError_t cudaGetDeviceProperties(warptime_device_properties* all, int device) {
  cudaError_t error = cudaGetDeviceProperties(static_cast<cudaDeviceProp*>(all), device);
  auto read = [&](int& member, int attribute) {
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&member, static_cast<cudaDeviceAttr>(attribute), device);
  };
  read(all->clockRate, 13);
  read(all->deviceOverlap, 15);
  read(all->kernelExecTimeoutEnabled, 17);
  read(all->computeMode, 20);
  read(all->memoryClockRate, 36);
  read(all->singleToDoublePrecisionPerfRatio, 87);
  read(all->cooperativeMultiDeviceLaunch, 96);
  return error;
}
#define cudaDeviceProp warptime_device_properties

/// A place by the number of its device; cudaCpuDeviceId is the host.
inline cudaMemLocation warptime_location(int device) {
  cudaMemLocation location = {};
  location.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device < 0 ? 0 : device;
  return location;
}
inline cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device, cudaStream_t stream = nullptr) {
  return cudaMemPrefetchAsync(pointer, bytes, warptime_location(device), 0, stream);
}
inline cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(pointer, bytes, advice, warptime_location(device));
}
#endif
