// The types of the CUDA runtime's binary interface, as programs that nvcc compiled pass them (the toolkit's
// header with the driver's types). Handles are pointers that only this library looks behind.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warptime::cuda {

struct Extent3 {  // dim3
  uint32_t x, y, z;
};
enum CopyKind : int { kHostToHost = 0, kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 3, kByAddress = 4 };

struct LaunchAttribute {  // cudaLaunchAttribute
  static constexpr int kCooperative = 2, kClusterDimension = 4;
  int id;
  char pad[4];
  union {
    int cooperative;
    Extent3 cluster;
    char bytes[64];
  } value;
};
struct LaunchConfig {  // cudaLaunchConfig_t
  Extent3 grid, block;
  size_t dynamic_shared_bytes;
  void* stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};
/// cudaFuncAttributes up to its end in CUDA 11.
struct FunctionAttributes {
  size_t shared_bytes, constant_bytes, local_bytes;
  int max_threads_per_block, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared_bytes, carveout;
};
/// cudaPointerAttributes without what is reserved.
struct PointerAttributes {
  enum Type : int { kUnregistered = 0, kHost = 1, kDevice = 2, kManaged = 3 };
  int type, device;
  void* device_pointer;
  void* host_pointer;
};
struct PitchedPointer {  // cudaPitchedPtr
  void* pointer;
  size_t pitch, width, height;
};
struct Extent {  // cudaExtent
  size_t width, height, depth;
};
struct Position {  // cudaPos
  size_t x, y, z;
};
struct Copy3D {  // cudaMemcpy3DParms
  void* from_array;
  Position from_position;
  PitchedPointer from;
  void* to_array;
  Position to_position;
  PitchedPointer to;
  Extent extent;
  int kind;
};

// cudaDeviceProp. O: a member that CUDA 13 no longer has; N: one that is there from CUDA 12 on
// (cudaGetDeviceProperties_v2).
// clang-format off
#define CUDA_PROPERTIES(P, O) \
  P(char, name, [256]) P(char, uuid, [16]) P(char, luid, [8]) P(unsigned, luidDeviceNodeMask, ) P(size_t, totalGlobalMem, ) \
  P(size_t, sharedMemPerBlock, ) P(int, regsPerBlock, ) P(int, warpSize, ) P(size_t, memPitch, ) P(int, maxThreadsPerBlock, ) \
  P(int, maxThreadsDim, [3]) P(int, maxGridSize, [3]) O(int, clockRate, ) P(size_t, totalConstMem, ) P(int, major, ) P(int, minor, ) \
  P(size_t, textureAlignment, ) P(size_t, texturePitchAlignment, ) O(int, deviceOverlap, ) P(int, multiProcessorCount, ) \
  O(int, kernelExecTimeoutEnabled, ) P(int, integrated, ) P(int, canMapHostMemory, ) O(int, computeMode, ) P(int, maxTexture1D, ) \
  P(int, maxTexture1DMipmap, ) O(int, maxTexture1DLinear, ) P(int, maxTexture2D, [2]) P(int, maxTexture2DMipmap, [2]) \
  P(int, maxTexture2DLinear, [3]) P(int, maxTexture2DGather, [2]) P(int, maxTexture3D, [3]) P(int, maxTexture3DAlt, [3]) \
  P(int, maxTextureCubemap, ) P(int, maxTexture1DLayered, [2]) P(int, maxTexture2DLayered, [3]) P(int, maxTextureCubemapLayered, [2]) \
  P(int, maxSurface1D, ) P(int, maxSurface2D, [2]) P(int, maxSurface3D, [3]) P(int, maxSurface1DLayered, [2]) \
  P(int, maxSurface2DLayered, [3]) P(int, maxSurfaceCubemap, ) P(int, maxSurfaceCubemapLayered, [2]) P(size_t, surfaceAlignment, ) \
  P(int, concurrentKernels, ) P(int, ECCEnabled, ) P(int, pciBusID, ) P(int, pciDeviceID, ) P(int, pciDomainID, ) P(int, tccDriver, ) \
  P(int, asyncEngineCount, ) P(int, unifiedAddressing, ) O(int, memoryClockRate, ) P(int, memoryBusWidth, ) P(int, l2CacheSize, ) \
  P(int, persistingL2CacheMaxSize, ) P(int, maxThreadsPerMultiProcessor, ) P(int, streamPrioritiesSupported, ) \
  P(int, globalL1CacheSupported, ) P(int, localL1CacheSupported, ) P(size_t, sharedMemPerMultiprocessor, ) \
  P(int, regsPerMultiprocessor, ) P(int, managedMemory, ) P(int, isMultiGpuBoard, ) P(int, multiGpuBoardGroupID, ) \
  P(int, hostNativeAtomicSupported, ) O(int, singleToDoublePrecisionPerfRatio, ) P(int, pageableMemoryAccess, ) \
  P(int, concurrentManagedAccess, ) P(int, computePreemptionSupported, ) P(int, canUseHostPointerForRegisteredMem, ) \
  P(int, cooperativeLaunch, ) O(int, cooperativeMultiDeviceLaunch, ) P(size_t, sharedMemPerBlockOptin, ) \
  P(int, pageableMemoryAccessUsesHostPageTables, ) P(int, directManagedMemAccessFromHost, ) P(int, maxBlocksPerMultiProcessor, ) \
  P(int, accessPolicyMaxWindowSize, ) P(size_t, reservedSharedMemPerBlock, )
// clang-format on

#define CUDA_MEMBER(type, name, extent) type name extent;
#define CUDA_NO_MEMBER(type, name, extent)
/// Up to the end of CUDA 11's.
struct Properties11 {
  CUDA_PROPERTIES(CUDA_MEMBER, CUDA_MEMBER)
};
struct Properties12 : Properties11 {
  int newer[13 + 63];
};
struct Properties13 {
  CUDA_PROPERTIES(CUDA_MEMBER, CUDA_NO_MEMBER)
  int newer[20 + 56];  // hostRegisterSupported and on
};
#undef CUDA_MEMBER
#undef CUDA_NO_MEMBER

}  // namespace warptime::cuda
